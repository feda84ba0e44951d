"""Where the cases of a rule come from: the blocks of its page, the files of its folder, and the builders."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from massprops_cli.findings.catalogue import RULES

from . import (
    build_ballast,
    build_budgets,
    build_conditions,
    build_diffs,
    build_frames,
    build_identifications,
    build_mechanisms,
    build_meshes,
    build_partitions,
    build_reconciliations,
    build_robot_geometry,
    build_robots,
    build_styles,
    build_tanks,
    build_trends,
    build_verifications,
    build_workbooks,
)

PAGES = Path(__file__).parents[2] / "massprops_cli" / "findings" / "pages"
FIXTURES = Path(__file__).parent / "fixtures"
SECTIONS = {"bad": "Example", "good": "Corrected"}
BUILDERS = (
    build_workbooks,
    build_ballast,
    build_budgets,
    build_conditions,
    build_diffs,
    build_frames,
    build_identifications,
    build_mechanisms,
    build_meshes,
    build_partitions,
    build_reconciliations,
    build_robot_geometry,
    build_robots,
    build_styles,
    build_tanks,
    build_verifications,
    build_trends,
)
"""Modules that put their builders into BAD and GOOD."""
BUILT = ("bad", build_workbooks.BAD), ("good", build_workbooks.GOOD)


@dataclass(frozen=True)
class Case:
    """A command line that must report a rule (``bad``) or must not (``good``)."""

    code: str
    kind: str
    origin: str
    source: object

    def __str__(self) -> str:
        return f"{self.code}-{self.kind}-{self.origin}"

    def arguments(self, folder: Path) -> list[str]:
        """Make the files in a folder and give the command line."""
        if isinstance(self.source, tuple):
            options, table = self.source
            path = folder / ("table.xml" if table.startswith("<") else "table.csv")
            path.write_text(table, encoding="utf-8")
            return ["validate", str(path), "--format", "json", *options]
        if isinstance(self.source, Path):
            stated = self.source.with_name("options.json")
            options = json.loads(stated.read_text()).get(self.source.name, []) if stated.exists() else []
            path = shutil.copy(self.source, folder / f"table{self.source.suffix}")
            return ["validate", str(path), "--format", "json", *options]
        assert callable(self.source)
        made = self.source(folder)
        assert isinstance(made, list)
        return made


def section(page: str, title: str) -> str:
    """Give the text of one section of a page."""
    found = re.search(rf"\*\*{title}\*\*\n\n(.*?)(?=\n\n\*\*|\Z)", page, re.DOTALL)
    return found.group(1) if found else ""


def page_cases(code: str) -> list[Case]:
    """Give the blocks of csv and XML of a rule's page."""
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8") if (PAGES / f"{code}.md").exists() else ""
    return [
        Case(code, kind, "page", (tuple(shlex.split(options)), table))
        for kind, title in SECTIONS.items()
        for options, table in re.findall(r"```(?:csv|xml)([^\n]*)\n(.*?)```", section(page, title), re.DOTALL)
    ]


def folder_cases(code: str) -> list[Case]:
    """Give the files of a rule's folder."""
    folder = FIXTURES / f"{code}-{RULES[code].name}"
    return [Case(code, kind, path.stem, path) for kind in SECTIONS for path in sorted(folder.glob(f"{kind}*.*"))]


def built_cases(code: str) -> list[Case]:
    """Give the builders of a rule."""
    return [
        Case(code, kind, builder.__name__, builder) for kind, builders in BUILT for builder in builders.get(code, [])
    ]


def cases_of(code: str) -> list[Case]:
    """Give every case of one rule."""
    return page_cases(code) + folder_cases(code) + built_cases(code)


ALL = [case for code in RULES for case in cases_of(code)]
