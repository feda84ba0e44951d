"""Settings of a table: what its configuration files state; docs/configuration.md has an example of every section."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from massprops_cli.files.options import delimiter_character, resolve_caps
from massprops_cli.findings.finding import ConfigError, UsageError, nearest_name_hint
from massprops_cli.options import OPTIONS

if TYPE_CHECKING:
    from massprops_cli.bom.configuration_file import ConfigurationFile, ConfigurationPart
    from massprops_cli.tables.options import StatedKeys

CONFIGURATION_NAME = "massprops.toml"
_PROJECT_NAME = "pyproject.toml"
# ``[tool.massprops`` at the start of a line
_PROJECT_HEAD = re.compile(r"^[ \t]*\[\[?[ \t]*tool[ \t]*\.[ \t]*massprops\b", re.MULTILINE)
ConfigurationChoice = str | PathLike[str] | Literal[False] | None
"""Which configuration is read: a file in addition, none (False, empty or ``none``), or that of the table (None)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Settings:
    """Content of the configuration files; ``columns`` and ``units`` by quantity, others by option."""

    read: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    sigma_percent: Mapping[str, float] = field(default_factory=dict)  # one standard deviation by method
    growth_table: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)  # StatedCondition by name
    budget: tuple[str, tuple[str, ...]] | None = None  # file of the budget, and the keys of its tables
    poses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # positions of joints by pose
    files: tuple[str, ...] = ()  # those read
    robot: Mapping[str, Any] = field(default_factory=dict)
    idle: tuple[str, ...] = ()  # budget entries of each file, which only ``check`` uses
    tanks: Mapping[str, StatedKeys] = field(default_factory=dict)
    envelopes: tuple[StatedKeys, ...] = ()
    styles: Mapping[str, StatedKeys] = field(default_factory=dict)
    identify: Mapping[str, Any] = field(default_factory=dict)  # checked where runs are read

    @property
    def calculator(self) -> str:
        """The custom calculator of the meshes of a robot."""
        return str(self.robot.get("calculator", ""))

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
            hint = nearest_name_hint(pose, self.poses) or f"; write [pose.{pose}] in massprops.toml, or joint=position"
            raise UsageError(f"unknown pose: {pose}{hint} (--q)")
        return self.poses[pose] if pose else ()


def read_settings(table: str, config: ConfigurationChoice = None) -> Settings:
    """Read the configuration of a table, then the file that is named, with priority."""
    if config is False or (config is not None and fspath(config) in ("", "none")):
        return Settings()
    path = _configuration_path(table) if table not in ("", "-") else ""
    if not path and config is None:
        return Settings()
    from massprops_cli.bom.configuration_file import configuration_parts, read_configuration_file

    found = read_configuration_file(path) if path else None
    files = [] if found is None else [found]
    if config is not None:
        files.append(read_configuration_file(fspath(config)))
    parts = []
    for file in files:
        own = [part for part in configuration_parts(file) if _applies_to(part, table)]
        is_named = config is not None and Path(config).resolve() == Path(file.path).resolve()
        if file is found and not is_named:
            # reject caps in a file that was found: a table that comes with its own file cannot raise the limits
            for part in own:
                if part.tables["read"].get("cap"):
                    remedy = "pass it on the command line, set MASSPROPS_MAX_…, or name the file with --config"
                    raise part.fault("read", "cap", f"{{}} is not accepted in a file found near the table; {remedy}")
        # that for all tables, patterns, names
        parts += sorted(own, key=lambda one: 0 if not one.at else 1 if any(mark in one.at[-1] for mark in "*?[") else 2)
    used = next((part for part in reversed(parts) if part.tables.get("budget")), None)  # others are overridden
    idle = [_budget_words([used] if used is not None and used.file is file else []) for file in files]
    return _merged_settings(parts, files, idle)


def _configuration_path(table: str) -> str:
    """Return the path of the configuration file of a table; empty without one."""
    own = Path(table).parent
    whole = Path(os.path.abspath(own))  # noqa: PTH100  (a link to a folder belongs where the link is)
    found: Path | None = None
    for folder in (whole, *whole.parents):
        path = _configuration_path_in(folder)
        found = found or path
        if found is not None and folder == whole:
            return str(own / found.name)
        if os.path.exists(folder / ".git") or (path is not None and _is_root_file(path)):  # noqa: PTH110  (Path raises, as below)
            if found is None:
                return ""
            return str(found) if own.is_absolute() else os.path.relpath(found)
    return ""


def _configuration_path_in(folder: Path) -> Path | None:
    """Return the configuration file in a folder; folders that may not be read have none."""
    path = folder / CONFIGURATION_NAME
    if os.path.isfile(path):  # noqa: PTH113  (Path raises where a folder may not be entered)
        return path
    project = folder / _PROJECT_NAME
    try:
        return project if _PROJECT_HEAD.search(project.read_text(encoding="utf-8-sig")) else None
    except (OSError, UnicodeDecodeError):
        return None


def _is_root_file(path: Path) -> bool:
    """Return whether a file ends the search; one that is not valid does not."""
    from massprops_cli.bom.configuration_file import read_configuration_file

    try:
        return read_configuration_file(str(path)).tables.get("root") is True
    except ConfigError:
        return False


def _applies_to(part: ConfigurationPart, table: str) -> bool:
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


def _budget_words(parts: list[ConfigurationPart]) -> str:
    """Count the budget entries of the parts of a file."""
    from massprops_cli.bom.configuration_file import BUDGET_TABLES

    counts = {name: sum(len(part.tables.get(name, ())) for part in parts) for name in BUDGET_TABLES[:3]}
    return ", ".join(f"{count} [[{name}]]" for name, count in counts.items() if count)


def _merged_settings(parts: list[ConfigurationPart], files: list[ConfigurationFile], idle: list[str]) -> Settings:
    """Merge parts in the order of priority, the last one first."""
    names = (
        "read", "columns", "units", "sigma-percent", "report", "condition", "pose", "robot", "tank", "style",
        "identify",
    )  # fmt: skip
    merged: dict[str, dict[str, Any]] = {name: {} for name in names}
    growth, budget, envelopes = "", None, ()
    for part in parts:
        for name in names:
            # a table of a part; its files are in the folder of the configuration
            table = dict(part.tables.get(name, {}))
            for key in {"read": ("materials", "link-sigmas"), "report": ("logo", "history")}.get(name, ()):
                if isinstance(table.get(key), str) and table[key]:
                    table[key] = str(part.file.folder / table[key])
            merged[name] |= table
        growth = _growth_table_name(part) or growth
        envelopes = part.tables["envelope"] or envelopes
        if any(part.tables.get(name) for name in ("budget", "plan", "pending")):
            budget = (part.file.path, (*part.file.within, *part.at))
    read, columns, units, percent, report, conditions, poses, robot, tanks, styles, identify = merged.values()
    paths = tuple(file.path for file in files)
    named = read, columns, units, percent, growth, report, conditions, budget, poses
    return Settings(*named, paths, robot, tuple(idle), tanks, envelopes, styles, identify)


def _growth_table_name(part: ConfigurationPart) -> str:
    """Find the growth table that a file names: a supplied table, or a file in the same folder."""
    from massprops_cli.bom.items.growth import SHIPPED_TABLES

    if not isinstance((name := part.tables.get("growth", {}).get("table", "")), str):
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
        of_files["delimiter"] = delimiter_character(of_files["delimiter"])
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
