"""The library under the name of its distribution: ``import massprops``."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import massprops as mp
import massprops_cli
from massprops_cli._front import VERSION

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "pandas", "pyarrow", "networkx", "openpyxl", "lxml", "pint", "typing")


def run_python(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, env=environment, check=True
    )
    return done.stdout


def test_names_are_those_of_the_package() -> None:
    assert dir(mp) == dir(massprops_cli)
    assert mp.__all__ == massprops_cli.__all__  # type: ignore[attr-defined] # made when it is read
    assert all(getattr(mp, name) is getattr(massprops_cli, name) for name in dir(mp))
    assert mp.__version__ == massprops_cli.__version__ == VERSION


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'massprops' has no attribute 'rolup'"):
        mp.rolup  # type: ignore[attr-defined] # noqa: B018 - wrong on purpose


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, massprops; print(sorted(set(sys.modules) & {set(HEAVY)!r}))"
    assert run_python("-S", "-c", code) == "[]\n"


def test_module_runs_the_command() -> None:
    assert run_python("-m", "massprops", "--version") == f"massprops {VERSION}\n"
    assert run_python("-m", "massprops", "rules", "MP403").startswith("# MP403 ")


@pytest.mark.slow
def test_types_are_those_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is in the extra dev")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    file = tmp_path / "example.py"
    file.write_text(
        "import massprops as mp\n"
        "from massprops import Body, rollup\n"
        "result: mp.Result = rollup('bom.csv')\n"
        "body: Body = result.root\n"
        "reveal_type(mp.__version__)\n"
        "mp.rolup\n"
    )
    words = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}", str(file)]
    printed, _, _ = api.run(words)
    assert [line.partition(": ")[2] for line in printed.splitlines()[:-1]] == [
        'note: Revealed type is "str"',
        'error: Module has no attribute "rolup"; maybe "rollup"?  [attr-defined]',
    ]


def test_both_packages_are_installed_with_their_types() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert "massprops" in tools["setuptools"]["packages"]["find"]["include"]
    assert {"py.typed", "*.pyi"} <= set(tools["setuptools"]["package-data"]["massprops"])
    assert (ROOT / "massprops" / "py.typed").exists()
