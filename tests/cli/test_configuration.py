"""Where the configuration of a table is looked for, what has priority, and that the library reads the same."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

import massprops_cli as mp
from massprops_cli.bom.settings import _configuration_path, read_settings

ROWS = "id,parent,qty,Load,Mass\nR,,,,\nA,R,2,10,1\nB,R,1,5,2\n"
"""Mass × quantity: 2·1 + 2 = 4; with the column Load 2·10 + 5 = 25, read as row totals 15."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with .git, and the table two folders below."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "bom.csv").write_text(ROWS)
    return tmp_path


def root_mass(path: Path, **options: object) -> float:
    return float(mp.rollup(mp.read_bom(path, **options)).root.mass)  # type: ignore[arg-type] # options are keywords


def printed_mass(run, path, *options) -> float:
    result = run("rollup", path, "--format", "json", "-o", path.parent / "out.csv", *options)
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)["items"][0]["mass"]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


LINE = '[read]\nmass-is = "line"\n[columns]\nmass = "Load"\n'
LOAD = '[columns]\nmass = "Load"\n'


def test_folders_above_count_up_to_a_repository(run, project):
    table = project / "a" / "b" / "bom.csv"
    assert (root_mass(table), printed_mass(run, table)) == (4, 4)
    write(project / "massprops.toml", LINE)
    assert (root_mass(table), printed_mass(run, table)) == (15, 15)
    write(project / "a" / "massprops.toml", LOAD)  # the nearest one, alone
    assert (root_mass(table), printed_mass(run, table)) == (25, 25)
    (project / "a" / ".git").mkdir()
    (project / "a" / "massprops.toml").unlink()
    assert (root_mass(table), printed_mass(run, table)) == (4, 4)


def test_without_a_project_only_the_own_folder_counts(tmp_path, monkeypatch):
    monkeypatch.setattr("os.path.exists", lambda path: False)  # whatever is above the temporary folder
    folder = tmp_path / "a"
    folder.mkdir()
    write(tmp_path / "massprops.toml", LINE)
    assert not _configuration_path(str(folder / "bom.csv"))
    write(tmp_path / "massprops.toml", "root = true\n" + LINE)
    assert _configuration_path(str(folder / "bom.csv")) == str(tmp_path / "massprops.toml")
    write(folder / "massprops.toml", LOAD)
    assert _configuration_path(str(folder / "bom.csv")) == str(folder / "massprops.toml")


def test_pyproject_after_massprops(project):
    table = project / "a" / "b" / "bom.csv"
    write(project / "pyproject.toml", "[project]\nname = 'x'\n[tool.massprops.columns]\nmass = 'Load'\n")
    assert root_mass(table) == 25
    write(project / "massprops.toml", LINE)
    assert root_mass(table) == 15
    write(project / "a" / "b" / "pyproject.toml", "[project]\nname = 'x'\n")  # without its table it does not count
    assert root_mass(table) == 15
    write(project / "a" / "b" / "pyproject.toml", "[tool.massprops.colums]\nmass = 'Load'\n")
    with pytest.raises(mp.ConfigError, match=r"pyproject\.toml:1: unknown key: colums; the nearest is columns"):
        mp.read_bom(table)


def test_order_of_priority(run, project):
    """Command line, --config FILE, [file], the rest."""
    table = project / "a" / "b" / "bom.csv"
    toml = table.with_name("massprops.toml")
    own = write(project / "own.toml", "[columns]\nmass = 'Load'\n[read]\nmass-is = 'line'\n")
    write(toml, "[columns]\nmass = 'Nothing'\n[file.'b*.csv'.columns]\nmass = 'Mass'\n")
    assert (root_mass(table), printed_mass(run, table)) == (4, 4)
    write(toml, toml.read_text() + "[file.'bom.csv'.columns]\nmass = 'Load'\n")  # a name before a pattern
    assert (root_mass(table), printed_mass(run, table)) == (25, 25)
    write(toml, "[file.'bom.csv'.columns]\nmass = 'Load'\n[file.'b*.csv'.columns]\nmass = 'Mass'\n")
    assert root_mass(table) == 25  # in any order
    assert (root_mass(table, config=own), printed_mass(run, table, "--config", own)) == (15, 15)
    both = root_mass(table, config=own, map={"mass": "Mass"}, mass_is="each")
    assert (both, printed_mass(run, table, "--config", own, "--map", "mass=Mass", "--mass-is", "each")) == (4, 4)
    write(toml, "[file.'c*.csv'.columns]\nmass = 'Load'\n")  # another table
    assert root_mass(table) == 4


def test_patterns_have_paths_from_the_file(project):
    table = project / "a" / "b" / "bom.csv"
    write(project / "massprops.toml", "[file.'a/*/*.csv'.columns]\nmass = 'Load'\n")
    assert root_mass(table) == 25
    write(project / "massprops.toml", "[file.'b/*.csv'.columns]\nmass = 'Load'\n")
    assert root_mass(table) == 4


