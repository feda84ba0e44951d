"""Words of trades: totals, conditions and groups in the tables of a trade; a module and an entry for each trade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import room_function
from massprops_cli.bodies.solid_inputs import parse_dims
from massprops_cli.bom.items.item_rows import group_texts
from massprops_cli.bom.items.result_columns import ItemCovariance
from massprops_cli.bom.items.solid_cells import SolidUnits
from massprops_cli.bom.results.result import Result
from massprops_cli.findings.finding import Findings, FindingsError, Place, UsageError, nearest_name_hint
from massprops_cli.loadings.application import stated_items
from massprops_cli.loadings.results import Conditions
from massprops_cli.loadings.totals import root_numbers
from massprops_cli.options import Style, wrong_word_text
from massprops_cli.rollups.inputs import NO_LABEL
from massprops_cli.rollups.subtotals import LabelSubtotals, label_subtotals
from massprops_cli.tables.options import StatedKeys
from massprops_cli.tanks.tank import Liquid, Tank
from massprops_cli.tanks.tank_file import tanks_of_table

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom

Floats = NDArray[np.float64]
_Dimension = tuple[int, int, int]
MASS, LENGTH, MOMENT, RATIO = (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 0)
_KINDS = {MASS: "mass", LENGTH: "length", MOMENT: "mass × length", RATIO: "number"}
_TRADES: Mapping[str, tuple[str, str]] = {
    "space": ("massprops_cli.styles.space", "space_tables"),
    "aircraft": ("massprops_cli.styles.aircraft", "aircraft_tables"),
    "ship": ("massprops_cli.styles.ship", "ship_tables"),
    "car": ("massprops_cli.styles.car", "car_tables"),
}
_SLOTS = (("forward", "aft"), ("left", "port", "right", "starboard"), ("up", "down"))
AXIS_KEYS = tuple(word for slot in _SLOTS for word in slot)
_OPPOSITE = {"forward": "aft", "port": "starboard", "left": "right"}
_TURNED = {"aft", "right", "starboard", "down"}  # opposite to forward, left, up


_STEP = 1e-30  # imaginary; the imaginary part of a result over it is a derivative, exact to rounding


class StyleRows(NamedTuple):
    """Mass and centre (k, 4) of k rows in the axes of a trade, from its datum, and their covariances (k, 4, 4)."""

    labels: list[str]
    values: Floats
    covariance: Floats

    def number(self, k: int) -> Any:
        """Return one of the four numbers (5, k): as it is, and with a step of each of the four."""
        return self.values[:, k] + 1j * _STEP * (np.arange(5) == k + 1)[:, None]

    @staticmethod
    def joined(rows: Sequence[tuple[str, StyleRows]]) -> StyleRows:
        """Return single rows as one, with their labels."""
        values, covariance = (np.array([one[k][0] for _, one in rows]) for k in (1, 2))
        return StyleRows([label for label, _ in rows], values, covariance)


@dataclass(eq=False)
class StyleTable:
    """A table of a trade: k labelled rows, columns with units, and the formulas and conventions as notes."""

    name: str
    head: str  # heading of the labels
    rows: StyleRows
    levels: Sequence[int] = ()  # indents of the labels
    is_tall: bool = False  # on pages a column is a line
    is_detail: bool = False  # on the screen only in full
    notes: list[str] = field(default_factory=list)
    columns: dict[str, tuple[str, Floats, Floats]] = field(default_factory=dict)  # unit, values and sigmas (k,)
    texts: dict[str, Sequence[str]] = field(default_factory=dict)  # columns of words

    def add(self, name: str, unit: str, values: Any) -> None:
        """Add a column: values (k,), or (5, k) of the numbers of the rows, whose sigmas follow to first order."""
        if not np.iscomplexobj(values):
            self.columns[name] = unit, values, np.full(len(self.rows.labels), np.nan)
            return
        slope = values[1:].imag.T / _STEP
        pairs = slope[:, :, None] * slope[:, None, :]
        variance = np.where(pairs == 0, 0.0, pairs * self.rows.covariance).sum(axis=(1, 2)) + 0 * values[0].real
        self.columns[name] = unit, values[0].real, np.sqrt(np.maximum(variance, 0.0))

    def to_dict(self) -> dict[str, Any]:
        """Export the table as JSON values, None where not known; ``units`` of its columns, and ``notes``."""
        columns: dict[str, Sequence[Any]] = {self.head: self.rows.labels, **self.texts}
        units = dict[str, str]()
        for name, (unit, *both) in self.columns.items():
            for heading, numbers in zip((name, f"sigma_{name}"), both, strict=True):
                if heading == name or np.isfinite(numbers).any():
                    columns[heading] = [x if np.isfinite(x) else None for x in numbers.tolist()]
                    units |= {heading: unit} if unit else {}
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        return {"name": self.name, "units": units, "rows": rows, "notes": list(self.notes)}

    def frame(self) -> pd.DataFrame:
        """Export the table; ``attrs`` has ``units`` of the columns and ``notes``."""
        import pandas as pd

        exported, words = self.to_dict(), (self.head, *self.texts)
        frame = pd.DataFrame(exported["rows"]).astype({x: float for x in exported["rows"][0] if x not in words})
        frame.attrs |= {"units": exported["units"], "notes": exported["notes"]}
        return frame


class Axes(NamedTuple):
    """For along, across and up: the axis of the table, its sign, the origin on it, its word, and if that is stated."""

    axes: list[int]
    signs: list[float]
    origin: list[float]
    words: list[str]
    stated: list[bool]

    def note(self, unit: str) -> str:
        """Write the convention."""
        rows = [*zip(*self, strict=True)]
        texts = [f"{word} {'-+'[sign > 0]}{'xyz'[axis]}" for axis, sign, _, word, _ in rows]
        usual = ", ".join(word for *_, word, stated in rows if not stated)
        places = [f"{'xyz'[axis]} = {o:g} {unit}".rstrip() for axis, _, o, _, _ in rows if o]
        texts[-1] += f" ({usual} by default)" * bool(usual)
        return f"axes of the table: {', '.join(texts)}; origin: {', '.join(places) or 'that of the table'}"

    def moments(self, labels: list[str], rolled: Sequence[tuple[Result | LabelSubtotals, int]]) -> StyleRows:
        """Return masses and centres of an item of each of k roll-ups."""
        found = [_item_moments(one, item) for one, item in rolled]
        order, sign = [0, *(a + 1 for a in self.axes)], np.array([1.0, *self.signs])
        values = (np.array([one for one, _ in found])[:, order] - np.array([0.0, *self.origin])) * sign
        rounding = 1e-14 * np.abs(np.nan_to_num(values[:, 1:])).max(axis=1, initial=0.0)  # of turned tanks
        values[:, 1:][np.abs(values[:, 1:]) < rounding[:, None]] = 0.0
        covariance = np.array([one for _, one in found])[:, order][:, :, order] * np.outer(sign, sign)
        return StyleRows(labels, values, covariance)


def _item_moments(rolled: Result | LabelSubtotals, item: int) -> tuple[Floats, Floats]:
    """Return mass and centre (4,) of an item and their covariance (4, 4), NaN where not known."""
    values, sigmas = root_numbers(rolled, item)
    found = ItemCovariance(rolled.rollup).matrix(item)  # none of the method massprops
    return values[:4], np.diag(sigmas[:4]) ** 2 if found is None else found[:4, :4]


class _StyleKeys:
    """The keys of ``[style.NAME]``: read in the units of the table; what is wrong is reported at its line."""

    def __init__(self, trade: str, stated: StatedKeys, bom: Bom, findings: Findings) -> None:
        self.trade, self.stated, self.values, self.findings = trade, stated, stated.values, findings
        self._units = SolidUnits(bom.item_rows)

    def check(self, known: Iterable[str], given: Iterable[str], within: str = "") -> None:
        """Report names that are not known: keys of the section, or names within a key."""
        names = list(known)
        for name in (one for one in given if one not in names):
            hint = nearest_name_hint(name, names) or f" (expected one of {', '.join(names)})"
            text = f"{within} has an unknown name: {name}" if within else f"unknown key: {name}"
            self.report("MP652" if within else "MP902", within or name, text + hint)

    def report(self, rule: str, key: str, message: str, remedy: str | None = None) -> None:
        """Report what is wrong at the line of a key, or at the head of the section."""
        line, value = self.stated.lines.get(key) or self.stated.lines.get("") or None, str(self.values.get(key, ""))
        place = Place(self.stated.path, line=line, column=key)
        self.findings.report(rule, f"style {self.trade}: {message}", place, value=value, remedy=remedy)

    def require(self, key: str, example: str, having: str = "") -> None:
        """Report a key that is not stated, if another one is."""
        if key not in self.values and (not having or having in self.values):
            remedy = f"write {key} = {example} in [style.{self.trade}] of massprops.toml"
            self.report("MP650", key, f"{key} is not stated" + (f", and {having} is" if having else ""), remedy)

    def number(self, key: str, dimension: _Dimension, otherwise: float = np.nan, value: object = None) -> float:
        """Return the number of a key, or another value, in the units of the table; a text has a unit of its own."""
        given = self.values.get(key) if value is None else value
        if given is None:
            return otherwise
        if isinstance(given, int | float) and not isinstance(given, bool) and np.isfinite(given):
            return float(given)
        try:
            (text,) = parse_dims(f"value={str(given).removesuffix('%') if dimension == RATIO else given}")
            return text.value * (self._units.factor("value", text.unit, dimension) if text.unit else 1.0)
        except (UsageError, ValueError):
            words = f"{key} is not a {_KINDS[dimension]}: {given!r}"
            self.report("MP651", key, words, 'write a number, or a text such as "12.5 in"')
            return np.nan

    def positive(self, key: str, dimension: _Dimension) -> float:
        """Return a number that is greater than 0, NaN if it is not stated or not valid."""
        if (value := self.number(key, dimension)) <= 0:
            self.report("MP651", key, f"{key} is not greater than 0: {self.values[key]}")
            return np.nan
        return value

    def table(self, key: str) -> dict[str, Any]:
        """Return a table of names and values."""
        if not isinstance(found := self.values.get(key, {}), dict):
            self.report("MP651", key, f"{key} is not a table: {found!r}", f"write [style.{self.trade}.{key}]")
            return {}
        return found

    def items(self, key: str, bom: Bom, value: object = None) -> list[int]:
        """Return the items that a key, or another value, names by id, name or ``where COLUMN = VALUE``."""
        found = self.values.get(key, []) if value is None else value
        items: list[int] = []
        for text in [found] if isinstance(found, str) or not isinstance(found, list) else found:
            try:
                items += stated_items(bom, str(text))
            except UsageError as error:
                self.report("MP652", key, f"{key}: {error}")
        return items

    def column(self, key: str, bom: Bom, otherwise: str = "") -> list[str]:
        """Return the cells (n,) of the column that a key names, or ids of a level of the tree; blank without either."""
        if text := str(self.values.get(key, otherwise)):
            try:
                groups = group_texts(bom, text)
                return [groups[0][k] for k in groups[1].tolist()] if isinstance(groups, tuple) else list(groups)
            except UsageError as error:
                self.report("MP652", key, f"{key}: {str(error).replace(' in --by', '')}")
        return [""] * len(bom)

    def axes(self, usual: Sequence[str], origins: Sequence[str], kept: Sequence[str]) -> Axes:
        """Return the axes, with the keys of their origins; words that are not kept follow the signs of the table."""
        rows: list[tuple[int, float, float, str, bool]] = []
        for j, (word, slot) in enumerate(zip(usual, _SLOTS, strict=True)):
            given = [one for one in slot if one in self.values]
            sides = {one: self._axis(one) for one in given} or {word: (j, 1.0)}
            turned = {(a, -s if one in _TURNED else s) for one, (a, s) in sides.items()}
            if len(turned) > 1:
                self.report("MP651", given[-1], f"axes are contradictory: {' and '.join(given)}", "state one of them")
            (axis, forward), *_ = turned
            used, sign = word, -forward if word in _TURNED else forward
            used, sign = (_OPPOSITE[word], 1.0) if sign < 0 and word not in kept else (used, sign)
            if other := next((one[3] for one in rows if one[0] == axis), ""):
                words = f"axes are contradictory: {other} and {used} are both along {'xyz'[axis]}"
                self.report("MP651", given[0] if given else other, words, f'state both, such as {used} = "+z"')
            origin = self.number(origins[j], LENGTH, 0.0) if origins[j] else 0.0
            rows.append((axis, sign, origin, used, bool(given)))
        return Axes(*(list(cells) for cells in zip(*rows, strict=True)))

    def _axis(self, key: str) -> tuple[int, float]:
        """Return the axis of a direction, 0 to 2, and its sign."""
        text = str(self.values[key]).strip().lower()
        if text not in ("x", "y", "z", "+x", "+y", "+z", "-x", "-y", "-z"):
            self.report("MP651", key, f"{key} is not an axis: {self.values[key]}", 'write "+x", "-x", "+y" …')
        return max("xyz".find(text[-1:]), 0), -1.0 if text[:1] == "-" else 1.0


class StyleRequest(NamedTuple):
    """What a trade lays out: roll-ups by name, the conditions that they are, if so, and the keys of the style."""

    results: Mapping[str, Result]
    conditions: Conditions | None
    keys: _StyleKeys
    units: tuple[str, str, str]  # of mass, length and moment
    head: str  # heading of the names
    first: Result

    def totals(self, axes: Axes) -> StyleRows:
        """Return the roots of the roll-ups, whose centres along the first axis must be known."""
        found = axes.moments([*self.results], [(one, one.root_item) for one in self.results.values()])
        if np.isnan(found.values[:, 1]).all():
            axis = "xyz"[axes.axes[0]]
            self.keys.report("MP650", "", f"centres along {axis} are not known", f"name their column C{axis}")
        return found

    def groups(self, result: Result, texts: Sequence[str], axes: Axes) -> dict[str, StyleRows]:
        """Return subtotals by labels (n,) of items, which those below them inherit."""
        method = "covariance" if result.rollup.sampled is not None else result.rollup.method
        found = label_subtotals(result.bom.rollup_inputs(result.correlation), [texts], method=method)
        return {label: axes.moments([label], [(found, g)]) for g, (label,) in enumerate(found.labels)}

    def liquids(self, name: str) -> list[tuple[Tank, Liquid]]:
        """Return the tanks of a condition with their liquids; none of a roll-up, in which tanks do not count."""
        if self.conditions is None or not self.first.bom.options.tanks:
            return []
        made = self.conditions.tables[name]
        tanks = tanks_of_table(made.dry or made.bom, Findings())
        return [(tank, tank.liquid(made.fills.get(key))) for key, tank in tanks.items()]


def inherited_texts(bom: Bom, texts: list[str]) -> list[str]:
    """Return the text of every item (n,): its own, or that of the nearest item above it with one."""
    labels, codes = bom.tree.inherited_labels(texts, NO_LABEL)
    return [labels[k] for k in codes.tolist()]


def style_tables(
    source: Result | Conditions, trade: str, findings: Findings, given: Mapping[str, Any] | None = None
) -> list[StyleTable]:
    """Lay out a roll-up or conditions in the words of a trade; no table where the keys of the style have errors."""
    if trade not in _TRADES:
        raise UsageError(wrong_word_text("style", trade, get_args(Style)))
    none, of_style, many = StatedKeys("", {}, {}), Findings(), source if isinstance(source, Conditions) else None
    results = {source.ids[source.root_item]: source} if isinstance(source, Result) else {k: source[k] for k in source}
    stated = source.bom.options.styles.get(trade, none) if given is None else none._replace(values=dict(given))
    keys, units = _StyleKeys(trade, stated, source.bom, of_style), source.bom.units
    for name, one in results.items() if trade != "space" else ():
        placed = one.rollup.placed
        if placed is not None and placed.bodies.mass[one.root_item] != one.rollup.bodies.mass[one.root_item]:
            message = f"{name}: some masses have no centre, and centres and moments are those of the others"
            keys.report("MP654", "", message, "enter the centres")
    named = units.mass, units.length, "·".join(filter(None, (units.mass, units.length)))
    request = StyleRequest(results, many, keys, named, "condition" if many else "item", next(iter(results.values())))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: list[StyleTable] = room_function(*_TRADES[trade])(request)
    findings += dict.fromkeys(of_style)  # each one once
    return [] if of_style.has_errors else found


def style(
    source: Result | Conditions, trade: Style, given: Mapping[str, Any] | None = None, *, table: str = ""
) -> pd.DataFrame:
    """Lay out a roll-up or loading conditions in the words of a trade.

    Parameters
    ----------
    source : Result or Conditions
        A roll-up, or a table in its loading conditions.
    trade : {"space", "aircraft", "ship", "car"}
        The trade.
    given : mapping, optional
        The keys of ``[style.NAME]``; default: those of the configuration of the table.
    table : str, optional
        Name of one of the tables; default: the main table.

    Returns
    -------
    pandas.DataFrame
        Labelled rows, columns, and their sigmas to first order; ``attrs`` has ``units`` and ``notes``.

    Raises
    ------
    UsageError
        An unknown trade or table.
    FindingsError
        A key of the style is missing, unknown or not valid, or a displacement is outside the hydrostatics.

    Notes
    -----
    Keys: docs/howto/trades.md; formulas: docs/formulas.md, section 15.

    Examples
    --------
    >>> from massprops_cli import Bom, rollup
    >>> rows = [{"id": "CAR", "parent": ""}, {"id": "BODY", "parent": "CAR", "mass": 5000.0, "Cx": 60.0}]
    >>> loads = style(rollup(Bom.from_records(rows)), "car", {"front-axle": 0, "rear-axle": 120})
    >>> loads[["front axle", "rear axle"]].values.tolist()
    [[2500.0, 2500.0]]
    """
    findings = Findings()
    found = {one.name: one for one in style_tables(source, trade, findings, given)}
    if findings.has_errors:
        raise FindingsError(findings)
    if table and table not in found:
        raise UsageError(wrong_word_text("table", table, found))
    return found[table or next(iter(found))].frame()
