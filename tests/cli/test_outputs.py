"""Which files are written and which are never touched."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import massprops_cli
from docs import make_template

from .conftest import TWO_POINTS, assert_exit


def test_existing_output_is_replaced(run, bom, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("an older file")
    assert run("rollup", bom, "-o", out, "--no-clobber").exit_code == 2
    assert out.read_text() == "an older file"
    assert run("rollup", bom, "-o", out).exit_code == 0
    assert out.read_text().splitlines()[1].startswith("top,,5,")
    adjacent = tmp_path / "bom.rollup.csv"
    adjacent.write_text("a,b\n1,2\n")
    assert_exit(run("rollup", bom, "--no-clobber"), 2, adjacent.name, "file exists")
    assert run("rollup", bom).exit_code == 0
    assert adjacent.read_bytes() == out.read_bytes()


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "options",
    [
        ("rollup", "{bom}", "-o", "{out}.csv"),
        ("rollup", "{bom}", "-o", "{out}.xlsx"),
        ("rollup", "{bom}", "--all-variants", "-o", "{out}.csv"),
        ("convert", "{bom}", "-o", "{out}.json"),
        ("convert", "{bom}", "-o", "{out}.parquet"),
        ("diff", "{bom}", "{bom}", "-o", "{out}.csv"),
        ("contributions", "{bom}", "--mean", "-o", "{out}.csv"),
        ("rollup", "{sigmas}", "--covariance", "{out}.json"),
        ("rollup", "{sigmas}", "--covariance", "{out}.parquet"),
        ("check", "{bom}", "--budget", "{budget}", "--report", "junit={out}.xml"),
    ],
)
def test_same_command_twice(run, bom, tmp_path, sample_data, options):
    (tmp_path / "budget.toml").write_text('[[budget]]\nitem = "top"\nmass-max = "9 kg"\n')
    names = {"bom": bom, "out": tmp_path / "out", "sigmas": tmp_path / "sigmas.csv", "budget": tmp_path / "budget.toml"}
    names["sigmas"].write_bytes((sample_data / "sawe_example.csv").read_bytes())
    if "--all-variants" in options:
        bom.write_text("id,parent,mass [kg],Qty A,Qty B\ntop,,,,\na,top,2,1,2\n")
    call = [text.format(**names) for text in options]
    codes, written = [], []
    for _ in range(2):
        result = run(*call)
        codes.append(result.exit_code)
        written.append(sorted((path.name, path.stat().st_size) for path in tmp_path.glob("out*")))
    assert codes == [0, 0], result.output
    assert written[0] == written[1]
    assert len(written[0]) == 1


def test_force_names_what_replaced_it(run, bom):
    for command in (("rollup", bom), ("convert", bom), ("diff", bom, bom), ("contributions", bom)):
        assert_exit(run(*command, "--force"), 2, "no such option: --force")
    assert "no longer" not in run("validate", bom, "--force").output


def test_outputs_are_checked_before_the_table_is_read(run, bom, tmp_path):
    missing = tmp_path / "missing.csv"  # a table that is read gives exit code 2 and MP101
    for options, words in (
        (("-o", tmp_path / "no" / "out.csv"), "folder does not exist"),
        (("-o", bom / "out.csv"), "parent path is not a folder"),
        (("-o", tmp_path), "output is a folder"),
        (("--covariance", tmp_path / "no" / "out.json"), "folder does not exist"),
        (("--covariance", tmp_path / "out.txt"), "suffix"),
        (("-o", tmp_path / "a.json", "--covariance", tmp_path / "a.json"), "-o and --covariance name the same file"),
        (("-o", missing), "output file is the input file"),
        (("--config", bom, "-o", bom), "file is that of --config"),
    ):
        result = run("rollup", missing, *options)
        assert_exit(result, 2, words)
        assert "MP101" not in result.output
    twice = ("--report", f"junit={tmp_path}/a.xml", "--report", f"md={tmp_path}/a.xml")
    assert_exit(run("check", missing, *twice), 2, "--report names a file twice")
    assert_exit(run("check", missing, "--report", f"junit={tmp_path}/no/a.xml"), 2, "folder does not exist")
    assert_exit(run("validate", missing, "--save-map", tmp_path / "no" / "map.toml"), 2, "folder does not exist")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bom.csv"]


def test_folder_without_permission(run, bom, tmp_path, monkeypatch):
    def denied(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", denied)
    assert_exit(run("rollup", bom), 2, "cannot write into the folder of", "permission denied", "-o")
    assert_exit(run("rollup", bom, "-o", tmp_path / "out.csv"), 2, "cannot write", "permission denied")


def test_input_is_never_the_output(run, bom, tmp_path):
    (tmp_path / "link.csv").symlink_to(bom)
    for name in (bom, tmp_path / "link.csv", f"{tmp_path}/../{tmp_path.name}/bom.csv"):
        result = run("rollup", bom, "-o", name)
        assert result.exit_code == 2
        assert "--in-place" in result.stderr
        assert bom.read_text() == TWO_POINTS


def test_in_place_keeps_the_input(run, bom, tmp_path):
    result = run("rollup", bom, "--in-place")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "bom.bak.csv").read_text() == TWO_POINTS
    assert bom.read_text().splitlines()[1].startswith("top,,5,")
    assert not (tmp_path / "bom.rollup.csv").exists()


def test_in_place_never_writes_over_a_backup(run, bom, tmp_path):
    def backups():
        return sorted(path.name for path in tmp_path.glob("bom.bak*"))

    assert run("rollup", bom, "--in-place").exit_code == 0
    unchanged = run("rollup", bom, "--in-place")
    assert "the input as it was" not in unchanged.stdout
    assert backups() == ["bom.bak.csv"]
    edited = bom.read_text().replace("a,top,2,", "a,top,4,")
    bom.write_text(edited)
    again = run("rollup", bom, "--in-place")
    assert "bom.bak2.csv" in again.stdout
    assert (tmp_path / "bom.bak.csv").read_text() == TWO_POINTS
    assert (tmp_path / "bom.bak2.csv").read_text() == edited
    bom.write_text(TWO_POINTS)  # a copy of this one is there already
    assert "bom.bak.csv" in run("rollup", bom, "--in-place").stdout
    assert backups() == ["bom.bak.csv", "bom.bak2.csv"]


def test_in_place_rejects_what_cannot_be(run, bom):
    assert_exit(run("rollup", "-", "--from", "csv", "--in-place", input=TWO_POINTS), 2, "--in-place", "standard input")
    assert_exit(run("rollup", bom, "--in-place", "-o", "x.csv"), 2, "--in-place and -o")
    assert_exit(run("rollup", bom, "--in-place", "--no-clobber"), 2, "--in-place and --no-clobber")
    assert_exit(run("rollup", bom, "--in-place", "--to", "json"), 2, "--in-place", "format csv", "--to")


def test_rolling_up_twice_is_once(run, bom, tmp_path):
    run("rollup", bom)
    first = (tmp_path / "bom.rollup.csv").read_bytes()
    assert run("rollup", tmp_path / "bom.rollup.csv", "-o", tmp_path / "again.csv").exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == first


def test_unknown_output_format(run, bom):
    assert_exit(run("rollup", bom, "--to", "docx"), 2, "--to", "docx", "csv, tsv, xlsx")
    assert_exit(run("rollup", bom, "-o", "out.docx"), 2, "suffix is not that of an output format: .docx", "--to")


def test_packed_stays_packed(run, tmp_path):
    path = tmp_path / "bom.csv.gz"
    path.write_bytes(gzip.compress(TWO_POINTS.encode()))
    assert run("rollup", path).exit_code == 0
    assert gzip.decompress((tmp_path / "bom.rollup.csv.gz").read_bytes()).startswith(b"id,parent")


def test_init_twice_gives_the_same_files(run, tmp_path, monkeypatch):
    import time
    import tomllib
    import zipfile

    from massprops_cli.bom.configuration_file import FLAG_KEYS, LIST_KEYS, TEXT_KEYS
    from massprops_cli.bom.settings import read_settings
    from massprops_cli.budgets.file import read_budget
    from massprops_cli.options import option_keys

    assert run("init", tmp_path / "a").exit_code == 0
    later = time.time() + 1e6
    monkeypatch.setattr(time, "time", lambda: later)
    assert run("init", tmp_path / "b").exit_code == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
    with zipfile.ZipFile(tmp_path / "a" / "bom-template.xlsx") as book:
        assert book.read("docProps/core.xml").count(b">2000-01-01T00:00:00Z<") == 2
    # every key of the configuration is there, and is one that is used, once its # is off
    toml = tmp_path / "massprops.toml"
    lines = (tmp_path / "a" / "massprops.toml").read_text().splitlines()
    is_key = [line.startswith("# [") or (line.startswith("# ") and " = " in line) for line in lines]
    toml.write_text("\n".join(line[2:] if key else line for line, key in zip(lines, is_key, strict=True)))
    settings = read_settings(str(tmp_path / "bom.csv"))
    assert set(settings.read) == {*TEXT_KEYS, *LIST_KEYS, *FLAG_KEYS} - {"cap"}  # not in a file that is found
    assert set(settings.report) == {key for kind in ("text", "list", "flag") for key in option_keys(kind, "report")}
    assert set(settings.conditions) == {"dry", "ascent"}
    (entry,) = read_budget(str(toml), within=()).entries
    assert [limit.subject for limit in entry.limits] == ["mass-max", "margin-min", "probability-min"]
    assert tomllib.loads(toml.read_text())["units"]["mass"] == "kg"


def test_init_never_writes_over_a_file(run, tmp_path):
    folder = tmp_path / "new"
    assert run("init", folder).exit_code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["bom-template.csv", "bom-template.xlsx", "massprops.toml"]
    # frame 12, four wheels of 1.5 and a battery of 6 kg; allowances of 5 % of 12 and 15 % of 6 kg
    for name in names[:2]:
        result = run("rollup", folder / name, "--fail-on", "warning")
        assert result.exit_code == 0, result.output
        assert "0 errors, 0 warnings" in result.output
        assert "mass          24.00" in result.output
        assert "basic mass 24 + growth allowance 1.5 (6.2 %) = predicted mass 25.5 kg" in result.output
    (folder / "bom-template.csv").unlink()
    (folder / "massprops.toml").write_text("# mine")
    assert_exit(run("init", folder), 2, "bom-template.xlsx", "exists")
    assert not (folder / "bom-template.csv").exists()
    assert (folder / "massprops.toml").read_text() == "# mine"


def test_configuration_next_to_the_table(run, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("Part,Above,W\ntop,,\na,top,2\n")
    (tmp_path / "massprops.toml").write_text('[columns]\nid = "Part"\nparent = "Above"\nmass = "W"\n')
    assert run("validate", path).exit_code == 0
    (tmp_path / "massprops.toml").write_text('[colums]\nid = "Part"\n')
    rejected = run("validate", path)
    assert rejected.exit_code == 2
    assert "columns" in rejected.stderr
    assert "MP902" in rejected.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[columns]\nmas = "W"\n', ("columns.mas", "nearest is mass")),
        ('[read]\nlayout = "parnt"\n', ("read.layout", "parnt", "nearest is parent")),
        ('[read]\npoi = "x"\n', ("read.poi", "expected one of +, -")),
        ('[read]\nassembly-values = "chek"\n', ("read.assembly-values", "nearest is check")),
        ('[read]\nallow-missing = ["mass", "sigm"]\n', ("invalid read.allow-missing: sigm", "nearest is sigma")),
        ('[read]\nfrom = "parqet"\n', ("read.from", "nearest is parquet")),
        ('[read]\nencoding = "cp12522"\n', ("read.encoding", "cp12522")),
        ('[read]\nunits = "SJ"\n', ("read.units", "SJ")),
        ('[units]\nmas = "kg"\n', ("units.mas", "nearest is mass")),
        ('[units]\nmass = "kgs2"\n', ("units.mass", "kgs2", "nearest is kg")),
    ],
)
def test_configuration_that_states_what_is_not_there(run, bom, text, words):
    file = bom.with_name("massprops.toml")
    file.write_text(text)
    rejected = run("validate", bom)
    assert rejected.exit_code == 2, rejected.output
    for word in (str(file), *words):
        assert word in rejected.stderr, rejected.stderr


def test_configuration_with_every_kind_of_word(run, bom):
    bom.with_name("massprops.toml").write_text(
        '[read]\nlayout = "parent"\nfrom = "CSV"\nallow-missing = "mass, sigma"\nencoding = "utf-8"\n'
        '[columns]\nid = "id"\n[units]\nlength = "m"\ninertia = "kg*m^2"\nmass = "kg"\n'
    )
    assert run("validate", bom).exit_code == 0


def test_convert_to_a_layout(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\nb,a,1.50\n")
    result = run("convert", path, "--to-layout", "level")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == ["id,level,mass", "top,0,", "a,1,2", "b,2,1.50"]


def test_templates_are_those_that_their_maker_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(make_template, "TEMPLATES", tmp_path)
    make_template.main()
    names = ("bom-template.csv", "bom-template.xlsx")
    packaged = Path(massprops_cli.__file__).parent / "cli" / "templates"
    assert [(tmp_path / name).read_bytes() == (packaged / name).read_bytes() for name in names] == [True, True]


@pytest.mark.parametrize("limit", [1, 2, 4, 8])
def test_init_leaves_no_file_cut_short(tmp_path, limit):
    """Files may have ``limit`` KiB; the workbook needs more than 8. Compiled modules (-B) would be cut short too."""
    folder = tmp_path / "new"
    command = f'ulimit -f {limit}; exec "{sys.executable}" -B -m massprops_cli init "{folder}"'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "File too large" in done.stderr
    assert list(folder.iterdir()) == []


MODES = [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o444, 0o644), (0o604, 0o604)]


@pytest.mark.parametrize(("mode", "made"), MODES)
def test_outputs_are_as_private_as_the_table(run, bom, tmp_path, mode, made):
    bom.chmod(mode)
    mask = os.umask(0o022)
    try:
        codes = [
            run("rollup", bom).exit_code,
            run("rollup", bom, "-o", tmp_path / "new.json").exit_code,
            run("convert", bom, "-o", tmp_path / "new.tsv").exit_code,
            run("partition", bom, "--into", "2", "-o", tmp_path / "parts").exit_code,
        ]
        assert os.umask(mask) == 0o022
    finally:
        os.umask(mask)
    assert codes == [0, 0, 0, 0]
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != bom]
    assert len(files) >= 4
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {oct(made)}
