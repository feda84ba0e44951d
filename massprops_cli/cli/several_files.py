"""Several runs of a command: one a file of the patterns, and with ``--watch`` again after each change of an input."""

from __future__ import annotations

import glob
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from massprops_cli.bom.settings import CONFIGURATION_NAME
from massprops_cli.cli import streams
from massprops_cli.cli.command import RollupRun, TableRun, WritingRun
from massprops_cli.cli.stages.output_files import check_output_file, default_output_name, named_files
from massprops_cli.cli.stages.report_output import parse_report_options, report_findings, write_reports
from massprops_cli.findings.finding import (
    FindingsError,
    MasspropsError,
    OutputError,
    Severity,
    TableError,
    UsageError,
    count_with_noun,
)
from massprops_cli.options import JOINABLE_STYLES, MACHINE_STYLES
from massprops_cli.reports.page.findings import json_text
from massprops_cli.reports.page.page import text_line
from massprops_cli.reports.table_files import format_of_name

_Command = Callable[[TableRun], int]
_PATTERN = re.compile(r"[*?\[]")  # wildcard: bom-*.csv
_OWN_NAME = re.compile(r"\.(?:rollup|bak\d*)(?=\.[^.]+(?:\.gz)?$)", re.IGNORECASE)
"""The part of a name that an output of ``rollup`` or a backup has in addition to its input."""
_DEBOUNCE_MILLISECONDS = 400  # changes within this time are one change: editors write a file in several steps


def is_pattern(name: str) -> bool:
    """Return whether a name is a pattern of file names, and not a file."""
    return bool(_PATTERN.search(name)) and not Path(name).exists()


def expand_file_names(names: Sequence[str]) -> list[str]:
    """Expand patterns, also where the shell does not, and leave out outputs of the other files."""
    found: dict[str, None] = {}
    for name in names:
        if not is_pattern(name):
            found[name] = None
            continue
        matches = [path for path in sorted(glob.glob(name, recursive=True)) if Path(path).is_file()]  # noqa: PTH207 - Path.glob takes no absolute pattern
        matches = [path for path in matches if not Path(path).name.startswith("~$")]  # locks of open workbooks
        if not matches:
            raise UsageError(f"no file matches: {name}")
        found |= dict.fromkeys(matches)
    if own := [name for name in found if _OWN_NAME.search(name) and _OWN_NAME.sub("", name) in found]:
        streams.write_error(f"massprops: left out, outputs of the other files: {', '.join(own)}\n")
    if len(found) > 1 and any(streams.is_stream_name(name) for name in found):
        raise UsageError("standard input and pipes cannot be combined with other files")
    return [name for name in found if name not in own]


def run_several_files(run: TableRun, files: Sequence[str], command: _Command) -> int:
    """Run a command for each file, with one line of summary each unless a style is requested."""
    for name in ("covariance", "plot", "save_map"):
        if getattr(run, name, ""):
            raise UsageError(f"--{name.replace('_', '-')} applies to one file; run the command for each file")
    if run.format in ("csv", *MACHINE_STYLES) and run.format not in JOINABLE_STYLES:
        raise UsageError(f"--format {run.format} applies to one file; run the command for each file")
    if isinstance(run, WritingRun):
        run = _output_into_folder(run, files)
    is_summary = run.format is None and not (run.verbose or run.quiet)
    run = replace(run, is_summary=is_summary, accounts=[])
    reports = parse_report_options(getattr(run, "report", None), [*files, *(getattr(run, "budget", None) or ())])
    codes, documents = [], []
    with _cluster_answers(run, files) as answered, _file_runner(answered, files, command) as run_file:
        for file in files:
            if run.format != "json":
                codes.append(run_file(file))
                continue
            with redirect_stdout(io.StringIO()) as text:
                codes.append(run_file(file))
            documents += [json.loads(text.getvalue())] if text.getvalue().strip() else []
    if reports and run.accounts:
        write_reports(reports, *run.accounts, replaces=not getattr(run, "no_clobber", False))
    screen = streams.report_screen(data_on_stdout=False)
    if run.format == "json":
        screen.write(json_text(documents))
    if is_summary and any(codes):
        failed = count_with_noun(len(codes) - codes.count(streams.EXIT_OK), "file")
        name = "check" if streams.command_line_words()[:1] == ("check",) else "validate"
        screen.show([text_line(f"{failed} of {len(codes)} with errors; massprops {name} FILE prints the findings")])
    return max(codes)


@contextmanager
def _file_runner(run: TableRun, files: Sequence[str], command: _Command) -> Iterator[Callable[[str], int]]:
    """Yield what runs the command for the next file, in this process or in ``--workers`` others."""
    if (workers := min(run.workers, len(files))) < 2 or getattr(run, "tables", None) is not None:
        yield lambda file: _run_one_file(replace(run, file=file), command)
        return
    from massprops_cli.rollups.division import WorkerLostError, process_results

    traits = [streams.stream_traits(one) for one in (sys.stdout, sys.stderr)]
    if run.format == "json":  # each report is read again
        traits[0] = ("utf-8", "strict", False)
    shared = replace(run, workers=1), command, streams.command_line_words(), traits
    with closing(process_results(_run_in_worker, shared, files, workers)) as answers:

        def run_file(file: str) -> int:
            """Write what a worker recorded for the next file; returns its exit code."""
            with streams.progress_spinner(f"waiting for {file}"):
                answer = next(answers)
            if isinstance(answer, WorkerLostError):
                streams.write_error(f"massprops: {file}: {answer}\n")
                return streams.EXIT_FAILURE
            code, out, error, accounts = answer
            streams.write_recorded(sys.stdout, out)
            with suppress(OSError, ValueError, AttributeError):  # a closed stream, as for other messages
                streams.write_recorded(sys.stderr, error)
            if run.accounts is not None:
                run.accounts.extend(accounts)
            return int(code)

        yield run_file


