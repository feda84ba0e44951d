"""Numbers, units and conventions as reports print them, and the options of a view of the results."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_flags import point_text
from massprops_cli.files.table import Table, TableSource
from massprops_cli.findings.finding import count_with_noun, name_list
from massprops_cli.reports.page.page import ASCII, Grid, Line, PageBlock, Symbols, TextSpan

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.subtotals import ColumnRollup, LabelSubtotals
    from massprops_cli.styles.style import StyleTable

_SIGNIFICANT_DIGITS = 6  # significant digits of a number with unknown sigma
_DOUBLE_DIGITS = 15  # decimal digits that every double holds
_ROUNDING_SHARE = 1e-9  # a difference below this fraction of its sigma is rounding
_ADDED = ("mass", "allowance_mass", "predicted_mass")  # columns of a review that add up in every row
_STATED = ("mass", "allowance_mass", "predicted_mass", "limit")  # columns with the digits of the input
_MOST_TABLE_DECIMALS, _TOTAL_DIGITS, _MORE_DECIMALS = 9, 5, 3
_MAX_DECIMALS = 9  # of a number format
_LEAST_DIGITS = 3  # of the largest number of a column
_SCANNED_ROWS = 2_000  # rows of a table that are scanned; the format is for display, the cell keeps all digits
_PLAIN_DECIMAL = r"[+-]?[0-9]*(?:[.,]([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?"  # -1.25, 4e-05, 0,5
_DELIMITER_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


class RootView(NamedTuple):
    """Options for the display of the root."""

    datum: tuple[float, float, float] | None = None  # origin of the centre coordinates
    datum_words: str = ""
    about: tuple[float, float, float] | None = None  # reference point of inertia, table axes; None: centre of the root
    about_words: str = ""
    shows_principal: bool = False  # adds principal moments and axes
    sigma_level: int = 1


class AggregatedColumns(NamedTuple):
    """Aggregated columns, each (header, roll-up), and subtotals by ``labels``."""

    columns: Sequence[tuple[str, ColumnRollup]] = ()
    labels: Sequence[str] = ()
    groups: LabelSubtotals | None = None
    group_columns: Sequence[tuple[str, ColumnRollup]] = ()  # the same columns in every group; group g is item g
    budgets: Sequence[str] | None = None  # files of the limits in the review table; None: those of the configuration
    shows_tree: bool = False  # the screen has the tree in place of the review table
    previous: Result | None = None  # an earlier revision, for the changes of masses
    styled: Sequence[StyleTable] = ()  # tables of a trade, in place of the review table

    @property
    def of_review(self) -> tuple[Sequence[str], Sequence[str] | None, Result | None]:
        """Columns, files of limits and earlier revision of the review table."""
        return self.labels, self.budgets, self.previous


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResultWriteOptions:
    """Content of the output in addition to the ten quantities; whether formulas are overwritten."""

    add: tuple[str, ...] = ()
    other: AggregatedColumns = field(default_factory=AggregatedColumns)
    overwrite_formulas: bool = False
    fill_summed: bool = False
    sigma_level: int = 1  # number of standard deviations of a sigma in the columns and sheets of massprops
    command: tuple[str, ...] = ()  # words of the command line, for the sheet About; empty where there is none
    date: str = ""  # date of the run, where another machine states it
    revision: str = ""  # of the table, at the top of printed pages
    all_rows: bool = False  # the sheet Rollup of a large tree also has the parts
    formulas: bool = False  # assembly cells of a workbook are formulas


def formatted_number(value: float, digits: int = _SIGNIFICANT_DIGITS) -> str:
    """Write a number with a number of significant digits."""
    if not isfinite(value):
        return ""
    if value == 0:
        return "0"
    power = decimal_exponent(value, digits)
    if -4 <= power < 7:
        places = max(digits - 1 - power, 0)
        text = f"{value:.{places}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits - 1}e}"


def item_label(item_id: str, name: str) -> str:
    """Return an id; one without a letter, such as the position 1.2.2, has the name of the item next to it."""
    is_number = name not in ("", item_id) and not any(letter.isalpha() for letter in item_id)
    return f"{item_id}  {name}" if is_number else item_id


def number_or_dash(value: float | None, digits: int = _SIGNIFICANT_DIGITS) -> str:
    """Write a number; a dash if there is none."""
    return "-" if value is None else formatted_number(value, digits)


def known_number_text(value: float, known: str, symbols: Symbols, digits: int = _SIGNIFICANT_DIGITS) -> str:
    """Write a number with ``≥`` before a lower bound; empty if it is unknown."""
    text, sign = formatted_number(value, digits), ">= " if symbols is ASCII else "≥ "
    return sign + text if text and known == "lower bound" else text


def value_with_sigma(value: float, sigma: float, symbols: Symbols) -> str:
    """Write a number and its sigma, both to the second digit of the sigma."""
    if not isfinite(value):
        return ""
    if not isfinite(sigma):
        return formatted_number(value)
    sign = f" {symbols.plus_minus} "
    if sigma == 0:
        return formatted_number(value) + sign + "0"
    last = decimal_exponent(sigma, 2) - 1
    top = max(decimal_exponent(value, 2) if value else last, last + 1)
    if top - last > _DOUBLE_DIGITS:
        return f"{value:.{_DOUBLE_DIGITS}g}{sign}{sigma_text(sigma)}"
    if top < 7 and (last >= -7 or (top >= -4 and last >= -12)):
        return rounded_text(value, last) + sign + rounded_text(sigma, last)
    scale = Decimal(1).scaleb(-top)
    return f"({rounded_text(value, last - top, scale)}{sign}{rounded_text(sigma, last - top, scale)})e{top:+03d}"


def sigma_text(sigma: float) -> str:
    """Write a sigma without its value, to its second digit."""
    last = decimal_exponent(sigma, 2) - 1 if sigma > 0 else 0
    return rounded_text(sigma, last) if -12 <= last < 6 and sigma > 0 else formatted_number(sigma, 2)


def number_and_sigma(value: float, sigma: float, symbols: Symbols) -> tuple[str, str]:
    """Write a number and its sigma as two texts, for separate alignment."""
    number, _, rest = (value_with_sigma(value, sigma, symbols) or "-").partition(" ")
    return number, rest


def difference_text(change: float, sigma: float) -> str:
    """Write a difference to the second digit of its sigma, or to two digits of its own if it is smaller."""
    if not isfinite(change):
        return "-"
    if change == 0 or abs(change) < _ROUNDING_SHARE * sigma:
        return "0"
    text = formatted_number(change)
    if isfinite(sigma) and sigma > 0:
        last = min(decimal_exponent(sigma, 2), decimal_exponent(change, 2)) - 1
        if last >= -12 and decimal_exponent(change, 2) < 7:
            text = rounded_text(change, last)
    return ("+" if change > 0 else "") + text


def decimal_exponent(value: float, digits: int) -> int:
    """Return the power of ten of the first digit of a number, after rounding."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def rounded_text(value: float, last: int, scale: Decimal = Decimal(1)) -> str:
    """Round exactly to the decimal place ``10**last``, halves to even."""
    if last <= 0 and scale == 1:  # Python rounds likewise
        text = f"{value:.{-last}f}"
    else:
        scaled = Decimal(value) * scale
        rounded = scaled.quantize(Decimal(1).scaleb(last)) if last <= 0 else round(scaled.scaleb(-last)) * 10**last
        text = f"{rounded:f}" if last <= 0 else str(rounded)
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def tying_decimals(columns: Mapping[str, NDArray[np.float64]], level: int, *, is_folded: bool = False) -> int | None:
    """Return the decimals of the masses of a review (k + 1,): by sigma or by the input, one more if they then add up.

    The last row but one of a folded review becomes what the printed rows leave of the printed total.
    """
    masses = [columns[name] for name in _ADDED if name in columns and np.isfinite(columns[name]).all()]
    total, sigma = (columns.get(name, np.zeros(1))[-1] for name in ("mass", "sigma_mass"))
    if not masses or total == 0 or not -4 <= (power := decimal_exponent(float(total), _TOTAL_DIGITS)) < 7:
        return None
    most = max(_TOTAL_DIGITS - 1 - power, 0)
    exact = (n for n in range(most) if _keeps_digits(columns, n, _STATED))
    least = 1 - decimal_exponent(level * float(sigma), 2) if sigma > 0 else next(exact, most)
    more = range(least, least + _MORE_DECIMALS + 1)
    with_margins = next((n for n in more if _keeps_digits(columns, n, ())), least)
    least = next((n for n in more if _keeps_digits(columns, n, ("limit",))), with_margins)
    for values in masses if is_folded else ():
        values[-2] = np.round(values[-1], least) - np.round(values[:-2], least).sum()
    for decimals in range(least, least + 2):
        printed, slack = [np.round(values, decimals) for values in masses], 0.5 * 10.0**-decimals
        ties = all(abs(values[:-1].sum() - values[-1]) < slack for values in printed)
        if ties and (len(printed) < 3 or (np.abs(printed[0] + printed[1] - printed[2]) < slack).all()):
            return decimals
    return least if least <= _MOST_TABLE_DECIMALS else None


