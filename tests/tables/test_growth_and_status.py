"""Growth of assemblies, blank growth, rows of margins, rows that do not count: what lists come to, added up by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp


def predicted(folder: Path, rows: str, name: str = "list.csv", **options: object) -> tuple[float | None, set[str]]:
    """Return the predicted mass of a list, rows separated by ``/``, and the codes of its errors; None if not known."""
    path = folder / name
    path.write_text("\n".join(rows.split("/")) + "\n", encoding="utf-8")
    try:
        result = mp.rollup(path, **options)  # type: ignore[arg-type]
    except (mp.FindingsError, mp.TableError) as error:
        return None, {one.rule for one in error.findings if one.severity.value == "error"}
    errors = {one.rule for one in result.findings if one.severity.value == "error"}
    of_growth, root = result.predicted, result.root_item
    if of_growth is None or not of_growth.coverage.mass_is_whole[root]:
        return None, errors
    return float(of_growth.bodies.mass[root]), errors


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Level,Item,Mass (kg),Growth %/0,Sat,50,20/1,Bus,30,/1,Cam,20,", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,30,-/1,Cam,20,-", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,0/1,Bus,30,/1,Cam,20,", 50),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12/1,Bus,30,10/1,Cam,20,15", 56),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,/1,Bus,,10/2,Box,30,/1,Cam,,20/2,Lens,20,", 57),
        ("Level,Item,Qty,Mass (kg),Growth %/0,Sat,1,,/1,Bus,2,,10/2,Box,3,5,/1,Cam,1,20,20", 57),
        ("Level,Item,Mass (kg),Growth (kg)/0,Sat,,10/1,Bus,30,/1,Cam,20,", 60),
        ("Level,Item,Mass (kg),Growth %,Predicted (kg)/0,Sat,20,10,22/1,Bus,9,,9.9/1,Cam,11,,12.1", 22),
        ("id,parent,mass [kg],mga [%]/S,,,20/A,S,30,/B,S,20,", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12.3/1,Bus,30,10.1/1,Cam,20,15.6", 56.15),  # 12.3 within rounding
    ],
)
def test_growth_of_an_assembly_is_that_of_parts_that_state_none(rows: str, mass: float, tmp_path: Path) -> None:
    assert predicted(tmp_path, rows) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "masses"),
    [
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,50,0", ("60 kg", "50 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,10/1,Bus,100,5/1,Cam,50,20", ("165 kg", "165 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,30,10/1,Cam,20,", ("60 kg", "57 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12/1,Bus,,10/2,Box,30,/1,Cam,20,20", ("56 kg", "57 kg")),
        ("id,parent,mass [g],mga [%]/S,,,20/A,S,30,10/B,S,20,10", ("60 g", "55 g")),
    ],
)
def test_growth_of_an_assembly_that_differs_stops(rows: str, masses: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    found = [one for one in mp.read_bom(path).findings if one.rule == "MP627"]
    assert bool(found) == (masses[0] != masses[1])
    assert all(text in found[0].message for text in masses if found)


def test_growth_of_the_parts_is_used_where_that_of_assemblies_is_ignored(tmp_path: Path) -> None:
    rows = "Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,50,0"
    assert predicted(tmp_path, rows, assembly_values="ignore") == (50, set())


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,25", 57.5),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,-,27", 59.5),
        ("Item,Mass (kg),Growth (%),Growth (kg)/A,10,5,0.5/B,20,10,2/C,25,,5", 62.5),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,", None),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,24", None),
    ],
)
def test_blank_growth_is_that_of_the_predicted_mass(rows: str, mass: float | None, tmp_path: Path) -> None:
    assert predicted(tmp_path, rows) == (None if mass is None else pytest.approx(mass), set())