def test_none_can_be_requested(run, project):
    table = project / "a" / "b" / "bom.csv"
    write(table.with_name("massprops.toml"), LINE)
    assert root_mass(table, config=False) == root_mass(table, config="") == root_mass(table, config="none") == 4
    assert printed_mass(run, table, "--config", "none") == 4
    with pytest.raises(mp.UsageError, match="config is not a path or False: True"):
        mp.read_bom(table, config=True)  # type: ignore[arg-type] # the fault that is tested # options are keywords


def test_streams_and_records_have_none_of_their_own(run, project, monkeypatch):
    import pandas as pd

    monkeypatch.chdir(project)
    toml = write(project / "massprops.toml", LOAD)
    read = mp.read_bom("-", stdin=io.BytesIO(ROWS.encode()), format="csv")
    assert mp.rollup(read).root.mass == 4
    assert mp.rollup(mp.read_bom("-", stdin=io.BytesIO(ROWS.encode()), format="csv", config=toml)).root.mass == 25
    frame = pd.read_csv(io.StringIO(ROWS))
    assert mp.rollup(mp.Bom.from_dataframe(frame)).root.mass == 4
    assert mp.rollup(mp.Bom.from_dataframe(frame, config=toml)).root.mass == 25
    assert mp.rollup(mp.Bom.from_records(frame.to_dict("records"), config=toml)).root.mass == 25
    result = run("rollup", "-", "--from", "csv", "--format", "json", "-o", "out.csv", input=ROWS)
    assert json.loads(result.stdout)["items"][0]["mass"] == 4
    result = run("rollup", "-", "--from", "csv", "--format", "json", "-o", "out.csv", "--config", toml, input=ROWS)
    assert json.loads(result.stdout)["items"][0]["mass"] == 25


def test_the_file_is_printed_and_recorded(run, project, monkeypatch):
    monkeypatch.chdir(project / "a")
    result = run("rollup", "b/bom.csv", "-o", "out.csv")
    assert "configuration" not in result.output
    assert "configuration" not in mp.rollup(mp.read_bom("b/bom.csv")).to_dict()
    write(project / "massprops.toml", LOAD)
    result = run("rollup", "b/bom.csv", "-o", "out.csv")
    assert result.stdout.count("configuration") == 1
    assert re.search(r"configuration +\.\./massprops\.toml\n", result.stdout.replace("\\", "/"))
    document = mp.rollup(mp.read_bom("b/bom.csv")).to_dict()
    assert [Path(name) for name in document["configuration"]] == [Path("../massprops.toml")]
    assert json.loads(run("rollup", "b/bom.csv", "-o", "o.csv", "--format", "json").stdout) == document


def test_the_file_is_in_about(run, project):
    import openpyxl

    table = project / "a" / "b" / "bom.csv"
    write(table.with_name("massprops.toml"), LOAD)
    assert run("rollup", table, "-o", project / "out.xlsx").exit_code == 0
    rows = {row[0]: row[1] for row in openpyxl.load_workbook(project / "out.xlsx")["About"].values}
    assert rows["configuration"] == str(table.with_name("massprops.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[read]\nshet = 'BOM'\n", ":2: unknown key: read.shet; the nearest is sheet [MP902 unknown-key]"),
        ("[file.'b*'.read]\n\nshet = 'B'\n", """:3: unknown key: file."b*".read.shet; the nearest is sheet"""),
        ("[file.'b*']\nsheet = 'B'\n", """:2: unknown key: file."b*".sheet (expected one of columns, read"""),
        ("[columns]\nid = 'id'\n[read]\n[columns.mass]\nx = 1\n", ":4: columns.mass is not a text"),
        ("[repot]\n", ":1: unknown key: repot; the nearest is report"),
        ("[report]\nfail-on = 'warn'\n", ":2: invalid report.fail-on: warn; the nearest is warning"),
        ("[report]\nignore = ['MPX']\n", ":2: unknown rule in report.ignore: MPX (expected one of"),
        ("[report]\nverbose = 1\n", ":2: report.verbose is not a truth value: 1 (expected true or false)"),
        ("[condition.dry]\nsett = ['A.mass=1']\n", ":2: unknown key: condition.dry.sett; the nearest is set"),
        ("[condition.dry]\nset = 3\n", ":2: condition.dry.set is not a list of texts: 3"),
        ("condition = 3\n", ":1: condition is not a table; write [condition]"),
        ("root = 1\n", ":1: root is not a truth value (expected true or false)"),
        ("file = 1\n", """:1: file is not a table of tables; write [file."bom.xlsx".read]"""),
        ("read.delimiter = 'xy'\n", ":1: read.delimiter: invalid delimiter: xy"),
        ("[units]\nmass = 'kgg'\n", ":2: units.mass is not a unit of mass: kgg; the nearest is kg"),
        ("[read]\nzzzzz = 1\n", ":2: unknown key: read.zzzzz (expected one of"),
        ("[columns]\nid = 1\n", ":2: columns.id is not a text: 1"),
        ("budget = 3\n", ":1: budget is not a list of tables; write [[budget]]"),
    ],
)
def test_faults_have_their_line(run, project, text, words):
    table = project / "a" / "b" / "bom.csv"
    write(table.with_name("massprops.toml"), text)
    with pytest.raises(mp.ConfigError) as raised:
        mp.read_bom(table)
    assert words in str(raised.value)
    result = run("rollup", table)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