def tied_masses(columns: Mapping[str, NDArray[np.float64]], decimals: int) -> dict[str, NDArray[np.float64]]:
    """Round the masses of a review (k + 1,) so that rows and columns add up: by one unit, a predicted mass by two."""
    known = {name: columns[name] for name in _ADDED if name in columns and np.isfinite(columns[name]).all()}
    if "mass" not in known:
        return {}
    mass = _rounded_to_total(known["mass"], np.round(known["mass"][-1], decimals), decimals)
    if len(known) < len(_ADDED):
        return {"mass": mass}
    total = np.round(known["predicted_mass"][-1], decimals) - mass[-1]
    growth = _rounded_to_total(known["allowance_mass"], total, decimals)
    return {"mass": mass, "allowance_mass": growth, "predicted_mass": mass + growth}


def _rounded_to_total(values: NDArray[np.float64], total: float, decimals: int) -> NDArray[np.float64]:
    """Round numbers; where they miss the total, move those by one unit that are the farthest from their rounding."""
    rounded, unit = np.append(np.round(values[:-1], decimals), total), 10.0**-decimals
    missing = round((total - rounded[:-1].sum()) / unit)
    rest = np.sign(missing) * (values - rounded)[:-1]
    rows = np.argsort(-rest, kind="stable")[: abs(missing)]
    if abs(missing) <= (rest > 0).sum():  # else the parts are not those of the total
        rounded[rows] += np.sign(missing) * unit
    return rounded


