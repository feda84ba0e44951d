"""The truth of a drawn list, from its parts alone, and the reasons why a list would not have one."""

from __future__ import annotations

from decimal import Decimal

from tests.simulator.mass_list import KILOGRAMS, MILLIMETRES, Item, MassList, Truth, walk

ZERO = Decimal(0)


def _kilograms(spec: MassList, value: Decimal, unit: str = "") -> Decimal:
    return value * KILOGRAMS[unit or spec.unit]


def pieces(items: tuple[Item, ...], factor: int = 1) -> list[tuple[Item, int]]:
    """Parts with the number of their pieces in the whole."""
    found = []
    for item in items:
        count = factor * item.quantity
        found += pieces(item.children, count) if item.children else [(item, count)]
    return found


def truth_of(spec: MassList) -> Truth:
    """Root mass, predicted mass and centre of a list, in kg and mm."""
    counted = pieces(spec.items)
    mass = sum((_kilograms(spec, part.mass * count, part.unit) for part, count in counted), ZERO)
    predicted, predicted_tolerance = None, ZERO
    if spec.masses == "budget" and set(spec.budget_columns) & {"share", "growth", "predicted"}:
        exact = sum((part.mass * count * (1 + part.growth / 100) for part, count in counted), ZERO)
        predicted = _kilograms(spec, exact)
        if "share" not in spec.budget_columns:
            predicted_tolerance = _kilograms(spec, len(counted) * half_unit(spec))
        else:  # the share or the rounded column may be used
            predicted_tolerance = (
                _kilograms(spec, len(counted) * half_unit(spec)) if len(spec.budget_columns) > 1 else ZERO
            )
    elif spec.margin_percent:
        predicted = mass * (1 + Decimal(spec.margin_percent) / 100)
        predicted_tolerance = _kilograms(spec, 10 * half_unit(spec))  # the row of the margin is rounded as the masses
    center: list[Decimal | None] = [None, None, None]
    for axis in spec.axes:
        moments = sum(
            (_kilograms(spec, part.mass * count, part.unit) * part.place[axis] for part, count in counted), ZERO
        )
        center[axis] = moments / mass * MILLIMETRES[spec.length] if mass else None
    alternatives, every = alternatives_of(spec, mass)
    return Truth(mass, ZERO, predicted, predicted_tolerance, tuple(center), len(counted), alternatives, every)


def half_unit(spec: MassList) -> Decimal:
    """Half a unit of the last digit of the growth columns."""
    return Decimal(1).scaleb(-growth_digits(spec)) / 2


def digits_of(spec: MassList) -> int:
    """Digits after the mark in the masses of the list."""
    return max((max(-int(part.mass.as_tuple().exponent), 0) for part in spec.parts), default=0)


def growth_digits(spec: MassList) -> int:
    """Digits after the mark in the columns of growth: one more than in the masses."""
    return digits_of(spec) + 1


def second_mass(part: Item) -> Decimal:
    """Another mass of a part, without a relation to the first."""
    return part.mass + Decimal(part.key % 7 + 2).scaleb(int(part.mass.as_tuple().exponent)) * (1 if part.key % 2 else 3)


def second_quantity(part: Item) -> int:
    """The quantity in another variant of the product."""
    return part.key % 4 + (1 if part.quantity != part.key % 4 + 1 else 2)


def range_end(part: Item) -> Decimal:
    """The upper end of a mass stated as a range."""
    return part.mass + Decimal(4).scaleb(int(part.mass.as_tuple().exponent))


def alternatives_of(spec: MassList, mass: Decimal) -> tuple[tuple[Decimal, ...], bool]:  # noqa: PLR0911 one return for each kind
    """Totals of an ambiguous list, and whether all of them must be offered."""
    counted = pieces(spec.items)
    unclear = [(part, count) for part, count in counted if part.style in ("range", "missing", "times")]
    others = mass - sum((_kilograms(spec, part.mass * count, part.unit) for part, count in unclear), ZERO)
    if spec.ambiguity == "two masses":
        return (
            mass,
            sum((_kilograms(spec, second_mass(part) * count, part.unit) for part, count in counted), ZERO),
        ), True
    if spec.ambiguity == "two quantities":
        return (
            mass,
            sum((_kilograms(spec, part.mass * second_quantity(part), part.unit) for part, _ in counted), ZERO),
        ), True
    if spec.ambiguity == "nameless quantity":
        return (mass, sum((_kilograms(spec, part.mass, part.unit) for part, _ in counted), ZERO)), True
    if spec.ambiguity == "range":
        high = sum((_kilograms(spec, range_end(part) * count, part.unit) for part, count in unclear), ZERO) + others
        return (mass, high, (mass + high) / 2, others), False
    if spec.ambiguity == "missing":
        return (others,), False
    if spec.ambiguity == "times":
        return (mass, others + sum((_kilograms(spec, part.mass * 4 * count) for part, count in unclear), ZERO)), True
    if spec.ambiguity == "thousands":
        return (mass, mass * 1000), True
    return (), False


