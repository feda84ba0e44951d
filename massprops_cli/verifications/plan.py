"""A mass properties control plan: tasks in the words of its user, answered by findings and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.bom.bom import BomSource
from massprops_cli.bom.configuration_file import toml_lines, toml_tables
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import (
    ConfigError,
    Finding,
    Findings,
    Place,
    Severity,
    count_with_noun,
    nearest_name_hint,
)

if TYPE_CHECKING:
    import pandas as pd

_KEYS = {"title", "now", "milestone", "task"}
_TASK_KEYS = {"name", "milestone", "by", "at-least", "rules", "budget", "done", "evidence"}
_SHARE = 100.0
_Answer = tuple[bool, str, float | None, str]  # done, words, percentage, command
_MATURE = {"weighed": ("weighed",), "calculated": ("calculated", "weighed")}


@dataclass(frozen=True)
class PlanTask:
    """A task of a plan, its answer and what answers it; ``state`` is done, open or later.

    ``value`` and ``required`` are percentages, None for tasks without one.
    """

    name: str
    milestone: str
    by: str
    state: str
    answer: str
    command: str
    value: float | None = None
    required: float | None = None
    line: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class ControlPlan:
    """A plan with the answers for one table: ``now`` is the milestone up to which tasks must be done."""

    title: str
    now: str
    tasks: tuple[PlanTask, ...]
    findings: tuple[Finding, ...]
    result: Result

    @property
    def is_fulfilled(self) -> bool:
        """Whether every task of the milestones up to now is done."""
        return not any(one.state == "open" for one in self.tasks)

    def __repr__(self) -> str:
        """Return the number of tasks that are done and open."""
        counts = ", ".join(f"{sum(one.state == s for one in self.tasks)} {s}" for s in ("done", "open", "later"))
        return f"<ControlPlan {self.title}: {counts}>"

    def to_dict(self) -> dict[str, Any]:
        """Export the plan as JSON values.

        Returns
        -------
        dict
            Title, milestone and tasks.
        """
        rows = [{k: v for k, v in vars(one).items() if k != "line"} for one in self.tasks]
        return {"title": self.title, "now": self.now, "fulfilled": self.is_fulfilled, "tasks": rows}

    def to_dataframe(self) -> pd.DataFrame:
        """Export the tasks.

        Returns
        -------
        pandas.DataFrame, a row a task
            ``milestone``, ``task``, ``state``, ``answer``, ``required_percent``, ``value_percent`` and ``command``.
        """
        import pandas as pd

        names = ("milestone", "name", "state", "answer", "required", "value", "command")
        heads = ("milestone", "task", "state", "answer", "required_percent", "value_percent", "command")
        rows = [[getattr(one, name) for name in names] for one in self.tasks]
        return pd.DataFrame(rows, columns=list(heads)).astype({"required_percent": float, "value_percent": float})


class _Answers:
    """The answers that a roll-up gives."""

    def __init__(self, result: Result, folder: Path) -> None:
        self.result, self.folder, self.name = result, folder, result.bom.table.source.name
        self.by: Mapping[str, Callable[[Mapping[str, Any]], _Answer]] = {
            "sign-convention": self._signs,
            "coverage": self._coverage,
            **dict.fromkeys(("maturity", "weighed", "calculated"), self._mature),
            "uncertainty": self._sigmas,
            "findings": self._findings,
            "margins": self._margins,
            "verify": self._verify,
            "person": self._person,
        }

    def _signs(self, task: Mapping[str, Any]) -> _Answer:
        """Answer whether the convention of products is stated for all parts."""
        bom = self.result.bom
        written = [int(sign) for sign, is_end in zip(bom.sign, bom.ends, strict=True) if is_end]
        without = [one for one in self.result.findings if one.rule in ("MP214", "MP215", "MP216", "MP402")]
        has_products = bool({"Ixy", "Ixz", "Iyz"} & set(bom.columns.by_quantity))
        signs = sorted({"+" if sign > 0 else "-" for sign in written if sign})
        if not has_products:
            return False, "no products of inertia", None, f"massprops validate {self.name}"
        stated = sum(map(bool, written))
        words = f"convention {' and '.join(signs) or 'not stated'}; stated for {stated:,} of {len(written):,} parts"
        return stated == len(written) and not without, words, None, f"massprops validate {self.name}"

    def _coverage(self, task: Mapping[str, Any]) -> _Answer:
        """Answer which share of the parts has masses, centres, tensors."""
        coverage, bodies = self.result.rollup.coverage, self.result.rollup.bodies
        counts = {"mass": coverage.known_mass}
        counts |= {} if bodies.center is None else {"center": coverage.known_center}
        counts |= {} if bodies.inertia is None else {"inertia": coverage.known_inertia}
        known = {name: self._share_of_parts(count) for name, count in counts.items()}
        words = ", ".join(f"{name} {share:.4g} %" for name, share in known.items())
        return self._shared(task, min(known.values()), f"of the parts: {words}")

    def _sigmas(self, task: Mapping[str, Any]) -> _Answer:
        """Answer which share of the parts states its sigmas."""
        share = self._share_of_parts(self.result.rollup.coverage.known_sigma)
        return self._shared(task, share, f"all σ of {share:.4g} % of the parts are stated", "contributions")

    def _mature(self, task: Mapping[str, Any]) -> _Answer:
        """Answer which share of the mass states its method, or is weighed, or calculated."""
        root, kind = self.result.root_item, task["by"]
        shares = {word: _SHARE * float(share[root]) for word, share in self.result.shares_of_mass.items()}
        chosen = _MATURE.get(kind, tuple(word for word in shares if word != "not_stated"))
        share = sum(shares.get(word, 0.0) for word in chosen)
        words = ", ".join(f"{word} {part:.4g} %" for word, part in shares.items())
        words = words if kind == "maturity" else f"{share:.4g} % of the mass"
        return self._shared(task, share, words if shares else "no method is stated")

    def _share_of_parts(self, count: Any) -> float:
        """Return a number of parts below the root in percent of all."""
        root = self.result.root_item
        return _SHARE * int(count[root]) / max(int(self.result.rollup.coverage.rows[root]), 1)

    def _shared(self, task: Mapping[str, Any], share: float, words: str, command: str = "rollup") -> _Answer:
        """Return the answer of a share in percent."""
        return share >= task.get("at-least", _SHARE) - 1e-9, words, share, f"massprops {command} {self.name}"

    def _findings(self, task: Mapping[str, Any]) -> _Answer:
        """Answer whether warnings or errors of some rules are left."""
        wanted = tuple(task.get("rules", ("MP",)))
        found = [
            one for one in self.result.findings if one.rule.startswith(wanted) and one.severity is not Severity.NOTE
        ]
        words = count_with_noun(len(found), "finding") + (f": {found[0].rule} {found[0].message}" if found else "")
        return not found, words, None, f"massprops validate {self.name}"

    def _margins(self, task: Mapping[str, Any]) -> _Answer:
        """Answer whether the limits of a budget are kept, and with which margin."""
        from massprops_cli.budgets.check import check

        file = task.get("budget", "")
        path = str(self.folder / file) if file else None
        outcome = check(self.result, path)
        kept = sum(one.kept or one.waiver is not None for one in outcome.verdicts)
        margins = [
            _SHARE * one.margin / abs(one.limit)
            for one in outcome.verdicts
            if one.margin is not None and one.limit and one.subject == "mass-max" and one.waiver is None
        ]
        least = min(margins, default=None)
        words = f"{kept} of {count_with_noun(len(outcome.verdicts), 'limit')} kept or waived"
        words += "" if least is None else f"; least margin of a mass {least:.3g} %"
        enough = "at-least" not in task or (least is not None and least >= task["at-least"])
        command = f"massprops check {self.name}" + (f" --budget {path}" if path else "")
        return kept == len(outcome.verdicts) and enough, words, least, command

    def _verify(self, task: Mapping[str, Any]) -> _Answer:
        """Answer whether a recomputation agrees."""
        from massprops_cli.verifications.verification import verify

        answer = verify(self.result)
        most = max((one.largest.relative for one in answer.checks), default=0.0)
        return answer.agrees, f"largest relative difference {most:.1e}", None, f"massprops verify {self.name}"

    def _person(self, task: Mapping[str, Any]) -> _Answer:
        """Answer what a person stated."""
        return bool(task.get("done", False)), str(task.get("evidence", "")) or "no evidence is stated", None, ""


def control_plan(table: BomSource | Result, plan: str | PathLike[str]) -> ControlPlan:
    """Answer the tasks of a mass properties control plan.

    Parameters
    ----------
    table : BomSource or Result
        A table, which is rolled up with ``keep_going``, or a roll-up.
    plan : str or path
        The plan, a toml file: ``[[milestone]]`` in order and ``[[task]]`` (docs/howto/verify.md).

    Returns
    -------
    ControlPlan
        Each task with its state and answer.

    Raises
    ------
    ConfigError
        The plan cannot be read, or has an unknown key, milestone or kind of task.

    Notes
    -----
    Shares are of the absolute masses times quantities below the root: docs/formulas.md, section 10.

    Examples
    --------
    >>> import os, tempfile
    >>> import massprops_cli as mp
    >>> bom = mp.Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "plan.toml")
    ...     with open(path, "w") as file:
    ...         _ = file.write('[[milestone]]\\nname = "PDR"\\n')
    ...         _ = file.write('[[task]]\\nname = "sums"\\nmilestone = "PDR"\\nby = "verify"\\n')
    ...     mp.control_plan(bom, path)
    <ControlPlan plan.toml: 1 done, 0 open, 0 later>
    """
    path = Path(fspath(plan))
    read = _read_plan(path)
    result = table if isinstance(table, Result) else rollup(table, keep_going=True)
    milestones = [one["name"] for one in read["milestone"]]
    now = read.get("now", milestones[-1])
    answers, tasks, findings = _Answers(result, path.parent), [], Findings()
    for task in sorted(read["task"], key=lambda one: milestones.index(one["milestone"])):
        is_done, answer, value, command = answers.by[task["by"]](task)
        is_due = milestones.index(task["milestone"]) <= milestones.index(now)
        state = "done" if is_done else "open" if is_due else "later"
        required = task.get("at-least")
        one = PlanTask(
            task["name"], task["milestone"], task["by"], state, answer, command, value, required, task["line"]
        )
        tasks.append(one)
        if state == "open":
            place = Place(str(path), line=one.line)
            needs = "" if required is None else f" (required: {required:g} %)"
            findings.report("MP909", f"{one.milestone}, {one.name}: {answer}{needs}", place, value=answer)
    return ControlPlan(read.get("title", path.name), now, tuple(tasks), (*result.findings, *findings), result)


def _read_plan(path: Path) -> dict[str, Any]:
    """Read and check a plan; each task with its line."""
    try:
        text = path.read_text("utf-8-sig")
        tables: dict[str, Any] = toml_tables(text)
    except ValueError as error:
        raise ConfigError(f"{path}: plan is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: plan cannot be read: {(error.strerror or str(error)).lower()}") from None
    lines = [one.number for one in toml_lines(text) if one.is_entry and one.table == ("task",)]
    _check_keys(path, "the plan", tables, _KEYS)
    for kind in ("milestone", "task"):
        listed = tables.get(kind)
        if not isinstance(listed, list) or not listed or any(not isinstance(one, dict) for one in listed):
            raise ConfigError(f"{path}: plan has no [[{kind}]]")
    names = [one.get("name") for one in tables["milestone"]]
    for one in tables["milestone"]:
        _check_keys(path, "[[milestone]]", one, {"name", "date"})
    if any(not isinstance(name, str) or names.count(name) > 1 for name in names):
        raise ConfigError(f"{path}: each [[milestone]] needs a name of its own")
    if any(not isinstance(one.get("date", date.min), date) for one in tables["milestone"]):
        raise ConfigError(f"{path}: date of a [[milestone]] is not a date such as 2027-03-31")
    if tables.get("now", names[0]) not in names:
        raise ConfigError(f"{path}: now is not a milestone: {tables['now']} (expected one of {', '.join(names)})")
    for k, task in enumerate(tables["task"]):
        task["line"] = lines[k] if k < len(lines) else 0
        _check_task(f"{path}:{task['line']}", task, names)
    return tables


def _check_keys(path: Path | str, where: str, entry: Mapping[str, Any], known: set[str]) -> None:
    """Reject unknown keys."""
    if unknown := sorted(set(entry) - known - {"line"}):
        raise ConfigError(f"{path}: unknown key in {where}: {unknown[0]}{nearest_name_hint(unknown[0], sorted(known))}")


def _check_task(where: str, task: Mapping[str, Any], milestones: Sequence[str]) -> None:
    """Reject a task with an unknown key, milestone or kind, or a value of another type."""
    _check_keys(where, "[[task]]", task, _TASK_KEYS)
    for key, words in (("milestone", milestones), ("by", _KINDS)):
        if task.get(key) not in words:
            raise ConfigError(f"{where}: {key} of a task is {task.get(key)!r} (expected one of {', '.join(words)})")
    if not isinstance(task.get("name"), str):
        raise ConfigError(f"{where}: a task needs a name")
    if not isinstance(task.get("done", False), bool):
        raise ConfigError(f"{where}: done is {task['done']!r} (expected true or false)")
    least = task.get("at-least", 0)
    if isinstance(least, bool) or not isinstance(least, int | float):
        raise ConfigError(f"{where}: at-least is not a percentage: {least!r}")
    rules = task.get("rules", [])
    blocks = {code[:k] for code in RULES for k in range(2, len(code) + 1)}  # MP, MP4, MP41, MP412
    if not isinstance(rules, list) or not all(isinstance(one, str) and one in blocks for one in rules):
        raise ConfigError(f'{where}: rules is not a list of codes or blocks such as ["MP4"]: {rules!r}')


_KINDS = (
    "sign-convention", "coverage", "maturity", "weighed", "calculated", "uncertainty", "findings", "margins", "verify",
    "person",
)  # fmt: skip