def _keeps_digits(columns: Mapping[str, NDArray[np.float64]], decimals: int, names: Sequence[str]) -> bool:
    """Return whether columns keep their digits with so many decimals, and no margin becomes 0."""
    kept = [columns[name][np.isfinite(columns[name])] for name in names if name in columns]
    margins = columns.get("margin", np.zeros(1))
    is_zero = (np.abs(margins) > 1e-9 * np.abs(columns.get("limit", margins))) & (np.round(margins, decimals) == 0)
    return not is_zero.any() and all(np.allclose(np.round(v, decimals), v, rtol=1e-9, atol=0) for v in kept)


def margin_decimals(margins: NDArray[np.float64], decimals: int) -> list[int]:
    """Return the decimals of margins (k,): more where one that is not 0 would be printed as 0."""
    tiny = (np.abs(margins) > 0) & (np.abs(margins) < 0.5 * 10.0**-decimals)
    sizes = np.where(tiny, np.abs(margins), 1.0).tolist()
    return [1 - decimal_exponent(size, 2) if one else decimals for one, size in zip(tiny.tolist(), sizes, strict=True)]


def percent_text(share: float) -> str:
    """Write a share as a percentage."""
    if not isfinite(share):
        return ""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    text = f"{100 * share:.1f}"
    return (text if share != 1 else "100") + " %"