def _significant(value: Decimal) -> int:
    return len(value.as_tuple().digits)


def _chance_sum(masses: list[Decimal]) -> bool:
    """Whether a part has the mass of two or more parts directly above it."""
    for index, mass in enumerate(masses):
        total = ZERO
        for count, above in enumerate(reversed(masses[:index]), 1):
            total += above
            if count > 1 and total == mass:
                return True
    return False


def dispute(spec: MassList) -> str:  # noqa: PLR0911 one return for each reason
    """Why engineers could read the list differently; blank where they could not."""
    parts = spec.parts
    if not parts or any(not part.mass for part in parts):
        return "no masses"
    if any(
        item.children == ()
        and depth == 0
        and spec.hierarchy in ("headings", "statement", "sums", "cumulative", "group column")
        for item, depth in walk(spec.items)
    ):
        return "empty group"
    counts = [part.quantity for part in parts]
    if _chance_sum([part.mass for part in parts]) or _chance_sum([part.row for part in parts]):
        return "a part equals the sum of parts above by chance"
    heading = spec.words.quantity.rstrip(".").lower()
    if spec.quantities and heading in ("#", "no", "n", "nº", "x", "数", "number", "units", "nr", "nos"):
        if spec.masses in ("piece", "word piece") and (max(counts) == 1 or len(set(counts)) == len(counts)):
            return "the quantities could be numbers of rows"
        if counts == list(range(1, len(counts) + 1)):
            return "the quantities are numbers of rows"
    if spec.masses == "word row" and not (spec.total and max(counts) > 1):
        return "nothing decides that the mass is of the row"
    if spec.masses in ("row",) and not spec.words.row_is_stated:
        return "nothing decides that the mass is of the row"
    if spec.ambiguity in ("two quantities", "nameless quantity") and max(counts) == 1:
        return "no difference"
    if spec.ambiguity == "thousands" and not all(
        part.mass == part.mass.quantize(Decimal("0.001")) and part.mass >= 1 for part in parts
    ):
        return "no difference"
    if spec.ambiguity in ("range", "missing", "times") and all(part.style == "plain" for part in parts):
        return "no difference"
    if spec.ambiguity in ("range", "missing", "times") and len(parts) < 2:
        return "no difference"
    if spec.ambiguity and len({a.normalize() for a in truth_of(spec).alternatives}) < (
        2 if spec.ambiguity != "missing" else 1
    ):
        return "no difference"
    if spec.decimal_mark == "," and spec.ambiguity != "thousands" and _three_digits(spec):
        return "the comma could separate thousands"
    if (
        spec.masses == "budget"
        and all(part.growth == 0 for part in parts)
        and (spec.budget_columns or spec.margin_percent)
    ):
        return "no growth"
    if spec.masses == "budget" and spec.budget_words.share_needs_predicted and "predicted" not in spec.budget_columns:
        return "a margin without a predicted mass"
    if spec.hierarchy == "headings" and spec.sums == "above" and not spec.total:
        return "nothing decides that the headings are sums"
    if spec.hierarchy == "sums" and len(spec.items) < 2:
        return "one sum of all"
    if spec.hierarchy in ("sums", "cumulative") and (spec.sum_names != "words" or spec.hierarchy == "cumulative"):
        sums = [item.row for item in spec.items]
        if len(spec.items[0].children) < 2 or any(_significant(total) < 3 for total in sums):
            return "a sum without a word and without digits"
        if spec.hierarchy == "sums" and any(len(item.children) < 2 for item in spec.items):
            return "a sum of one part without a word"
    if (
        any(item.quantity > 1 for item, _ in walk(spec.items) if item.children)
        and " per " in f" {spec.words.quantity.lower()}"
    ):
        return "quantities of the product, not of the assembly"
    if any(item.quantity > 1 for item, _ in walk(spec.items) if item.children) and "row" in spec.masses:
        return "rows of several assemblies"
    return ""


def _three_digits(spec: MassList) -> bool:
    digits = {digits_of(spec)} | ({growth_digits(spec)} if spec.masses == "budget" else set())
    return 3 in digits
