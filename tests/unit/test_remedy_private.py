"""Worked examples of private functions."""

from __future__ import annotations

import pytest

from massprops_cli.cli.stages.remedy_commands import _extended_words, _hint_options, _joined_choice, _option_values
from massprops_cli.tables.options import _without_replaced


def test_option_values() -> None:
    assert (_option_values(("rollup", "a.csv", "--map", "id=A", "--map", "mass=B", "--poi", "-", "--frozen"))) == (
        {"map": ["id=A", "mass=B"], "poi": "-", "frozen": True}
    )


def test_extended_words() -> None:
    assert (_extended_words(("rollup", "a.csv", "--mass-is=each"), ("--mass-is", "line"))) == (
        ("rollup", "a.csv", "--mass-is", "line")
    )
    assert (_extended_words(("rollup", "a.csv", "--allow-missing", "mass"), ("--allow-missing", "center"))) == (
        ("rollup", "a.csv", "--allow-missing", "mass,center")
    )


@pytest.mark.parametrize("given", [("--map", "id=A", "--map", "mass=B"), ("--map=id=A", "--map=mass=B")])
def test_extended_words_replace_the_column_of_one_quantity(given: tuple[str, ...]) -> None:
    words = _extended_words(("rollup", "a.csv", *given), ("--map", "mass=C"))
    assert " ".join(words).replace("=id", " id") == "rollup a.csv --map id=A --map mass=C"


def test_hint_options() -> None:
    assert (_hint_options("pass --poi + if Ixy is +∫xy dm, --poi - if it is −∫xy dm", "rollup")) == (
        [("--poi", "+"), ("--poi", "-")]
    )
    assert (_hint_options("state them with --unit mass=kg --unit length=mm", "rollup")) == (
        [("--unit", "mass=kg", "--unit", "length=mm")]
    )
    assert (_hint_options("select one with --map, or omit --where", "rollup")) == ([])


def test_joined_choice() -> None:
    assert (sorted(_joined_choice({}, [("--map", "mass=A"), ("--map", "id=B")]))) == (
        [("--map", "id"), ("--map", "mass")]
    )
    assert (_joined_choice({}, [("--map", "mass=A"), ("--map", "mass=B")])) == ({})


def test_without_replaced() -> None:
    assert (
        _without_replaced(("rollup", "a.csv", "--root", "A", "--map", "id=B"), "--make-root all for the mass of all")
    ) == (["rollup", "a.csv", "--map", "id=B"])