def unit_text(unit: str, symbols: Symbols) -> str:
    """Write a unit with · and ² if the symbols allow it."""
    if symbols is ASCII:
        return unit.replace("·", "*").replace("²", "^2")
    return unit.replace("**", "^").replace("^2", "²").replace("^3", "³").replace("*", "·")


def input_decimals(
    table: Table, columns: Iterable[int], first_row: int, commas: Collection[int] = ()
) -> dict[int, int]:
    """Return the decimals of each column of plain decimals, or of decimals with commas: those of its longest number."""
    last, found = min(table.n_rows, first_row + _SCANNED_ROWS), dict[int, int]()
    for j in columns:
        texts = [table.text(row, j).strip() for row in range(first_row, last)]
        plain = [text.replace(".", "").replace(",", ".") for text in texts] if j in commas else texts
        if (count := _decimal_count(plain)) is not None:
            found[j] = count
    return found


def _decimal_count(texts: Iterable[str]) -> int | None:
    """Count the decimals of the longest plain number, at most nine; None if a text is not a plain number."""
    most = 0
    for text in texts:
        if (match := re.fullmatch(_PLAIN_DECIMAL, text)) is None:
            return None
        most = max(most, len(match[1] or "") - int(match[2] or 0))
    return min(most, _MAX_DECIMALS)


def is_whole(values: NDArray[np.float64]) -> bool:
    """Return whether all known numbers (n,) are whole."""
    known = values[np.isfinite(values)]
    return bool((known == np.floor(known)).all())


def shown_decimals(values: NDArray[np.float64], of_input: int) -> int:
    """Return the decimals of computed numbers (k,): those of the input, and three digits of the largest at least."""
    if is_whole(values):
        return of_input
    known = values[np.isfinite(values)]
    needed = _LEAST_DIGITS - 1 - math.floor(math.log10(float(np.abs(known).max())))
    return min(max(of_input, needed), _MAX_DECIMALS)