def _run_in_worker(shared: tuple[TableRun, _Command, Sequence[str], list[streams.StreamTraits]], file: str) -> Any:
    """Run the command for one file; returns its exit code, what it wrote to both streams, and its reports."""
    run, command, words, traits = shared
    one, (out, error) = replace(run, file=file, accounts=[]), map(streams.RecordedStream, traits)
    with redirect_stdout(out), redirect_stderr(error), streams.record_command_line(words):
        code = _run_one_file(one, command)
    return code, out.recorded.getvalue(), error.recorded.getvalue(), one.accounts


@contextmanager
def _cluster_answers(run: TableRun, files: Sequence[str]) -> Iterator[TableRun]:
    """Send the files to the cluster that the options name; yields the options with its answers."""
    if not isinstance(run, RollupRun) or not run.scheduler or run.partition or run.uncertainty == "montecarlo":
        yield run
        return
    from massprops_cli.cli.commands.rollup import cluster_request
    from massprops_cli.cli.stages.table_output import tables_on_cluster

    with tables_on_cluster(run.scheduler, files, lambda name: cluster_request(replace(run, file=name))) as tables:
        yield replace(run, tables=tables)


def _run_one_file(run: TableRun, command: _Command) -> int:
    """Run the command for one file; an exception is reported and does not prevent the other files."""
    file = run.file
    try:
        return command(run)
    except (TableError, FindingsError) as error:
        worst = next((one for one in error.findings if one.severity is Severity.ERROR), None)
        is_table = isinstance(error, FindingsError)
        did = f"{file}: {'not rolled up' if is_table else 'no table'}{f' ({worst.message})' if worst else ''}"
        report_findings(streams.report_screen(data_on_stdout=False), file, error.findings, run, did, failed=True)
        return streams.EXIT_FINDINGS if is_table else streams.EXIT_FAILURE
    except MasspropsError as error:
        streams.write_error(f"massprops: {str(error) if str(error).startswith(file) else f'{file}: {error}'}\n")
        return streams.EXIT_FAILURE
    except OSError:  # of a standard stream
        raise
    except Exception as error:
        return streams.report_exception(error, f"{file}: ")


def _output_into_folder(output: Any, files: Sequence[str]) -> Any:
    """Return the options of the output with the folder of ``-o``, which is created."""
    if (folder := output.output) == "-":
        raise UsageError("-o - applies to one file; name a folder for several files")
    names = Counter(
        str(Path(folder or Path(file).parent) / Path(name).name)
        for file in files
        for name in (default_output_name(file, output.to_format.lower() or format_of_name(file)),)
    )
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise UsageError(f"outputs of several files have one name: {twice}; use separate folders")
    if not folder:
        return output
    if Path(folder).exists() and not Path(folder).is_dir():
        raise OutputError(f"{folder}: file exists; with several files, -o is a folder")
    try:
        Path(folder).mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: folder cannot be created: {(error.strerror or str(error)).lower()}") from None
    check_output_file(str(Path(folder) / "massprops"))
    return replace(output, output="", folder=folder)


def run_watched(options: Any, files: Sequence[str], run: Callable[[], int]) -> int:
    """Run a command, and again after each change of an input, until Ctrl-C."""
    if any(streams.is_stream_name(name) for name in files):
        raise UsageError("--watch requires a file, not standard input or a pipe")
    if getattr(options, "in_place", False):
        raise UsageError("--watch and --in-place are mutually exclusive, because each run would change the input")
    try:
        from watchfiles import watch
    except ImportError:
        raise UsageError("--watch requires watchfiles; install the extra: pip install 'massprops[watch]'") from None
    # tables, ``massprops.toml`` in their folders, and every file that an option names
    inputs = [*files, *(str(Path(file).parent / CONFIGURATION_NAME) for file in files)]
    inputs += [name for option, name in named_files(options, "input") if option.kind in ("text", "list")]
    watched = [Path(os.path.realpath(name)) for name in dict.fromkeys(inputs)]
    folders = sorted({str(path.parent) for path in watched if path.parent.is_dir()})
    code = streams.run_guarded(run)
    if code in streams.INTERRUPTED_CODES:
        return code
    streams.write_error(f"massprops: watching {', '.join(files)}; Ctrl-C ends\n")
    names = {str(path) for path in watched}
    for changes in watch(
        *folders,
        watch_filter=lambda _, path: os.path.realpath(path) in names,
        debounce=_DEBOUNCE_MILLISECONDS,
        recursive=False,
    ):
        changed = sorted({Path(path).name for _, path in changes})
        streams.write_error(f"\nmassprops: changed: {', '.join(changed)}\n")
        with streams.record_command_line(streams.command_line_words()):  # its time begins again
            code = streams.run_guarded(run)
        if code in streams.INTERRUPTED_CODES:
            return code
    return code
