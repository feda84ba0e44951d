"""The sections of the traps show what is so: every trap has one, with commands and pictures of today."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.cli.app import _load_command
from massprops_cli.cli.command import COMMAND_NAMES
from massprops_cli.findings.catalogue import RULES
from tests.tables.manifest import CASES, TRAP_FILES, name_of

ROOT = Path(__file__).parents[2]
PAGE, PICTURES = ROOT / "docs" / "traps.md", ROOT / "docs" / "traps"
TRAPS: dict[str, dict[str, Any]] = tomllib.loads((PICTURES / "traps.toml").read_text(encoding="utf-8"))
NAMES = {name_of(case).removeprefix("traps/") for case in CASES}


@pytest.fixture
def make_traps(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("make_traps")


def test_every_trap_has_a_section() -> None:
    printed = {name for facts in TRAPS.values() for name in facts["traps"]}
    assert printed == {name for case in CASES for name in case.get("traps", ())}


def test_page_is_up_to_date_and_every_picture_is_shown(make_traps: Any) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert make_traps.page() == page, "run make traps"
    shown = sorted(re.findall(r"\(traps/(\w+\.svg)\)", page))
    assert shown == sorted(f"{trap}_{kind}.svg" for trap in TRAPS for kind in ("sheet", "answer"))
    assert shown == sorted(path.name for path in PICTURES.glob("*.svg"))
    groups = [facts["group"] for facts in TRAPS.values()]
    assert len([group for group, before in zip(groups, ["", *groups], strict=False) if group != before]) == len(
        {*groups}
    )


def test_texts_are_short_and_name_what_exists() -> None:
    known = {
        option for command in COMMAND_NAMES for parameter in _load_command(command).params for option in parameter.opts
    }
    for trap, facts in TRAPS.items():
        assert 8 <= len(facts["text"].split()) <= 80, trap
        assert set(re.findall(r"MP\d{3}", facts["text"])) <= RULES.keys(), trap
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", facts["text"])) <= known, trap


@pytest.mark.parametrize("trap", TRAPS)
def test_commands_that_are_not_in_the_manifest_succeed(
    trap: str, make_traps: Any, massprops: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TRAP_FILES / TRAPS[trap]["file"], tmp_path)
    for command in make_traps.commands_of(trap):
        arguments = shlex.split(command)[1:]
        case = " ".join(arguments[1:]).removesuffix(" --format full")
        assert case in NAMES or massprops(*arguments).exit_code == 0, command


@pytest.mark.spread(4)
@pytest.mark.parametrize("trap", TRAPS)
def test_picture_of_the_sheet_is_of_its_file(trap: str, make_traps: Any) -> None:
    drawn = (PICTURES / f"{trap}_sheet.svg").read_text(encoding="utf-8")
    assert make_traps.sheet_of(trap) == drawn, "run make traps, and look at the pictures"


@pytest.mark.spread(3, keep=("truth_texts",))
@pytest.mark.parametrize("trap", TRAPS)
def test_picture_of_the_answer_states_what_the_tool_prints(trap: str, make_traps: Any) -> None:
    drawn = (PICTURES / f"{trap}_answer.svg").read_text(encoding="utf-8")
    text_in = importlib.import_module("pictures.terminal").text_in
    assert text_in(make_traps.answer_of(trap)) == text_in(drawn), "run make traps, and read the pictures"