def sigma_decimals(sigma: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the decimals of two digits of each sigma (n,); −1 where it is 0 or unknown."""
    known = np.isfinite(sigma) & (sigma > 0)
    exponent = np.floor(np.log10(np.where(known, sigma, 1.0) * 1.005))  # 0.0996 is written 0.10
    return np.where(known, np.clip(1 - exponent, 0, _MAX_DECIMALS), -1).astype(np.int8)


def decimals_format(decimals: int) -> str:
    """Return the number format of a number of decimals."""
    return "0." + "0" * decimals if decimals else "0"


def value_number_format(values: NDArray[np.float64]) -> str:
    """Return a number format with six digits of the largest value (n,), any unit; empty for whole numbers."""
    if is_whole(values):
        return ""
    largest = float(np.nanmax(np.abs(values)))
    if (decimals := 5 - math.floor(math.log10(largest))) > 9 or decimals < -6:
        return "0.00000E+00"
    return "0." + "0" * decimals if decimals > 0 else "0"


_METHOD_WORDS = {
    "covariance": "covariance: first-order, full covariance",
    "massprops": "massprops: first-order, level by level (SAWE 3360)",
    "montecarlo": "montecarlo",
}
_LEVEL_WORDS = {2: "two", 3: "three"}
_ROOT_WORDS = "for the root above; other tensors are about the CG of their item"
_MOVED_TENSOR_WORDS = "its sigmas: root as one body, with independent mass, CG and inertia tensor"


def convention_rows(result: Result, symbols: Symbols, datum: str, about: str, level: int) -> list[tuple[str, str]]:
    """Return the conventions of the numbers as pairs of name and text."""
    rows = [
        ("units", units_words(result, symbols, shown_inertia_unit(result.bom)[0])),
        ("layout", result.bom.layout + (f": {result.bom.how}" if result.bom.how else "")),
        *_piece_words(result),
        *_unexplained_words(result.bom),
    ]
    if result.rollup.bodies.center is not None:
        origin = f"the datum {datum}" if datum else "the origin 0,0,0"
        poses = result.bom.poses
        rows.append(("frame", f"axes of the {'table' if poses is None else 'root'}; CG coordinates from {origin}"))
        if poses is not None:
            rows.append(("", f"in the table, CG and inertia are in the frame of each row: {poses.frames_text}"))
    if result.rollup.bodies.inertia is not None:
        rows.append(("inertia", f"about {about or 'the centre of mass (CG) of each item'}"))
        point = result.bom.options.inertia_about
        why = "by option" if result.bom.columns.inertia_about is None else "by its header"
        rows += [] if point is None else [("", f"in the table about {point_text(point)}, {why}")]
        request = result.uncertainty_request  # tensors of samples, probabilities and intervals keep their point
        is_further = result.rollup.sampled is not None or request.probability or request.intervals
        rows += [("", _ROOT_WORDS)] if about and is_further else []
        rows += [("", _MOVED_TENSOR_WORDS)] if about and result.rollup.method == "massprops" else []
        rows.append(("products", sign_words(symbols)))
    return rows + uncertainty_rows(result, symbols, level) + configuration_rows(result)


def _piece_words(result: Result) -> list[tuple[str, str]]:
    """State that masses are multiplied by quantities, and the other total, where nothing in a list decides it."""
    bom, named = result.bom, result.bom.columns.by_quantity
    stated = bom.options.mass_is or bom.columns.mass_is or any(one.agrees for one in result.totals)
    if bom.layout != "flat" or not {"qty", "mass"} <= {*named} or stated:
        return []
    from massprops_cli.tables.columns.mass_headings import is_per_piece

    count, mass = bom.quantity.count, np.where(bom.tree.is_leaf() & (bom.quantity.count > 0), bom.bodies.mass, np.nan)
    if is_per_piece(named["mass"].header) or not (np.isfinite(mass) & (count > 1)).any():
        return []
    total = f"{formatted_number(float(np.nansum(mass)))} {bom.units.mass}".rstrip()
    return [
        ("masses", f"of one piece, times {named['qty'].header}; as masses of rows they are {total}: --mass-is line")
    ]


def _unexplained_words(bom: Bom) -> list[tuple[str, str]]:
    """Name the columns of numbers that are not read, and that nothing explains."""
    columns = bom.columns
    if sum(bool(text.strip()) for text in columns.header) <= len(columns.by_quantity):
        return []
    from massprops_cli.tables.account import unread_column_list

    unread = unread_column_list(bom.table, columns, bom.layout, bom.how)
    names = [one.header for one in unread if not one.is_explained]
    return [("not read", f"{name_list(names)}: numbers that nothing explains")] if names else []


def configuration_rows(result: Result) -> list[tuple[str, str]]:
    """Return the configuration files that were read as one pair of name and text; nothing without them."""
    files = result.bom.options.configuration
    return [("configuration", ", then ".join(reversed(files)))] if files else []


def uncertainty_rows(result: Result, symbols: Symbols, level: int) -> list[tuple[str, str]]:
    """Return method, correlation and sigma level of the uncertainty as pairs of name and text."""
    rows = [("uncertainty", _method_words(result))]
    if result.rollup.method != "none":
        shared = _correlation_words(result)
        rows += [("correlation", shared)] if shared else []
        words = f"{_LEVEL_WORDS[level]} standard deviations ({level_text(level, symbols)})" if level > 1 else ""
        rows += [("sigmas", f"every {symbols.plus_minus} is {words}")] if level > 1 else []
    return rows


def _method_words(result: Result) -> str:
    """Write the method of the sigmas, or the reason for none."""
    method, sampled = result.rollup.method, result.rollup.sampled
    if method == "none":
        if result.bom.sigmas is None and result.bom.options.use_sigmas:
            return "none: the table states no sigma"
        return "none: the correlations are not valid" if result.uncertainty_request.is_correlated else "none, by option"
    if sampled is None:
        return _METHOD_WORDS.get(method, method)
    sampling = sampled.sampling
    default = "" if result.bom.shapes is None else " by default"
    return (
        f"montecarlo: {sampling.samples:,} samples, seed {sampling.seed}, {sampling.distribution} distribution{default}"
    )


def _correlation_words(result: Result) -> str:
    """Write which uncertainties are correlated; nothing without repeated parts or without sigmas."""
    if (correlation := result.correlation) is None or correlation.is_none:
        if result.rollup.method == "massprops" and any(result.bom.groups or ()):
            return "none: the level-by-level method ignores corr_group"
        return "part uncertainties independent" if result.assumptions else ""
    shared = "mass, CG and inertia" if correlation.shares_centers else "mass and inertia"
    groups = len(set(correlation.group[correlation.group >= 0].tolist()))
    among = (
        "fully correlated, all items"
        if result.uncertainty_request.correlate == "all"
        else f"fully correlated within {count_with_noun(groups, 'group')}"
    )
    more = "; groups correlated by the matrix" if len(correlation.coupled) else ""
    return f"{shared} {among}{more}"


def level_text(level: int, symbols: Symbols) -> str:
    """Write a number of sigmas."""
    return f"{level} {symbols.sigma}" if symbols is ASCII else f"{level}{symbols.sigma}"


def shown_inertia_unit(bom: Bom) -> tuple[str, float]:
    """Choose the unit of moments and products of inertia on the page: that of the columns of the table."""
    moments = [bom.columns.by_quantity.get(name) for name in ("Ixx", "Iyy", "Izz")]
    stated = {(column.unit, column.factor) for column in moments if column is not None and column.by_row is None}
    if None in moments or len(stated) != 1 or bom.options.units:
        return bom.units.inertia, 1.0
    ((text, size),) = stated
    return (text, size) if text and size != 1 else (bom.units.inertia, 1.0)


def units_words(result: Result, symbols: Symbols, inertia: str = "") -> str:
    """Write the units of a result, or that the table states none."""
    units = result.bom.units
    if not units.stated:
        return f"not stated; read as coherent (inertia = mass {'x length^2' if symbols is ASCII else '· length²'})"
    return ", ".join(
        dict.fromkeys(unit_text(unit, symbols) for unit in (units.mass, units.length, inertia or units.inertia) if unit)
    )


def sign_words(symbols: Symbols) -> str:
    """Write the sign convention of the products of inertia: docs/formulas.md, section 1."""
    return f"tensor entries, Ixy = {'-integral of xy dm' if symbols is ASCII else '−∫xy dm'}"


def table_decision_blocks(source: TableSource, configuration: Sequence[str]) -> list[PageBlock]:
    """Lay out how a file was read as a table."""
    pairs = [*configuration_words(configuration), *source_words(source)]
    head = [TextSpan("reading", "dim"), TextSpan("")]
    return [Line(), Grid([head, *([TextSpan(name, "dim"), TextSpan(words)] for name, words in pairs)], "ll")]


def configuration_words(configuration: Sequence[str]) -> list[tuple[str, str]]:
    """Name the configuration files, last one first; or write that there is none."""
    if not configuration:
        return [("configuration", "none (no massprops.toml for the table, no --config)")]
    return [("configuration" if k == 0 else "", words) for k, words in enumerate(configuration)]


def source_words(source: TableSource) -> list[tuple[str, str]]:
    """Return format, sheet, encoding and delimiter of a file, as far as they apply."""
    words = [("format", source.format + (", compressed" if source.compressed else ""))]
    if source.sheet:
        words.append(("sheet", source.sheet))
    if source.encoding:
        words.append(("encoding", source.encoding + (", with a byte order mark" if source.bom else "")))
    if source.delimiter:
        words.append(("delimiter", _DELIMITER_WORDS.get(source.delimiter, source.delimiter)))
    return words
