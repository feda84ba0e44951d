"""``massprops convert``: the table in another format, layout, unit or frame, without a roll-up."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import principal_axes, six_entries
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.bom.items.motion_texts import length_vector, rotation_matrix
from massprops_cli.cli.command import Command, WritingRun, command_option
from massprops_cli.cli.stages.output_files import output_target, write_covariance
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_findings, selected_findings
from massprops_cli.cli.stages.table_input import read_input_bom, read_input_table, recorded_stdin, resolve_table_options
from massprops_cli.cli.stages.table_output import write_changed_table, write_content, write_plain_table
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen
from massprops_cli.files.table import GridTable, Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Severity, TableError, UsageError, rule_finding
from massprops_cli.reports.page.conventions import table_decision_blocks
from massprops_cli.reports.table_files import lost_content_findings
from massprops_cli.tables.columns.columns import read_columns, show_made_columns

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.motion import Motion
    from massprops_cli.tables.options import TableOptions

COMMAND = Command(
    "convert",
    panel="Write",
    summary="Write the table in another format, layout, unit or frame, or correct its inertia tensors.",
    examples=("spacecraft.csv --to md", "spacecraft.xlsx -o spacecraft.parquet", "spacecraft.csv --fix -o fixed.csv"),
    usual="output to to-layout units fix translate rotate to-frame where sheet",
    sets="single-file table-output findings-report",
    more="""
The table goes to standard output unless -o names a file. Cells keep their characters; nothing is rolled up.

In another frame, a mirror or a rotation comes first, about the origin or the point of --pivot, then the translation in
the new axes. Centres, tensors and sigmas of all rows change, in their units, columns and sign conventions. Sigmas that
a rotation makes correlated are reported; --covariance writes them in full. --to-frame item:ID is the pose of the item,
without poses its centre of mass with unchanged axes. --into-robot writes a robot file.

