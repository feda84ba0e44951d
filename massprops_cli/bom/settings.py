"""Settings of a table: what its configuration files state. Priority: ``--config FILE``, ``[file]``, the rest.

    root = true          # do not search the folders above
    [columns]            # quantity = "header", as --map
    id = "Part Number"
    [units]              # quantity = "unit", as --unit
    mass = "kg"
    [read]               # options of reading, by their names without the dashes
    layout = "level"
    allow-missing = "sigma"
    [sigma-percent]      # word under the column method = one sigma in percent
    estimated = 15
    [growth]             # a csv file in this folder, or the name of a supplied table
    table = "growth.csv"
    [report]             # options of the report
    fail-on = "warning"
    [condition.dry]      # changes for whatif --condition dry
    set = ["TANK.mass=0 kg"]
    [pose.folded]        # positions of the joints of a robot for --pose folded
    elbow = "90 deg"
    [robot]              # custom calculator of the meshes of a robot, as --calculator
    calculator = "printed"
    [file."bom*.xlsx".read]  # the same tables for the files with this name
    sheet = "BOM"

``check`` reads ``[[budget]]`` and ``[[waive]]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from massprops_cli.bom import configuration_file
from massprops_cli.files.options import resolve_caps
from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.options import OPTIONS

ConfigurationChoice = str | PathLike[str] | Literal[False] | None
"""Which configuration is read: a file in addition, none (False, empty or ``none``), or that of the table (None)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Content of the configuration files; ``columns`` and ``units`` by quantity, ``read`` and ``report`` by option."""

    read: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    sigma_percent: Mapping[str, float] = field(default_factory=dict)  # one standard deviation by method
    growth_table: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)
    # changes of each condition by option of whatif
    conditions: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    budget: tuple[str, tuple[str, ...]] | None = None  # file of the budget, and the keys of its tables
    poses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # positions of joints by pose
    files: tuple[str, ...] = ()  # those read
    calculator: str = ""  # custom calculator of the meshes of a robot
    idle: tuple[str, ...] = ()  # budget entries of each file, which only ``check`` uses

    @property
    def words(self) -> list[str]:
        """Files with their budget entries, for ``-v``: ``massprops.toml (2 [[budget]], used by massprops check)``."""
        return [
            name + (f" ({idle}, used by massprops check)" if idle else "")
            for name, idle in zip(self.files, self.idle, strict=True)
        ]

    def joint_positions(self, pose: str) -> tuple[str, ...]:
        """Return the positions of the joints in a pose."""
        if pose and pose not in self.poses:
            hint = nearest_name_hint(pose, self.poses) or f"; write [pose.{pose}] in massprops.toml"
            raise UsageError(f"unknown pose: {pose}{hint} (--pose)")
        return self.poses[pose] if pose else ()


def read_settings(table: str, config: ConfigurationChoice = None) -> Settings:
    """Read the configuration of a table, then the file that is named, with priority."""
    if config is False or (config is not None and fspath(config) in ("", "none")):
        return Settings()
    found = configuration_file.find_configuration_file(table) if table not in ("", "-") else None
    files = [] if found is None else [found]
    if config is not None:
        files.append(configuration_file.read_configuration_file(fspath(config)))
    parts = []
    for file in files:
        own = [part for part in configuration_file.configuration_parts(file) if _applies_to(part, table)]
        is_named = config is not None and Path(config).resolve() == Path(file.path).resolve()
        if file is found and not is_named:
            # reject caps in a file that was found: a table that comes with its own file cannot raise the limits
            for part in own:
                if part.tables["read"].get("cap"):
                    remedy = "use --cap, MASSPROPS_MAX_…, or name the file with --config"
                    raise part.fault("read", "cap", f"{{}} is not accepted in a file found near the table; {remedy}")
        # that for all tables, patterns, names
        parts += sorted(own, key=lambda one: 0 if not one.at else 1 if any(mark in one.at[-1] for mark in "*?[") else 2)
    used = next((part for part in reversed(parts) if part.tables.get("budget")), None)  # others are overridden
    idle = [_budget_words([used] if used is not None and used.file is file else []) for file in files]
    return _merged_settings(parts, files, idle)


def _applies_to(part: configuration_file.ConfigurationPart, table: str) -> bool:
    """Whether a part of a file is for a table: its name, its path from the file, or a pattern of one of them."""
    if not part.at:
        return True
    pattern = part.at[-1]
    path = Path(table)
    try:
        relative = path.resolve().relative_to(part.file.folder.resolve()).as_posix()
    except ValueError:
        relative = path.name
    return any(name == pattern or fnmatchcase(name, pattern) for name in (path.name, relative, path.as_posix()))


def _budget_words(parts: list[configuration_file.ConfigurationPart]) -> str:
    """Count the budget entries of the parts of a file."""
    counts = {name: sum(len(part.tables.get(name, ())) for part in parts) for name in configuration_file.BUDGET_TABLES}
    return ", ".join(f"{count} [[{name}]]" for name, count in counts.items() if count)


def _merged_settings(
    parts: list[configuration_file.ConfigurationPart],
    files: list[configuration_file.ConfigurationFile],
    idle: list[str],
) -> Settings:
    """Merge parts in the order of priority, the last one first."""
    names = ("read", "columns", "units", "sigma-percent", "report", "condition", "pose", "robot")
    merged: dict[str, dict[str, Any]] = {name: {} for name in names}
    growth, budget = "", None
    for part in parts:
        for name in names:
            # a table of a part; a file of materials is in the folder of the configuration
            table = dict(part.tables.get(name, {}))
            if name == "read" and isinstance(table.get("materials"), str) and table["materials"]:
                table["materials"] = str(part.file.folder / table["materials"])
            merged[name] |= table
        growth = _growth_table_name(part) or growth
        if part.tables.get("budget"):
            budget = (part.file.path, (*part.file.within, *part.at))
    return Settings(
        merged["read"],
        merged["columns"],
        merged["units"],
        merged["sigma-percent"],
        growth,
        merged["report"],
        merged["condition"],
        budget,
        poses=merged["pose"],
        calculator=merged["robot"].get("calculator", ""),
        files=tuple(file.path for file in files),
        idle=tuple(idle),
    )


def _growth_table_name(part: configuration_file.ConfigurationPart) -> str:
    """Find the growth table that a file names: a supplied table, or a file in the same folder."""
    from massprops_cli.bom.items.growth import SHIPPED_TABLES

    name = part.tables.get("growth", {}).get("table", "")
    if not isinstance(name, str):
        raise part.fault("growth", "table", f"{{}} is not a text: {name!r} (expected a file name in quotes)")
    return name if not name or name in SHIPPED_TABLES else str(part.file.folder / name)


def keywords_with_settings(given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Add the settings to keyword arguments, which have priority."""
    of_files: dict[str, Any] = {}
    for option in OPTIONS:
        if option.section == "read" and option.key and option.name in settings.read:
            value = settings.read[option.name]
            of_files[option.keyword] = int(value) if option.kind == "whole" else value
    if "caps" in of_files:
        of_files["caps"] = resolve_caps(of_files["caps"])
    if "delimiter" in of_files:
        of_files["delimiter"] = configuration_file.delimiter_character(of_files["delimiter"])
    if "strict" in given or "allow_missing" in given:  # both state what may be missing
        of_files = {name: value for name, value in of_files.items() if name not in ("strict", "allow_missing")}
    if settings.growth_table:
        of_files["growth_table"] = settings.growth_table
    result = {**of_files, **given}
    columns = {name: text for name, text in settings.columns.items() if name != "qty" or not given.get("qty_column")}
    for keyword, of_file in (("map", columns), ("unit", settings.units), ("sigma_percent", settings.sigma_percent)):
        if of_file:
            result[keyword] = {**of_file, **(given.get(keyword) or {})}
    return result
