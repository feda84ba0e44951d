"""Calls of ``trend`` that meet a rule, or nearly do."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

TABLE = "id,parent,mass [kg]\nSAT,,\nA,SAT,{}\n"
PLAN = '[plan]\nlimit = "100 kg"\nmilestones = [{ name = "PDR", date = 2026-02-15, margin = "10 %" }]\n'
PENDING = '[[pending]]\nitem = "A"\nchange = "1 kg"\nreason = "x"\n'


def trend(folder: Path, *masses: float, budget: str = "", **texts: str) -> list[str]:
    """Write revisions of January, February, …, and give the command line."""
    names = []
    for k, mass in enumerate(masses, 1):
        names.append(f"rev_2026-{k:02d}-01.csv")
        (folder / names[-1]).write_text(texts.get(f"text_{k}", TABLE.format(mass)))
    (folder / "budget.toml").write_text(budget)
    options = ["--budget", str(folder / "budget.toml")] if budget else []
    return ["trend", *(str(folder / name) for name in names), *options, "--no-cache"]


@bad("MP680")
def a_revision_with_text_as_a_mass(folder: Path) -> list[str]:
    return trend(folder, 1, 2, text_1=TABLE.format("ten"))


@bad("MP681")
def a_mass_above_the_plan(folder: Path) -> list[str]:
    return trend(folder, 80, 80, 95, budget=PLAN)


@bad("MP682")
def masses_without_a_unit_and_a_limit_with_one(folder: Path) -> list[str]:
    text = TABLE.replace(" [kg]", "")
    budget = '[[budget]]\nitem = "SAT"\nmass-max = "9 kg"\n'
    return trend(folder, 1, 2, budget=budget, text_1=text.format(1), text_2=text.format(2))


@bad("MP683")
def a_milestone_that_was_missed(folder: Path) -> list[str]:
    return trend(folder, 95, 95, 80, budget=PLAN)


@bad("MP684")
def one_revision_without_a_unit(folder: Path) -> list[str]:
    return trend(folder, 1, 2, text_1=TABLE.replace(" [kg]", "").format(1))


@bad("MP685")
def a_shallow_clone(folder: Path) -> list[str]:
    trend(folder, 1)
    (folder / "rev_2026-01-01.csv").rename(folder / "bom.csv")
    names = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-q", "-m", "1"],
        ["commit", "-q", "-m", "2", "--allow-empty"],
    ):
        subprocess.run(["git", *names, *words], cwd=folder, check=True)
    call = ["git", "clone", "-q", "--depth", "1", folder.resolve().as_uri(), str(folder / "clone")]
    subprocess.run(call, check=True)
    return ["trend", "--git", str(folder / "clone" / "bom.csv"), "--no-cache"]


@bad("MP686")
def a_line_that_was_cut(folder: Path) -> list[str]:
    (folder / "history.jsonl").write_text('{"massprops_trend": 1, "label": "a", "basic": 2, "it\n')
    return [*trend(folder, 1), str(folder / "history.jsonl")]


@bad("MP687")
def two_points(folder: Path) -> list[str]:
    return [*trend(folder, 1, 2), "--forecast", "line"]


@bad("MP688")
def an_item_that_is_gone(folder: Path) -> list[str]:
    return trend(folder, 1, budget=PENDING.replace('"A"', '"GONE"'))


@good("MP680", "MP681", "MP682", "MP683", "MP684", "MP685", "MP686", "MP687", "MP688")
def three_revisions_within_the_plan(folder: Path) -> list[str]:
    return [*trend(folder, 80, 81, 82, budget=PLAN + PENDING), "--forecast", "line"]