def test_report_options_apply_where_they_are_not_typed(run, project):
    """The unread column Mass is a note, MP271."""
    table = project / "a" / "b" / "bom.csv"
    toml = write(table.with_name("massprops.toml"), LOAD + "[report]\nfail-on = 'note'\n")
    assert run("tree", table).exit_code == 1
    assert run("tree", table, "--fail-on", "error").exit_code == 0  # the default, but typed
    write(toml, LOAD + "[report]\nfail-on = 'note'\nignore = 'MP271'\n")
    assert run("validate", table).exit_code == 0
    assert run("validate", table, "--ignore", "MP5").exit_code == 1
    write(toml, LOAD + "[report]\nformat = 'github'\n")
    assert run("validate", table).stdout.startswith("::notice")
    assert "::" not in run("tree", table).stdout  # which has no such style
    write(toml, LOAD + "[report]\nformat = 'json'\n")
    assert json.loads(run("tree", table).stdout)["items"][0]["mass"] == 25
    assert run("tree", table, "--format", "full").stdout.startswith("item ")


def test_budgets_of_one_file(run, project):
    """R is 4; the limit of all tables is kept, that of this one is broken, with its line."""
    table = project / "a" / "b" / "bom.csv"
    general = '[[budget]]\nitem = "R"\nmass-max = "9 kg"\n'
    toml = write(table.with_name("massprops.toml"), "[units]\nmass = 'kg'\n" + general)
    assert run("check", table).exit_code == 0
    write(toml, toml.read_text() + '[[file.\'*.csv\'.budget]]\nitem = "R"\nmass-max = "3 kg"\n')
    result = run("check", table)
    assert result.exit_code == 1
    assert f"{toml}:8" in result.output.replace("\n", "")
    write(
        toml, "[units]\nmass = 'kg'\n[file.'*.csv'.read]\n[[file.'*.csv'.budget]]\nitem = \"R\"\nmas-max = \"3 kg\"\n"
    )
    assert f"{toml}:6: budget.mas-max is not a known key; the nearest is mass-max" in run("check", table).output
    toml.unlink()
    text = "[tool.massprops.units]\nmass = 'kg'\n[[tool.massprops.budget]]\nitem = 'R'\nmass-max = '3 kg'\n"
    write(table.with_name("pyproject.toml"), text)
    result = run("check", table)
    assert result.exit_code == 1
    assert "pyproject.toml:5" in result.output.replace("\n", "")


def test_library_and_command_line_make_the_same_options(project):
    """Every key of [read], [columns], [units], [sigma-percent] and [growth]."""
    from massprops_cli.bom.bom import read_options_from_keywords
    from massprops_cli.cli.command import InputOptions
    from massprops_cli.cli.stages.table_input import _resolve_file_options, resolve_table_options
    from massprops_cli.options import OPTIONS

    chosen = {
        "table": "2",
        "columns": "id,mass",
        "sheet": "BOM",
        "encoding": "cp1252",
        "delimiter": "tab",
        "units": "SI",
        "inertia-about": "1,2,3",
        "root": "R",
        "make-root": "T",
        "qty-column": "Qty B",
        "sigmas-are": "2",
        "allow-missing": "mass,center",
    }
    table = project / "a" / "b" / "bom.csv"
    toml = table.with_name("massprops.toml")
    rest = "[columns]\nid = 'Part'\n[units]\nmass = 'kg'\n[sigma-percent]\nmeasured = 3\n[growth]\ntable = 'g.csv'\n"
    keys = [one for one in OPTIONS if one.key and one.section == "read"]
    assert len(keys) > 20
    for option in keys:
        value = {"flag": True, "list": ["depth = 9" if option.name == "cap" else "a = 1"]}.get(
            option.key, chosen.get(option.name, (option.words or ("",))[0])
        )
        write(toml, f"[read]\n{option.name} = {json.dumps(value)}\n{rest}")
        config = str(toml) if option.name == "cap" else ""  # a file that is found sets none
        reading = InputOptions(file=str(table), config=config)
        of_command_line = (_resolve_file_options(reading), resolve_table_options(reading))
        of_library = read_options_from_keywords({"config": config or None}, str(table))
        assert of_library == of_command_line, option.name
        assert of_library != read_options_from_keywords({}), option.name