--fix replaces a tensor where its principal moments are negative, or where the largest exceeds the sum of the others by
more than the rounding of its digits explains (rules MP403 and MP404), where it is that of another mass in the geometry
of the body (MP718), or where that, or parts at mirrored places, show a wrong term of the parallel axis theorem. If one
slip explains it (order, signs, powers of ten, m d²), it is corrected and named; of several, the one that fits a left or
right counterpart, or the geometry. If these do not decide, all are listed, nothing is changed, and the exit code is 1.
Without a slip the new tensor is the nearest one in the Frobenius norm: valid, not right; beyond 1 % a warning, with
exit code 1. All other cells keep their characters. The file of a robot is written with -o robot.urdf or -o model.sdf.
""",
)
_UNIT_RULES = ("MP207", "MP209", "MP210", "MP211", "MP227")  # the rules about units


class _ConvertRun(WritingRun):
    """The options of ``convert``: the robot file, and the new frame."""

    into_robot: str = command_option("into-robot")
    fix: bool = command_option("fix")
    translate: str = command_option("translate")
    rotate: str = command_option("rotate")
    pivot: str = command_option("pivot")
    mirror: str | None = command_option("mirror")
    to_frame: str = command_option("to-frame")
    covariance: str = command_option("covariance", COMMAND)

    @property
    def is_principal(self) -> bool:
        """Whether the axes are the principal ones."""
        return self.to_frame.partition(":")[0] == "principal"

    @property
    def frame_item(self) -> str:
        """The item that the frame is of; empty for the root."""
        return self.to_frame.partition(":")[2].strip()


def command(run: _ConvertRun) -> int:
    """Read the table, select rows and change layout, frame or tensors on request, and write it."""
    if run.fix:
        _check_exclusive(run, "fix", "into_robot", "run convert twice")
        return _write_fixed_table(run)
    if run.into_robot:
        return _write_into_robot(run)
    if run.translate or run.rotate or run.pivot or run.mirror or run.to_frame or run.covariance:
        return _move_table(run)
    options = resolve_table_options(run)
    findings = Findings()
    table = read_input_table(run, findings)
    if options.robots.joint_positions and not (table.source.is_robot or run.to_layout):
        raise UsageError(
            "positions of joints (--q) of the robots of a table need --to-layout, which writes their links"
        )
    lost = lost_content_findings(table)
    target = output_target(run, table.source.format, to_stdout=True)
    if run.to_layout is not None or options.where or options.units or options.make_root:
        table = _convert_layout(table, options, run.to_layout or "", findings)
    screen = report_screen(data_on_stdout=target.is_stdout)
    if findings.has_errors:
        code = exit_code(findings, run) or EXIT_FINDINGS
        return report_failure(screen, run.file, findings, run, "not converted, nothing written", code)
    findings += write_plain_table(table, options, target) + lost
    if findings or run.verbose or not target.is_stdout:
        did = f"{run.file}: converted {table.n_rows - 1:,} rows to {target.format}"
        did += "" if target.is_stdout else f" in {target.name}"
        more = table_decision_blocks(table.source, run.settings.words) if run.verbose else []
        report_findings(screen, run.file, findings, run, did, brief=True, more=more)
    return exit_code(findings, run)


def _check_exclusive(run: _ConvertRun, name: str, other: str, reason: str) -> None:
    """Reject another option of what is written together with one that excludes them."""
    names = ("to_layout", other, "units", "translate", "rotate", "pivot", "mirror", "to_frame", "covariance")
    for option in (f"--{field.removesuffix('_format').replace('_', '-')}" for field in names if getattr(run, field)):
        raise UsageError(f"--{name} and {option} are exclusive: {reason}")


def _write_into_robot(run: _ConvertRun) -> int:
    """Write the numbers of the table into the inertials of a robot file."""
    _check_exclusive(run, "into-robot", "to_format", "robot files have kg, m and own frames")
    from massprops_cli.robots.inertial_resolution import file_with_inertials

    path = Path(run.into_robot)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {run.into_robot}: {error.strerror}") from None
    bom = read_input_bom(run, units="SI")
    findings = Findings(bom.findings)
    content, links = (b"", 0) if findings.has_errors else file_with_inertials(bom, run.into_robot, data, findings)
    failed = findings.has_errors
    name = "" if failed else write_content(content, run.output, replaces=not run.no_clobber)
    noun = "inertial" if links == 1 else "inertials"
    did = f"{run.into_robot}: nothing written" if failed else f"{run.into_robot}: {links} {noun} changed"
    did += f" → {name}" if name else ""
    if findings or name:
        report_findings(report_screen(data_on_stdout=not name), run.file, findings, run, did, failed=failed, brief=True)
    return exit_code(findings, run) or int(failed)


def _convert_layout(table: Table, options: TableOptions, layout: str, findings: Findings) -> Table:
    """Return the selected rows of the table in another layout; a table with errors is returned unchanged."""
    from massprops_cli.tables.layouts.detection import find_table_of_pages, read_hierarchy, with_robot_column
    from massprops_cli.tables.layouts.layout_output import hierarchy_rows, layout_rows
    from massprops_cli.tables.rows.excluded_rows import exclude_non_item_rows
    from massprops_cli.tables.rows.row_filter import filter_hierarchy

    around, of_table = Findings(), Findings()
    shown = find_table_of_pages(table, options, around)
    if "robot" in (options := with_robot_column(shown, options)).map:
        shown = show_made_columns(shown, options, of_table)
    columns = read_columns(shown, options, of_table)
    if not layout and not options.where and not options.make_root:
        findings += _conversion_findings(of_table, options)
        return table
    if shown.n_rows <= columns.first_row:
        message = "table has a header and no row of data"
        raise TableError([*around, *of_table, rule_finding("MP111", message, shown.place(0))])
    shown, _ = exclude_non_item_rows(shown, columns, options, of_table)
    hierarchy = read_hierarchy(shown, columns, options, of_table)
    if "robot" in columns.by_quantity and len(hierarchy):
        from massprops_cli.bom.items.robot_rows import with_robots

        robots, columns, hierarchy = with_robots(shown, columns, hierarchy, options, findings)
        shown = TableView(robots, cells=dict.fromkeys(robots.robot_cells, ""))  # else their links would be read twice
    findings += [*around, *_conversion_findings(of_table, options)]
    if options.where:
        hierarchy = filter_hierarchy(hierarchy, shown, columns, options.where, findings)
    if findings.has_errors:
        return shown
    if options.where and not options.make_root and layout in ("", hierarchy.layout):
        return GridTable(shown.source, hierarchy_rows(hierarchy, shown, columns))
    made_root, layout = options.make_root, layout or hierarchy.layout
    if not made_root and layout != hierarchy.layout and hierarchy.tops_are_parts and (hierarchy.parents < 0).sum() > 1:
        made_root = options.root_name(table.source)  # as the roll-up names it
    return GridTable(shown.source, layout_rows(hierarchy, shown, columns, layout, findings, made_root=made_root))


def _conversion_findings(findings: Sequence[Finding], options: TableOptions) -> list[Finding]:
    """Return the findings about rows, the tree and, with ``--units``, units; not those about numbers."""
    rules = ("MP201", "MP202", "MP204", "MP250", *(_UNIT_RULES if options.units else ()))
    return [finding for finding in findings if finding.rule.startswith("MP3") or finding.rule in rules]


def _write_fixed_table(run: _ConvertRun) -> int:
    """Read the table, replace its invalid tensors, write it, and return the exit code."""
    bom = read_input_bom(run, write_poi="none")
    is_robot = (
        not run.to_format
        and bom.table.source.is_robot
        and Path(run.output).suffix == f".{bom.table.source.format}".replace(".mjcf", ".xml")
    )
    target = output_target(replace(run, to_format="csv") if is_robot else run, bom.table.source.format, to_stdout=True)
    screen = report_screen(data_on_stdout=target.is_stdout)
    from massprops_cli.bom.motion import findings_after, repair_tensors

    findings, geometry, content = Findings(), None, b""
    if bom.table.source.is_robot:
        from massprops_cli.robots.robot_checks import link_geometry_tensors

        geometry = partial(link_geometry_tensors, bom.table, bom.options)
    changed, items, fixed = repair_tensors(bom, findings, geometry)
    if is_robot or (geometry is not None and len(items)):
        from massprops_cli.robots.inertial_resolution import file_with_inertials

        data = recorded_stdin() or Path(run.file).read_bytes()
        data = gzip.decompress(data) if bom.table.source.compressed else data
        content, _ = file_with_inertials(fixed, run.file, data, findings if is_robot else Findings())
    left = list(bom.findings)
    if len(items):  # what is reported is that of the repaired table or robot
        left = [*read_input_bom(run, content, write_poi="none").findings] if content else findings_after(bom, changed)
    findings = Findings([*left, *findings])
    if is_robot:
        write_content(content, run.output, replaces=not run.no_clobber)
    else:
        findings += write_changed_table(changed, bom, target)
    did = f"{run.file}: {len(items):,} {'tensor' if len(items) == 1 else 'tensors'} replaced"
    did += "" if target.is_stdout else f", {'robot' if is_robot else 'table'} in {target.name}"
    guesses = [one.rule for one in selected_findings(findings, run) if one.severity is Severity.WARNING]
    is_guess = "MP716" in guesses or "MP718" in guesses
    report_findings(screen, run.file, findings, run, did, failed=is_guess, brief=True)
    return exit_code(findings, run) or (EXIT_FINDINGS if is_guess else 0)


def _move_table(run: _ConvertRun) -> int:
    """Read the table, compute its numbers in the new frame, and write it."""
    _check_options(run)
    bom = read_input_bom(run, write_poi="none")
    target = output_target(run, bom.table.source.format, to_stdout=True)
    screen = report_screen(data_on_stdout=target.is_stdout)
    findings = Findings(bom.findings)
    if bom.is_withheld:
        did, code = "not converted, nothing written", exit_code(findings, run) or EXIT_FINDINGS
        return report_failure(screen, run.file, findings, run, did, code)
    from massprops_cli.bom.motion import moved_table
    from massprops_cli.bom.rollup import rollup

    motion = _requested_motion(bom, run)
    findings += write_changed_table(moved_table(bom, motion, findings), bom, target)
    if run.covariance:
        write_covariance(
            rollup(bom, keep_going=True), run.covariance, turn_matrices(motion.rotation), replaces=target.replaces
        )
    if findings or run.to_frame or not target.is_stdout:
        did = f"{run.file}: converted {len(bom):,} items{_frame_words(bom, run)}"
        did += "" if target.is_stdout else f" to {target.name}"
        report_findings(screen, run.file, findings, run, did, brief=True)
    return exit_code(findings, run)


def _check_options(run: _ConvertRun) -> None:
    """Reject options that do not name one frame."""
    own = [name for name in ("rotate", "mirror") if getattr(run, name)]
    others = [name for name in (*own, "translate") if getattr(run, name)]
    if len(own) > 1 or (run.to_frame and others):
        both = ["to-frame", *others] if run.to_frame else own
        raise UsageError(f"--{both[0]} cannot be combined with --{both[1]}; run convert twice")
    if not (run.to_frame or others):
        name = "pivot" if run.pivot else "covariance"
        raise UsageError(f"--{name} needs a new frame: --translate, --rotate, --mirror or --to-frame")
    if run.pivot and not own:
        raise UsageError("--pivot needs --rotate or --mirror")
    given = {"units": run.units, "to-layout": run.to_layout}
    for name in (name for name, value in given.items() if value):
        raise UsageError(f"--{name} cannot be combined with a new frame; run convert twice")
    if run.to_frame and not (run.is_principal or run.to_frame.startswith("item:")):
        raise UsageError(f"invalid --to-frame: {run.to_frame} (expected item:ID, principal or principal:ID)")


def _uses_pose(bom: Bom, run: _ConvertRun) -> bool:
    """Return whether the new frame is that of an item, with its axes."""
    return bool(run.to_frame) and not run.is_principal and bom.poses is not None


def _frame_words(bom: Bom, run: _ConvertRun) -> str:
    """Return what the origin and the axes of --to-frame are."""
    if not (name := run.frame_item):
        return ""
    if _uses_pose(bom, run):
        return f" to the frame of {name}, its origin and its axes"
    axes = "principal axes" if run.is_principal else "axes of the table, which has no poses"
    return f" to the centre of mass of {name}, {axes}"


def _requested_motion(bom: Bom, run: _ConvertRun) -> Motion:
    """Return the map of the options, in the coherent unit of length of the table."""
    from massprops_cli.bom.motion import Motion, frame_of_axes

    if _uses_pose(bom, run):
        assert bom.poses is not None
        item = bom.item(run.frame_item)
        if bom.poses.is_bad[item]:
            raise UsageError(f"pose of {bom.ids[item]} is not valid, so it has no frame")
        own = bom.poses.in_root[[item]].inverse()
        return Motion(own.rotation[0], own.translation[0])
    if run.to_frame:
        name = run.frame_item or bom.ids[int(bom.tree.order[0])]
        center, inertia = _item_body(bom, name)
        axes = np.eye(3)
        if run.is_principal:
            if inertia is None:
                raise UsageError(f"{name} has no inertia tensor, so it has no principal axes")
            axes = principal_axes(six_entries(inertia)[None]).axes[0]
        return frame_of_axes(axes, center)
    about = _reference_point(bom, run.pivot)
    if run.mirror:
        motion = Motion.of_mirror(run.mirror, about)
    elif run.rotate:
        motion = Motion.of_rotation(rotation_matrix(run.rotate, "--rotate"), about)
    else:
        motion = Motion(np.eye(3), np.zeros(3))
    return motion.translated(length_vector(run.translate, "--translate", bom.units.length)) if run.translate else motion


def _item_body(bom: Bom, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the centre and the tensor of an item of the roll-up."""
    from massprops_cli.bom.rollup import rollup

    body = rollup(bom, "none", keep_going=True)[name]
    if body.center is None or not np.isfinite(body.center).all():
        raise UsageError(f"{name} has no complete centre of mass")
    return body.center, body.inertia


def _reference_point(bom: Bom, text: str) -> NDArray[np.float64]:
    """Return the point of --pivot; the origin without one."""
    if not text:
        return np.zeros(3)
    if text.strip() == "cg":
        return _item_body(bom, bom.ids[int(bom.tree.order[0])])[0]
    if text.startswith("item:"):
        return _item_body(bom, text.removeprefix("item:").strip())[0]
    return length_vector(text, "--pivot", bom.units.length)
