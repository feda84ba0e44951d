"""Which of several columns of masses is which: of one piece or of the row, basic, growth, or with growth.

Headings propose, arithmetic decides: a relation counts where it holds in two rows and every row that tests it, within
the rounding of the digits: row total = mass × quantity (product); with growth = basic + growth (sum) = basic × (1 +
share) = basic × factor; row total with growth = mass × quantity × (1 + share) (row_share).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Finding, Findings, name_list, rule_finding
from massprops_cli.tables.cells.number_text import word_set
from massprops_cli.tables.cells.units import MASS, unit_of_dimension
from massprops_cli.tables.columns.headings import (
    SYNONYM_MATCH,
    UNREAD_HEADING,
    Heading,
    heading_unit,
    ignore_option,
    is_percent_unit,
    map_option,
    operand_name,
)
from massprops_cli.tables.columns.mass_headings import (
    MAX_MASS_COLUMNS,
    STATED_RATE,
    ColumnEquation,
    MassRoles,
    ProposedMasses,
    has_mass_unit,
    header_words,
    is_heading_of_kind,
    is_per_piece,
    limit_subject,
    names_other_number,
    names_percent,
    side_words,
)
from massprops_cli.tables.equations import (
    MIN_RELATION_ROWS,
    Amounts,
    ColumnRelation,
    is_by_chance,
    pieces_between,
    preferred_relations,
    whole_of_parts,
)
from massprops_cli.tables.options import MASS_QUANTITIES

_Floats = NDArray[np.float64]

_SLOPPY_CONVERSION = 0.01  # the relative difference that a rough conversion explains
_OF_CENTER = r"(?i)\bcent(?:re|er)\b|schwerpunkt|centro|barycentre"  # Centre of Mass states no mass
_CONVERSION_TOLERANCE = 1e-9  # the relative difference that unit conversion and another order of multiplying explain
_BASIC_MASS_QUANTITIES = ("mass", "line_mass")


def find_mass_roles(proposed: ProposedMasses) -> MassRoles:
    """Find the roles of the columns of masses, growth and margins by docs/formulas.md, section 10."""
    return _RoleResolution(proposed).roles()


class _RoleResolution(ProposedMasses):
    """What headings propose, the relations between the proposed columns, and the roles that follow."""

    def __init__(self, proposed: ProposedMasses) -> None:
        vars(self).update(vars(proposed))
        self._relate()

    def _relate(self) -> None:
        """Find the relations of the columns with numbers, and the masses and limits among these."""
        masses = {*self.masses}
        self.named = masses.union(self.shares)  # equations of other columns alone show no masses
        self.shares = [j for j in self.shares if self.sample.is_numeric(j)]
        self.grown_by = [j for j in self.shares if not self._is_share(j)]
        self.counted = [j for j in self.counts if self.sample.is_numeric(j)]
        numeric = [j for j in sorted({*self.masses, *self.possible}) if self.sample.is_numeric(j)]
        self.amounts = numeric[:MAX_MASS_COLUMNS]
        self.running = {j for j in numeric if j not in self.mapped and any(self._is_running_sum(j, k) for k in numeric)}
        self.amounts = [j for j in self.amounts if j not in self.running]
        relations = (*self.products, *self.sums, *self.row_growth, *self.by_share)
        related = {k for r in relations for k in (r.result, r.of)}
        self.masses = [j for j in self.amounts if j in self.masses or j in related]
        self.limits = {j for j in self.amounts if self._is_limit(j)}
        # "Max mass" may also be a mass with its growth, or the only mass, but not next to one without numbers
        ends = {j for j in self.amounts if not self._is_known(j) and limit_subject(self.texts[j])}
        ends -= {r.result for r in relations if r.exact}
        self.limits |= ends if masses - ends else set()

    # columns

    def _is_known(self, j: int) -> bool:
        """Return whether a heading names a basic mass, or an option names the column."""
        return self.quantity_of(j) in _BASIC_MASS_QUANTITIES or j in self.mapped

    def _of_kind(self, kind: str, columns: Iterable[int]) -> list[int]:
        """Select the columns whose headings contain a word of a kind."""
        return [j for j in columns if is_heading_of_kind(kind, self.texts[j])]

    def _is_share(self, j: int) -> bool:
        """Return whether a column of growth is certainly a share, or a factor, by its heading or a sign of percent."""
        is_percent = names_percent(self.texts[j]) or is_percent_unit(self._unit(j)) or self.sample.has_percent(j)
        return is_percent or is_heading_of_kind("factor", self.texts[j])

    def _is_limit(self, j: int) -> bool:
        """Return whether the heading of a column that is not read yet names a limit."""
        return not self.quantity_of(j) and j not in self.mapped and is_heading_of_kind("limit", self.texts[j])

    def _unit(self, j: int) -> str:
        """Return the unit that a column's heading states, or nothing."""
        stated = self.headings.get(j, UNREAD_HEADING).unit or heading_unit(self.texts[j], "mass")
        return "kg" if not stated and self.sample.has_mass_cells(j) else stated

    def _unit_factor(self, j: int, other: int) -> float:
        """Compute the factor from masses of one column to the unit of another, 1 where either states none."""
        one, two = (unit_of_dimension(self._unit(k), MASS, common_only=True) for k in (j, other))
        return one.over(two) if one is not None and two is not None else 1.0

    def _values(self, j: int) -> _Floats:
        """Read the numbers (n,) of a column in its unit."""
        return self.sample.numbers(j)[0]

    def _in_unit_of(self, other: int, j: int) -> Amounts:
        """Read a column (n,) in the unit of another one."""
        return self.sample.numbers(j).scaled(self._unit_factor(j, other))

    def _has_amounts(self, j: int) -> bool:
        """Return whether a column states a number other than 0."""
        return bool(np.nansum(np.abs(self._values(j))))

    def _are_alike(self, columns: Sequence[int]) -> bool:
        """Return whether columns contain the same masses in every row, in one unit."""
        first, *others = map(self._values, columns)
        is_one_unit = len({self._unit(j) for j in columns}) == 1
        return is_one_unit and all(np.allclose(first, other, equal_nan=True) for other in others)

    def _without_other_units(self, columns: Sequence[int]) -> list[int]:
        """Leave out the columns that hold the masses of an earlier one in another unit, within their last digits."""
        kept: list[int] = []
        for j in columns:
            if not any(self._unit_factor(j, k) != 1 and self._agrees(j, k) for k in kept):
                kept.append(j)
        return kept

    def _agrees(self, j: int, other: int) -> bool:
        """Return whether two columns hold equal masses, within their last digits."""
        fits = self._in_unit_of(other, j).fits(self.sample.numbers(other))
        both = np.isfinite(self._values(j)) & np.isfinite(self._values(other))
        return bool(both.any() and fits[both].all())

    def _are_parts(self, large: int, small: int) -> bool:
        """Return whether masses are written in two columns, whole pounds and less than a pound of ounces."""
        whole, rest = self._values(large), self._in_unit_of(large, small).values
        fits = np.isfinite(whole) & np.isfinite(rest)
        are_parts = ((whole == np.floor(whole)) & (rest < 1))[fits]
        return self._unit_factor(small, large) < 1 and bool(are_parts.all() and (whole * rest > 0)[fits].any())

    # relations

    def _is_running_sum(self, j: int, mass: int) -> bool:
        """Return whether a column holds the sums of the masses of all rows so far, by more than chance."""
        one, stated = self._in_unit_of(j, mass), self.sample.numbers(j)
        known = np.isfinite(one.values)
        if j == mass or known.sum() < MIN_RELATION_ROWS or is_by_chance(stated, one):
            return False
        times = [np.ones(len(known)), *(np.where(np.isfinite(n), n, 1.0) for n in map(self._values, self.counted))]
        sums = (Amounts(*(np.cumsum(np.where(known, x, 0.0)) for x in one.scaled(n))) for n in times)
        return any(bool(each.fits(stated)[known].all()) for each in sums)

    def _relation(self, kind: str, result: int, of: int, by: int, computed: Amounts) -> ColumnRelation:
        """Test a relation: whether computed numbers are those of its result, where both are known."""
        stated, basic, second = (self.sample.numbers(result), *map(self._values, (of, by)))
        known = np.isfinite(stated.values) & np.isfinite(computed.values)
        off = np.abs(computed.values - stated.values)
        last_digit = stated.half + _CONVERSION_TOLERANCE * np.abs(stated.values)
        fits = known & (off <= last_digit + np.nan_to_num(computed.half, posinf=0.0))
        neutral = 1.0 if kind in ("product", "factor") else 0.0
        is_evidence = (stated.values != 0) | (computed.values == 0)  # 0 for a small number shows nothing
        testable = known & (second != neutral) & (basic != 0) & is_evidence
        exact = bool((off <= last_digit)[known].all())
        held, tested, decided, could = (int(mask.sum()) for mask in (fits, known, fits & testable, testable))
        return ColumnRelation(kind, result, of, by, held, tested, decided, exact, could)

    def _multiples(
        self, kind: str, by: int, results: Iterable[int], factor: Amounts, whole: float = 100.0
    ) -> list[ColumnRelation]:
        """Test whether results are masses of another column times a factor (n,); ``whole`` is a share of 100 %."""
        pairs = [(r, of) for r in results for of in self.amounts if of != r and {r, of} & self.named]
        tested = (self._relation(kind, r, of, by, self._in_unit_of(r, of).times(factor)) for r, of in pairs)
        return [relation._replace(whole=whole) for relation in tested]

    def _growth_factor(self, share: int, size: float = 100.0) -> Amounts:
        """Return 1 + share / size (docs/formulas.md, section 10)."""
        return self.sample.numbers(share).scaled(1 / size).shifted(1)

    @cached_property
    def products(self) -> list[ColumnRelation]:
        """Row total = mass of one piece × quantity, held in one decisive row at least."""
        pairs = permutations(sorted({*self.amounts, *self.grown_by}), 2)
        tried = [
            self._relation("product", line, unit, by, self._in_unit_of(line, unit).scaled(self._values(by)))
            for line, unit in pairs
            if {line, unit} & self.named
            for by in self.counted or self._whole_numbers()
        ]
        return preferred_relations([relation for relation in tried if relation.decisive])

    @property
    def held_products(self) -> list[ColumnRelation]:
        """Those that hold in every row."""
        return [relation for relation in self.products if relation.holds]

    def _whole_numbers(self) -> list[int]:
        """List the columns that may count pieces, unread or item numbers: whole, none negative, some above 1."""
        known = {*self.amounts, *self.shares, *self.factors}
        counts = []
        for j in (j for j, one in self.headings.items() if one.quantity in ("", "item") and j not in known):
            values = self._values(j)[np.isfinite(self._values(j))]
            is_count = len(values) >= MIN_RELATION_ROWS and values.min() >= 0 and values.max() > 1
            if is_count and (values == np.round(values)).all():
                counts.append(j)
        return counts

    @cached_property
    def sums(self) -> list[ColumnRelation]:
        """With growth = basic + growth, of columns of masses; in the order growth last where a heading names it."""
        columns = permutations(sorted({*self.amounts, *self.grown_by}), 3)
        named = (sides for sides in columns if self.named.intersection(sides))
        ordered = ((a, b, c) for a, b, c in named if b not in self.grown_by and (c in self.grown_by or b < c))
        tried = (
            self._relation("sum", a, b, c, self._in_unit_of(a, b).plus(self._in_unit_of(a, c))) for a, b, c in ordered
        )
        # of columns that no heading calls growth only an exact sum is one: whole numbers fit within rounding by chance
        return preferred_relations([r for r in tried if r.holds and (r.exact or r.by in self.grown_by)])

    @cached_property
    def row_growth(self) -> list[ColumnRelation]:
        """Row total with growth = mass of one piece × quantity + growth of the row."""
        tried: list[ColumnRelation] = []
        for times in map(self._values, self.counted):
            for growth, (result, of) in product(self.grown_by, permutations(self.amounts, 2)):
                computed = self._in_unit_of(result, of).scaled(times).plus(self._in_unit_of(result, growth).exact)
                tried.append(self._relation("row", result, of, growth, computed))
            for j, size in product(self.shares if (times > 1).any() else (), (100.0, 1.0)):
                shares = self._multiples("row_share", j, self.amounts, self._growth_factor(j, size).scaled(times), size)
                tried += [r for r in shares if r.exact or (times > 1).sum() >= MIN_RELATION_ROWS]
        known = {r.result for r in (*self.sums, *self.by_share, *(one for one in self.held_products if one.exact))}
        return [r for r in preferred_relations([r for r in tried if r.holds]) if r.result not in known]

    @cached_property
    def by_share(self) -> list[ColumnRelation]:
        """With growth = basic × (1 + share) or basic × factor, growth = basic × share."""
        tried: list[ColumnRelation] = []
        limits = [j for j in self.amounts if self._is_limit(j)]
        for j, size in product((j for j in self.shares if not has_mass_unit(self.texts[j])), (100.0, 1.0)):
            others = [growth for growth in self.grown_by if growth != j]
            tried += self._multiples("share", j, self.amounts, self._growth_factor(j, size), size)
            # what is left, as a share of the allocation
            tried += self._multiples("left", j, limits, self._growth_factor(j, -size).inverse())
            tried += self._multiples("part", j, others, self.sample.numbers(j).scaled(1 / size), size)
        for j, other in combinations(self.shares, 2):
            both = self._growth_factor(j).times(self._growth_factor(other).exact)
            tried += self._multiples("compound", j, self.amounts, both)
        for j in self.factors:
            tried += self._multiples("factor", j, self.amounts, self.sample.numbers(j))
        return preferred_relations([one for one in tried if one.holds and (one.exact or self._may_include_growth(one))])

    def _may_include_growth(self, relation: ColumnRelation) -> bool:
        """Return whether a word proposes what a relation within rounding computes: that alone fits limits by chance."""
        text, j = self.texts[relation.result], relation.result
        is_named = any(is_heading_of_kind(kind, text) for kind in ("with", "total", "growth"))
        return is_named or self._is_limit(j) or j in self.grown_by or bool(self.quantity_of(j))

    # roles

    def roles(self) -> MassRoles:
        """Assign a role to every column, and report the relations found."""
        self.margins = self._margins()
        self.grown = self._grown() or self._named_as_grown()
        growth = self._growth()
        earlier = self._earlier() | self._bounds()
        basic = [j for j in self.masses if j not in {*self.limits, *self.margins, *self.grown, *growth, *earlier}]
        sums_alone = self._sums_alone(basic)
        basic = [j for j in basic if j not in sums_alone]
        levels = self._levels()
        levels |= {r.result: levels[r.of] for r in self.grown.values() if r.kind == "grown" and r.of in levels}
        levels |= {r.result: "line" for r in self.grown.values() if r.kind == "grown_row"}
        units, lines = ([j for j in basic if levels.get(j) == level] for level in ("each", "line"))
        parted = [j for j in basic if any(self._are_parts(k, j) and self._is_rival(j, k) for k in basic)]
        # less than a pound of ounces next to pounds
        roles: dict[int, str] = dict.fromkeys((*self.limits, *self.margins, *self.running, *earlier, *parted), "")
        mass_is, findings = "", Findings()
        whole = None if units or lines else self._whole(basic)
        row_total, parts = self._uncounted_row_total(basic)
        if row_total is not None:
            roles |= dict.fromkeys(parts, "") | {row_total.column: "mass"}
            units, lines, mass_is = [], [row_total.column], "line"
        elif whole is not None:
            parts = (whole.of, whole.by)
            roles |= dict.fromkeys((*basic, *parts), "") | {whole.result: "mass"}
        elif units or lines:
            roles |= dict.fromkeys(lines[:1], "line_mass") if units else {}
            roles[(units or lines)[0]], mass_is = "mass", "each" if units else "line"
        else:
            roles |= self._only_basic(basic)
        roles |= dict.fromkeys(sums_alone[:1], "line_mass") if "line_mass" not in roles.values() else {}
        levels |= {
            j: "line" for j in growth if units and lines and j not in levels and self._is_of_rows(j, units, lines)
        }
        roles |= {j: self._growth_role(j, levels) for j in growth}
        roles |= {j: ("line_" if levels.get(j) == "line" else "") + "mass_with_growth" for j in self.grown}
        counts = [r.by for r in self.held_products if not self.counts and row_total is None]
        roles |= dict.fromkeys(counts[:1], "qty")
        equations = [*self._equations(roles), *([row_total] if row_total is not None else ())]
        place = self.table.place(self.row)
        if equations:
            findings.report("MP280", "; ".join(dict.fromkeys(one.words for one in equations)), place)
        self._report_open_margins(growth, findings)
        self._report_rival_growths([j for j in growth if roles[j] == "mga" and self._has_amounts(j)], findings)
        findings += [] if units or lines or whole else self._components(basic)
        is_open = not mass_is and not whole and self._is_open(basic)
        findings += [] if is_open or whole or row_total or findings.has_errors else self._unexplained(roles, basic)
        if whole is not None:
            name, of, by = (self.names[j] for j in (whole.result, whole.of, whole.by))
            equations.append(ColumnEquation(whole.result, f"{name} = {of} + {by} (blanks are 0)", whole.held))
            findings.report("MP280", f"{equations[-1].words}; {name} is the mass", place)
        known = (*self.margins, *self.running, *self.multiples, *parts, *earlier)
        explained = frozenset({*known, *(j for j, role in roles.items() if role)})
        return MassRoles(self._with_roles(roles), findings, mass_is, is_open, explained, tuple(equations))

    def _uncounted_row_total(self, basic: Sequence[int]) -> tuple[ColumnEquation | None, tuple[int, ...]]:
        """Find row totals next to masses of pieces that not one column counts, and the columns that explain them."""
        # two columns count them, or whole numbers that are not stated
        by_name = {self.quantity_of(j): j for j in basic}
        unit = by_name.get("mass", -1)
        totals = (j for j in self.multiples if self._decides(j, unit) + len(self._of_kind("total", [j])) > 0)
        line = by_name.get("line_mass", next(totals, -1))
        is_product = any((r.result, r.of) == (line, unit) for r in self.held_products)
        if min(unit, line) < 0 or len(basic) > 2 or {unit, line} & self.mapped or is_product:
            return None, ()
        of_pieces = f"{self.names[line]} = {self.names[unit]} ×"
        for one, two in combinations(sorted({*self.counted, *self._whole_numbers()}), 2):
            first, second = self._values(one), self._values(two)
            both = np.nan_to_num(first) + np.nan_to_num(second)
            for sign, times in (("{} × {}", first * second), ("({} + {})", both)):
                relation = self._relation("row", line, unit, one, self._in_unit_of(line, unit).scaled(times))
                if relation.holds and relation.held == relation.tested and relation.exact:
                    text = f"{of_pieces} {sign.format(self.names[one], self.names[two])}"
                    return ColumnEquation(line, text, relation.held), (line, unit, one, two)
        count = pieces_between(self.sample.numbers(line), self._in_unit_of(line, unit))
        if self.counted or not len(count):
            return None, ()
        text = f"{of_pieces} a whole number that no column states; {self.names[line]} is the mass"
        return ColumnEquation(line, text, len(count)), (line, unit)

    def _decides(self, j: int, mass: int) -> int:
        """Return 1 where a total of a column is stated and none of the masses, -1 in the opposite case, else 0."""
        return int(self.sample.states_total(j)) - int(self.sample.states_total(mass))

    def _margins(self) -> set[int]:
        """Find the columns of what limits leave."""
        # a mass with its growth may equal its limit: only a column named as a margin is one
        named = self._of_kind("margin", self.shares)
        left = (*self.by_share, *self.sums)
        margins = {r.by for r in left if r.result in self.limits and r.by in named and r.kind != "compound"}
        of_limits = (k for r in self.sums if r.result in self.limits for k in (r.of, r.by))
        for j, done in product(self.shares, self.running):  # margin to a limit after each row
            whole = self.sample.numbers(j).plus(self._in_unit_of(j, done))
            is_same = np.ptp(whole.values[np.isfinite(self._values(done))]) <= whole.half.max()
            margins |= {j} if is_same else set()
        return margins | self._left_of_limits() | set(self._of_kind("change", of_limits))

    def _left_of_limits(self) -> set[int]:
        """Find the margins that are what a limit leaves of a mass with growth, as a mass or as a share of it."""
        found: set[int] = set()
        masses = [j for j in self.masses if j not in self.limits]
        # limit = mass + growth + margin does not show which is which: only a heading does
        named = self._of_kind("margin", self.shares)
        for limit, mass, growth in product(self.limits, masses, set(self.shares) - set(named)):
            basic, added = (self._in_unit_of(limit, j) for j in (mass, growth))
            grown = basic.times(self._growth_factor(growth)) if self._is_share(growth) else basic.plus(added)
            left, is_above_zero = self.sample.numbers(limit).minus(grown), grown.values > 0
            for j in named:
                stated = self.sample.numbers(j)
                rest = left.scaled(100 / grown.values if self._is_share(j) else self._unit_factor(limit, j))
                off = np.abs(rest.values - stated.values)
                known = np.isfinite(off) & is_above_zero
                fits = off <= stated.half + rest.half * (1 + _CONVERSION_TOLERANCE)
                if known.sum() >= MIN_RELATION_ROWS and fits[known].all():
                    found.add(j)
        return found

    def _earlier(self) -> set[int]:
        """Find the masses of an earlier state next to those of now, and the differences between the two."""
        free = set(self.masses) - self.mapped
        then = set(self._of_kind("earlier", free))
        changes = set(self._of_kind("change", free - then))
        return then | changes if then and set(self.masses) - then - changes - self.limits else set()

    def _bounds(self) -> set[int]:
        """Find the least and the greatest mass by words, next to one between them in each row: best, nominal, worst."""
        free = set(self.masses) - self.mapped
        for low, high in product(self._of_kind("lower", free), self._of_kind("upper", free)):
            for j in free - {low, high}:
                least, mass, most = (self._in_unit_of(j, k).values for k in (low, j, high))
                known = np.isfinite(least + mass + most)
                if (least < most)[known].any() and ((least <= mass) & (mass <= most))[known].all():
                    return {low, high}
        return set()

    def _sums_alone(self, basic: Sequence[int]) -> list[int]:
        """Find the columns of masses with numbers only in rows where the masses of parts are blank: sums."""
        if len(known := [j for j in basic if self._is_known(j)]) != 1:
            return []
        named = [j for j in basic if self._of_kind("sum", [j]) or self._of_kind("mass", [j])]  # no Capacity of 500 kg
        filled = {j: np.isfinite(self._values(j)) for j in {*known, *named}}
        return [j for j in named if j != known[0] and not (filled[j] & filled[known[0]]).any()]

    def _grown(self) -> dict[int, ColumnRelation]:
        """Return the columns of masses with growth, each with its relation; also the row totals of such masses."""
        grown: dict[int, ColumnRelation] = {}
        for relation in (*self.sums, *self.row_growth, *self.by_share):
            is_added = relation.kind in ("sum", "row") and relation.by in self.grown_by
            is_growth = is_added or relation.kind in ("share", "compound", "factor", "row_share")
            if is_growth and relation.result not in self.limits and relation.by not in self.margins:
                grown.setdefault(relation.result, relation)
        for relation in self.held_products:
            if relation.of in grown and relation.result in self.masses:
                grown.setdefault(relation.result, relation)
        return grown

    def _named_as_grown(self) -> dict[int, ColumnRelation]:
        """Return the column that is named as a mass with growth and is nowhere below the mass of the row or piece."""
        named = self._of_kind("with", (j for j in self.amounts if j not in self.limits))
        others = [j for j in self.amounts if j not in (*self.limits, *self.grown_by, *named)]
        others = [j for j in others if self._is_known(j)] or others
        pieces = [j for j in others if any(r.of == j for r in self.held_products)]
        basic = [j for j in others if j not in pieces] or others
        is_one = len(basic) == 1 or (basic and self._are_alike(basic))
        if len(named) != 1 or not is_one or named[0] in self.mapped:
            return {}
        relations = (self._grown_from(named[0], j) for j in dict.fromkeys((basic[0], *pieces)))
        found = next((relation for relation in relations if relation is not None), None)
        return {named[0]: found} if found is not None else {}

    def _grown_from(self, grown: int, basic: int) -> ColumnRelation | None:
        """Return the relation of a mass that is nowhere below another one, and somewhere above it; None for others."""
        added = self.sample.numbers(grown).minus(self._in_unit_of(grown, basic))
        known = np.isfinite(added.values)
        more, allowed, rows = added.values[known], added.half[known], int(known.sum())  # 0: stated of assemblies only
        is_more = rows >= MIN_RELATION_ROWS and not (more < -allowed).any() and (more > allowed).any()
        if not (is_more or (not rows and np.isfinite(self._values(grown)).any())):
            return None
        kind = "grown_row" if self._reaches_row_totals(grown, basic) else "grown"
        return ColumnRelation(kind, grown, basic, basic, rows, rows, rows, exact=False)

    def _reaches_row_totals(self, grown: int, piece: int) -> bool:
        """Return whether a mass with growth is nowhere below those of one piece × quantity: the growth is of rows."""
        if len(self.counted) != 1 or any(r.result == piece for r in self.held_products):
            return False
        times = self._values(self.counted[0])
        above = self.sample.numbers(grown).minus(self._in_unit_of(grown, piece).scaled(times))
        known = np.isfinite(above.values)
        return bool((known & (times > 1)).any() and not (above.values < -above.half)[known].any())

    def _growth(self) -> list[int]:
        """Return the columns of growth: by a relation, by a sign of percent, or by an unambiguous heading."""
        by_relation = {r.by for r in self.grown.values() if r.by != r.of}
        by_relation |= {r.result for r in self.by_share if r.kind == "part"}
        by_relation |= {r.result for r in self.held_products if r.of in self.grown_by}
        left = self._of_kind("margin", self.shares) if self.limits else []
        sized = [j for j in self.shares if (self._is_share(j) or has_mass_unit(self.texts[j])) and j not in left]
        named = {*sized, *self.mapped, *(j for j in self.shares if self.quantity_of(j) == "mga")}
        return [j for j in self.shares if j not in self.margins and j in by_relation | named]

    def _levels(self) -> dict[int, str]:
        """Return for each column whether it is of one piece or of the row, if relations with the quantity show it."""
        levels: dict[int, str] = {}
        for relation in self._best_products():
            levels.setdefault(relation.of, "each")
            levels.setdefault(relation.result, "line")
        for relation in self.row_growth:
            levels.setdefault(relation.of, "each")
            levels |= {relation.result: "line"} | ({relation.by: "line"} if relation.kind == "row" else {})
        joined = [(r.result, r.of, *((r.by,) if r.kind == "sum" else ())) for r in (*self.sums, *self.by_share)]
        for columns in joined * 2:  # from the row totals to what they are sums of, and on to their shares
            if (level := next((levels[j] for j in columns if j in levels), None)) is not None:
                levels = dict.fromkeys(columns, level) | levels
        return levels

    def _best_products(self) -> list[ColumnRelation]:
        """Select the relations with the quantity that hold, those between the best known columns first."""
        of, result = (self.fixed.get(name) for name in _BASIC_MASS_QUANTITIES)
        fitting = [r for r in self.held_products if of in (None, r.of) and result in (None, r.result)]
        return sorted(fitting, key=lambda r: (-r.tested, -self._is_known(r.of) - self._is_known(r.result), r.of))

    def _whole(self, basic: Sequence[int]) -> ColumnRelation | None:
        """Return the relation of a column that is the sum of two others, each blank in some rows; None without one."""
        if self.mapped & set(basic) or not basic:
            return None
        known = {*self.shares, *self.factors, *self.counts}
        free = [j for j, one in self.headings.items() if not one.quantity and j not in known]
        columns = sorted({*basic, *(j for j in free if self.sample.is_numeric(j))})[:MAX_MASS_COLUMNS]
        whole = whole_of_parts(self.sample, columns)
        return whole if whole is not None and whole.result in basic and {whole.of, whole.by} & set(basic) else None

    def _only_basic(self, basic: Sequence[int]) -> dict[int, str]:
        """Return the role of the mass where one column alone can be it: the only one, a total, one of several alike."""
        if self.mapped & set(basic):
            return {}
        if (total := self._total_of(basic)) is not None:
            return {j: "mass" if j == total.result else "" for j in basic}
        tares = self._of_kind("tare", basic)
        nets = {k for r in self.sums for k in (r.of, r.by) if len(tares) == 1 and tares[0] in (r.of, r.by)} - {*tares}
        if len(nets) == 1 and len(basic) == 3:  # gross = tare + net
            return {j: "mass" if j in nets else "" for j in basic}
        if len(basic) > 1 and self._are_alike(basic):
            best = min(basic, key=lambda j: (not self._is_known(j), not is_per_piece(self.texts[j]), j))
            others = [j for j in basic if j != best]
            return {best: "mass", others[0]: "line_mass"} | dict.fromkeys(others[1:], "")
        unknown = len(basic) == 1 and not self._is_known(basic[0])
        return {basic[0]: "mass"} if unknown else {}

    def _sums_within(self, basic: Sequence[int]) -> list[ColumnRelation]:
        """List the sums between some columns alone."""
        return [r for r in self.sums if {r.result, r.of, r.by} <= set(basic)]

    def _total_of(self, basic: Sequence[int]) -> ColumnRelation | None:
        """Return the sum of other columns whose heading names a total; None where there is none."""
        sums = list({r.result: r for r in self._sums_within(basic)}.values())
        return sums[0] if len(sums) == 1 and is_heading_of_kind("total", self.texts[sums[0].result]) else None

    def _components(self, basic: Sequence[int]) -> list[Finding]:
        """Report an ambiguous mass column: one is the sum of two others, or several state masses that differ."""
        is_decided = "mass" in self._only_basic(basic).values() or self._total_of(basic) is not None
        if is_decided or self.mapped & {*basic, *self.grown}:
            return []
        if sums := self._sums_within(basic):
            columns: Sequence[int] = (sums[0].result, sums[0].of, sums[0].by)
            whole, one, two = (self.names[j] for j in columns)
            return [self._mass_question(columns, columns[0], f"{whole} = {one} + {two}")]
        if not (columns := self._rivals(basic)):
            return []
        named = [header_words(self.texts[j]) for j in columns]
        loads = [one for one in named if one & word_set("loads", "load")]  # dry and propellant
        are_parts = len(columns) == 2 and (len(loads) == 1 or all(one & side_words() for one in named))
        added = " + ".join(operand_name(self.table, self.row, j) for j in columns[:2])
        both = (f"--map mass={shlex.quote(added)}",) if are_parts else ()
        return [self._mass_question(columns, columns[0], "", *both)]

    def _mass_question(self, columns: Sequence[int], at: int, why: str = "", *others: str) -> Finding:
        """Ask which of some columns is the mass, with an option for each one and those of other readings."""
        why = why or f"{name_list([self.names[j] for j in columns])} differ, and nothing relates them"
        remedy = self.table.source.run_remedy(*others, *(self._map_option(j, "mass") for j in columns))
        place = self.table.place(self.row, at, self.names[at])
        return rule_finding("MP252", f"mass column is ambiguous: {why}", place, value=self.names[at], remedy=remedy)

    def _rivals(self, basic: Sequence[int]) -> Sequence[int]:
        """List the columns that may be the masses, where no heading names one: each in most rows, and they differ."""
        rivals = [] if any(map(self._is_known, basic)) else self._without_other_units(basic)
        rivals = [j for j in rivals if 2 * np.isfinite(self._values(j)).sum() > len(self.sample.rows)]
        return [] if self.counted or len(rivals) < 2 or self._are_alike(rivals) else rivals[:4]

    def _unexplained(self, roles: Mapping[int, str], basic: Sequence[int]) -> list[Finding]:
        """Ask which column is the mass where another one in its unit differs, and nothing explains that."""
        known = {name: j for j, name in roles.items() if name}
        known |= {self.quantity_of(j): j for j in basic[::-1] if j not in roles}
        mass, line = (known.get(name, -1) for name in _BASIC_MASS_QUANTITIES)
        mass = line if mass < 0 else mass
        related = {k for r in (*self.sums, *self.by_share, *self.products) if r.exact for k in (r.result, r.of, r.by)}
        if mass < 0 or {*_BASIC_MASS_QUANTITIES} & set(self.fixed):
            return []
        others = [j for j in basic if j not in (mass, line) and not roles.get(j) and j not in related - {mass}]
        others += [line] if line >= 0 and not self.products and not self.counts else []
        others += [j for j in self.possible if j in self.amounts and j not in (*others, *roles, *related)]
        if not (open_ := [j for j in others if self._is_rival(j, mass)]):
            return []
        columns = (mass, *open_[:3])
        if not self._are_parts(mass, open_[0]):
            return [self._mass_question(columns, open_[0])]
        why = f"{self.names[open_[0]]} may be added to {self.names[mass]}"
        added = " + ".join(operand_name(self.table, self.row, j) for j in columns[:2])
        return [self._mass_question(columns, open_[0], why, f"--map mass={shlex.quote(added)}")]

    def _is_rival(self, j: int, mass: int) -> bool:
        """Return whether a column states masses in most rows that are not those of the mass in another unit."""
        text, is_of_mass = self.texts[j], has_mass_unit(self.texts[j])
        decides = self._decides(j, mass)
        is_of_mass |= decides >= 0 and (self.sample.has_mass_cells(j) or j in self.multiples)
        is_of_mass |= decides > 0 and is_heading_of_kind("sum", text)
        is_named = is_heading_of_kind("mass", text) and not re.search(_OF_CENTER, text)
        if not self._are_parts(mass, j) and (
            not (is_of_mass or is_named) or self.quantity_of(j) == self.quantity_of(mass) != ""
        ):
            return False
        is_other = names_other_number(text) and not (is_of_mass and is_named)  # Gross weight (kg), Delta mass (g)
        kinds = ("limit", "spread", "earlier", "left", "growth", "with")
        if is_other or any(is_heading_of_kind(kind, text) for kind in kinds) or j in self.limits:
            return False
        wanted, half = self.sample.numbers(mass)
        stated = self._in_unit_of(mass, j)
        apart = np.abs(stated.values - wanted)
        both = np.isfinite(apart)
        if 2 * both.sum() <= np.isfinite(wanted).sum():
            return False
        allowed = np.maximum(stated.half, half) * (1 + _CONVERSION_TOLERANCE)  # one is the other with fewer digits
        allowed += _SLOPPY_CONVERSION * (self._unit(j) != self._unit(mass)) * np.abs(wanted)
        return bool((apart > allowed)[both].any())

    def _is_of_rows(self, growth: int, units: Sequence[int], lines: Sequence[int]) -> bool:
        """Return whether a growth is of the row: its row total is named as basic, or it is larger than a piece."""
        if named := self._of_kind("basic", (*units, *lines)):
            return named[0] in lines
        return bool((self._values(growth) > self._values(units[0])).any())

    def _growth_role(self, j: int, levels: Mapping[int, str]) -> str:
        """Return the role of a column of growth: a share, or a mass of one piece or of the row."""
        if any(r.kind == "compound" and r.result not in self.limits for r in self.by_share):
            return ""  # the mass with growth states it
        by_share = any(r.by == j for r in (*self.by_share, *self.row_growth) if r.kind != "row")
        as_mass = any(r.by == j and r.kind != "row_share" for r in (*self.sums, *self.row_growth))
        as_mass |= any(r.result == j for r in (*self.by_share, *self.products))
        named = self.quantity_of(j) == "mga"
        if self._is_share(j) or by_share or (named and not as_mass and not has_mass_unit(self.texts[j])):
            return "mga"
        return "line_growth_mass" if levels.get(j) == "line" else "growth_mass"

    def _is_open(self, basic: Sequence[int]) -> bool:
        """Return whether a row counts several pieces, and no relation shows the meaning of the masses."""
        basic = self._without_other_units(basic)
        is_related = any(2 * r.decisive > r.testable for r in self.products)
        if "mass" in self.fixed or len(basic) < 2 or is_related or any(is_per_piece(self.texts[j]) for j in basic):
            return False
        counts, masses = (list(map(self._values, columns)) for columns in (self.counts, basic))
        return any(bool(((count > 1) & np.isfinite(mass)).any()) for count, mass in product(counts, masses))

    def _with_roles(self, roles: Mapping[int, str]) -> dict[int, Heading]:
        """Assign the roles to the headings: one column each, the best known first; others of a role are not read."""
        headings, given = dict(self.headings), set(self.fixed)
        for j in sorted(roles, key=lambda j: (not self._is_known(j), j)):
            role = roles[j]
            if j in self.mapped or j not in headings:
                given.add(role)
            elif role and role not in given:
                given.add(role)
                unit = headings[j].unit or heading_unit(self.texts[j], "mass")
                unit = "" if role in ("mga", "qty") or re.search(STATED_RATE, unit) else unit
                wholes = {r.whole for r in (*self.by_share, *self.row_growth) if r.by == j and r.kind != "row"}
                unit = "1" if role == "mga" and wholes == {1.0} else unit  # 0.1 for 10 %
                headings[j] = Heading(role, unit, SYNONYM_MATCH, headings[j].order)
            else:
                headings[j] = UNREAD_HEADING
        for j, heading in headings.items():
            if heading.quantity in (*MASS_QUANTITIES, "mga") and heading.quantity in given and j not in roles:
                headings[j] = UNREAD_HEADING
        return headings

    def _equations(self, roles: Mapping[int, str]) -> list[ColumnEquation]:
        """Write the relations that gave the roles."""
        name = self.names
        sides = [(r, "{} × {}") for r in self._best_products() if {r.result, r.of} & roles.keys()]
        sides += [(r, _GROWTH_SIDES[r.kind]) for r in self.grown.values() if r.kind in _GROWTH_SIDES]
        equations = [
            ColumnEquation(r.result, f"{name[r.result]} = {side.format(name[r.of], name[r.by])}", r.held)
            for r, side in sides
        ]
        for by, r in {r.by: r for r in (*self.by_share, *self.sums) if r.by in self.margins}.items():
            text = f"{name[by]} is the margin of {name[r.result]} over {name[r.of]}, not growth"
            equations.append(ColumnEquation(by, text, 0))
        return equations

    def _map_option(self, j: int, quantity: str) -> str:
        """Write the option that reads a column as a quantity."""
        return map_option(self.table, self.row, j, quantity)

    def _report_rival_growths(self, growth: Sequence[int], findings: Findings) -> None:
        """Report several columns of growth that differ, where no mass with its growth shows which one is used."""
        known = {*self.mapped, *(relation.by for relation in self.grown.values())}
        if len(growth) < 2 or known & set(growth) or self._are_alike(growth):
            return
        names = [self.names[j] for j in growth]
        maps = " or ".join(self._map_option(j, "mga") for j in growth)
        remedy = f"select one with {maps}; growth that is added to it needs a column of both"
        place = self.table.place(self.row, growth[-1], names[-1])
        findings.report("MP202", f"{name_list(names)} are both growth", place, value=names[-1], remedy=remedy)

    def _report_open_margins(self, growth: Sequence[int], findings: Findings) -> None:
        """Report an ambiguous column of margins, which no relation and no unit resolves."""
        for j in self.shares:
            if j in self.margins or j in growth or not self._has_amounts(j):
                continue
            text = self.names[j]
            kinds = [f"{self._map_option(j, 'mga')} if it is growth in percent"]
            if not self._is_share(j):
                kinds.append(f"{self._map_option(j, 'growth_mass')} if it is growth as a mass")
            kinds.append(f"{ignore_option(self.table, self.row, j)} if it is the remaining margin")
            remedy = self.table.source.run_remedy(*kinds)
            message, place = f"{text} is ambiguous: growth or the remaining margin", self.table.place(self.row, j, text)
            findings.report("MP281", message, place, value=text, remedy=remedy)


_GROWTH_SIDES = {
    "sum": "{} + {}",
    "row": "{} × quantity + {}",
    "share": "{} × (1 + {})",
    "row_share": "{} × quantity × (1 + {})",
    "compound": "{} × (1 + {}) × another growth",
    "factor": "{} × {}",
}
"""How the right side of each relation of a mass with growth is written."""
