"""The package as it is built: metadata that agree with the files, readme, man pages, completion, equal archives."""

from __future__ import annotations

import hashlib
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from docs.make_man import roff, shared_files
from massprops_cli._front import VERSION
from massprops_cli.cli.command import COMMAND_NAMES, command_record
from massprops_cli.cli.commands.help import help_pages
from tests.warm import warm_words

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
REPOSITORY = "https://example.org/owner/massprops"


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    """The names of setup.py, without a build."""
    pytest.importorskip("setuptools")
    return runpy.run_path(str(ROOT / "setup.py"))


def cited(key: str) -> str:
    (value,) = re.findall(rf"(?m)^{key}: (.+)$", CITATION)
    return str(value)


def test_citation_states_what_the_package_states() -> None:
    assert cited("cff-version") == "1.2.0"
    assert (cited("title"), cited("version"), cited("license")) == (PROJECT["name"], VERSION, PROJECT["license"])
    assert re.findall(r"(?m)^  - name: (.+)$", CITATION) == [one["name"] for one in PROJECT["authors"]]
    listed = CITATION.partition("\nkeywords:\n")[2]
    assert set(re.findall(r"(?m)^  - (.+)$", listed)) <= set(PROJECT["keywords"])


def test_supported_versions_are_classifiers() -> None:
    lowest = int(PROJECT["requires-python"].removeprefix(">=3."))
    stated = [one.rpartition(".")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert int(min(stated)) == lowest
    assert not [one for one in PROJECT["classifiers"] if one.startswith("License")]  # license is an SPDX expression


def test_links_are_those_of_the_repository(build: dict[str, Any]) -> None:
    """Without a repository in CITATION.cff no host is invented."""
    assert build["links"]("") == {}
    links = build["links"](REPOSITORY)
    assert {"Source", "Issues", "Documentation", "Changelog"} <= set(links)
    assert all(link.startswith(REPOSITORY) for link in links.values())
    pages = [link.removeprefix(f"{REPOSITORY}/blob/v{VERSION}/") for link in links.values() if "/blob/" in link]
    assert pages
    assert all((ROOT / page).is_file() for page in pages)


@pytest.mark.parametrize("repository", ["", REPOSITORY])
def test_readme_of_the_index_has_no_relative_link(build: dict[str, Any], repository: str) -> None:
    original = (ROOT / "README.md").read_text("utf-8")
    readme = build["index_readme"](original, repository)
    targets = re.findall(r"\]\(([^)]+)\)", readme)
    assert all(target.startswith("https://") for target in targets)
    assert len(targets) == (len(re.findall(r"\]\(([^)]+)\)", original)) if repository else 0)
    for target in targets:
        assert (ROOT / target.split(f"v{VERSION}/")[1]).exists()
    assert [line for line in readme.splitlines() if line.startswith("#")] == [
        line for line in original.splitlines() if line.startswith("#")
    ]


@pytest.mark.parametrize(
    ("tag", "changed", "fault"),
    [
        ("v9.9", {}, "the tag is v9.9"),
        (f"v{VERSION}", {"repository-code: .*\n": ""}, "write the line repository-code: https://example.org/owner"),
        (f"v{VERSION}", {"version: .*\n": "version: 0.0\n"}, "states the version 0.0"),
        (f"v{VERSION}", {}, ""),
    ],
)
def test_state_of_a_release(tag: str, changed: dict[str, str], fault: str, tmp_path: Path) -> None:
    faults = runpy.run_path(str(ROOT / ".ci" / "release_state.py"))["faults"]
    (tmp_path / "massprops_cli").mkdir()
    shutil.copy(ROOT / "massprops_cli" / "_front.py", tmp_path / "massprops_cli")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {VERSION} (2026-12-01)\n", "utf-8")
    text = f"{CITATION}repository-code: {REPOSITORY}\n"
    for pattern, new in changed.items():
        text = re.sub(rf"(?m)^{pattern}", new, text)
    (tmp_path / "CITATION.cff").write_text(text, "utf-8")
    found = list(faults(tmp_path, tag, REPOSITORY))
    assert bool(found) == bool(fault)
    assert fault in "\n".join(found)


def test_every_command_has_a_man_page_with_every_option() -> None:
    files = shared_files()
    for name in COMMAND_NAMES:
        page = files[f"share/man/man1/massprops-{name.replace(' ', '-')}.1"]
        record = command_record(name)
        for option in (one for one in record.options if one.panel):
            spelling = roff(option.name) if option.is_setting else roff(f"--{option.name}")
            assert rf"\fB{spelling}" in page, f"{name}: {option.name}"
        assert all(roff(f"massprops {name} {call}".rstrip()) in page for call in record.examples)
        assert rf"massprops\-{roff(name.replace(' ', '-'))}" in files["share/man/man1/massprops.1"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_man_pages_have_no_warning() -> None:
    pages = [text for name, text in shared_files().items() if name.endswith(".1")]
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8"], input="".join(pages).encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    shown = re.sub(r"\x1b\[\d+m|.\x08", "", done.stdout.decode())
    assert len(re.findall(r"(?m)^EXIT STATUS$", shown)) == len(pages)


def test_scripts_of_the_wheel_request_what_the_command_prints() -> None:
    """The scripts call the protocol of ``--show-completion``, whose texts Typer has."""
    from typer.completion import get_completion_script

    files = shared_files()
    for shell, name in (
        ("bash", "bash-completion/completions/massprops"),
        ("zsh", "zsh/site-functions/_massprops"),
        ("fish", "fish/vendor_completions.d/massprops.fish"),
    ):
        printed = get_completion_script(prog_name="massprops", complete_var="_MASSPROPS_COMPLETE", shell=shell)
        ours, theirs = (set(re.findall(r"\b_\w+=\S+|\bCOMP_\w+=", text)) for text in (files[f"share/{name}"], printed))
        assert ours == theirs


def test_bash_script_completes(tmp_path: Path) -> None:
    (tmp_path / "massprops").write_text(f'#!/bin/sh\nexec {warm_words()} "$@"\n', "utf-8")
    (tmp_path / "massprops").chmod(0o755)
    (tmp_path / "script").write_text(shared_files()["share/bash-completion/completions/massprops"], "utf-8")
    calls = (
        "source ./script; PATH=.:$PATH; COMP_WORDS=(massprops val); COMP_CWORD=1; _massprops_completion massprops; "
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", calls], cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["validate"]


def test_archives_do_not_depend_on_the_time(build: dict[str, Any], tmp_path: Path, monkeypatch: Any) -> None:
    """Two folders with the same files, made in another order at other times with other modes."""
    from setuptools.dist import Distribution

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    sums = set()
    for number, names in enumerate((["b.txt", "a.txt", "run"], ["run", "a.txt", "b.txt"])):
        folder = tmp_path / str(number) / "massprops-1"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(name)
            (folder / name).chmod((0o755, 0o700)[number] if name == "run" else (0o644, 0o600)[number])
        command = build["EqualArchive"](Distribution())
        archive = Path(command.make_archive(str(tmp_path / f"out{number}"), "gztar", str(folder.parent), "massprops-1"))
        sums.add(hashlib.sha256(archive.read_bytes()).hexdigest())
        with tarfile.open(archive) as tar:
            assert [(one.name, one.mode) for one in tar] == [
                ("massprops-1/a.txt", 0o644), ("massprops-1/b.txt", 0o644), ("massprops-1/run", 0o755),
            ]  # fmt: skip
    assert len(sums) == 1


@pytest.mark.slow
def test_source_archive_and_wheel(tmp_path: Path) -> None:
    """The archive has all that a clone has, and the wheel built from it has the shared files and no tests."""
    pytest.importorskip("setuptools", minversion="77")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    code = "from setuptools.build_meta import build_sdist; import sys; build_sdist(sys.argv[1])"
    source = tmp_path / "source"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, tracked.split("\0")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=source, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        packed = {name.partition("/")[2] for name in tar.getnames()}
    assert {name for name in tracked.split("\0") if name} - packed == set()
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(archive)],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        metadata = message_from_bytes(file.read(f"massprops-{VERSION}.dist-info/METADATA"))
    data = f"massprops-{VERSION}.data/data/"
    assert {name.removeprefix(data) for name in names if name.startswith(data)} == set(shared_files())
    assert {name.split("/")[0] for name in names} == {
        "massprops", "massprops_cli", f"massprops-{VERSION}.data", f"massprops-{VERSION}.dist-info",
    }  # fmt: skip
    pages = {name.removeprefix("massprops_cli/pages/").removesuffix(".md") for name in names if "/pages/" in name}
    assert {one for one in pages if "findings" not in one} == set(help_pages())
    assert metadata["License-Expression"] == "MIT"
    assert str(metadata.get_payload()).startswith("# massprops\n")