def test_keywords_have_priority(project):
    table = project / "a" / "b" / "bom.csv"
    toml = write(table.with_name("massprops.toml"), "[read]\nstrict = true\n[columns]\nqty = 'Load'\n")
    assert mp.read_bom(table).options.allow_missing == frozenset()
    assert mp.read_bom(table, allow_missing="mass").options.allow_missing == {"mass", "inertia", "sigma"}
    assert mp.read_bom(table, qty_column="qty").options.map == {"qty": "qty"}
    assert mp.inspect(table).to_dict()["configuration"] == [str(toml)]
    assert "configuration" not in mp.inspect(table, config=False).to_dict()


def test_faults_above_the_project_do_not_matter(project):
    (project / "a" / ".git").mkdir()
    write(project / "massprops.toml", "[[[")
    assert read_settings(str(project / "a" / "b" / "bom.csv")).files == ()
    write(project / "a" / "massprops.toml", "[[[")
    with pytest.raises(mp.ConfigError, match="file is not valid TOML"):
        read_settings(str(project / "a" / "b" / "bom.csv"))


SPREADS = "id,parent,mass [kg],sigma_mass [kg],power\nR,,,,\nA,R,3,0.3,2\nB,R,4,0.4,5\n"
"""σ of the mass 7: √(0.3² + 0.4²) = 0.5; sum of power 7."""


def test_report_options_of_results_and_uncertainty(run, project):
    table = write(project / "a" / "b" / "spreads.csv", SPREADS)
    toml = write(
        table.with_name("massprops.toml"),
        "[report]\nsigma-level = 3\nsum = 'power'\nadd = ['radii', 'sigma']\ncorrelate = 'part'\nsamples = 100\n",
    )

    def report(*options: str) -> dict:
        result = run("rollup", table, "--format", "json", "-o", project / "out.csv", *options)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    made = report()
    assert made["sigma_level"] == 3
    assert made["items"][0]["sigma_mass"] == pytest.approx(3 * 0.5, rel=1e-12)
    assert made["shared_errors"]["correlate"] == "part"
    assert "power" in json.dumps(made["columns"])
    assert report("--sigma-level", "1")["items"][0]["sigma_mass"] == pytest.approx(0.5, rel=1e-12)
    # samples are used with Monte Carlo only, and Monte Carlo by rollup only
    write(toml, "[report]\nuncertainty = 'montecarlo'\nsamples = 100\nseed = 7\n")
    assert report()["sampled"]["samples"] == 100
    assert report("--uncertainty", "covariance")["uncertainty"] == "covariance"
    assert run("tree", table).exit_code == 0
    assert run("whatif", table, "--drop", "A").exit_code == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sigma-level = 4", "invalid report.sigma-level: 4 (expected an integer from 1 to 3)"),
        ("samples = 'many'", "invalid report.samples: many (expected an integer from 2)"),
        ("uncertainty = 'montecarl'", "invalid report.uncertainty: montecarl; the nearest is montecarlo"),
        ("add = ['radi']", "invalid report.add: radi; the nearest is radii"),
        ("principal = 1", "report.principal is not a truth value: 1"),
    ],
)
def test_wrong_report_options_are_errors(line, words, run, project):
    table = project / "a" / "b" / "bom.csv"
    write(table.with_name("massprops.toml"), f"[report]\n{line}\n")
    result = run("rollup", table)
    assert result.exit_code == 2
    assert f":2: {words}" in result.output


def test_limits_of_the_part_with_the_highest_priority_are_used_alone(run, project):
    """Mass 4: over 3 of all tables, within 5 of the table; the waiver of another part has no effect."""
    table = project / "a" / "b" / "bom.csv"
    toml = table.with_name("massprops.toml")
    waiver = "item = 'R'\nrule = 'MP601'\nreason = 'test article'\nexpires = 2099-01-01\n"
    low, high = (f"item = 'R'\nmass-max = '{size} kg'\n" for size in (3, 5))
    units = "[units]\nmass = 'kg'\n"
    ignored = "[read]\nignore-column = ['Load']\n"
    write(toml, f"{units}{ignored}[[budget]]\n{low}[[file.'bom.csv'.budget]]\n{high}")
    assert run("check", table).exit_code == 0
    write(toml, f"{units}{ignored}[[waive]]\n{waiver}[[file.'bom.csv'.budget]]\n{low}")
    assert run("check", table).exit_code == 1
    write(toml, f"{units}{ignored}[[file.'bom.csv'.waive]]\n{waiver}[[file.'bom.csv'.budget]]\n{low}")
    assert run("check", table).exit_code == 0
