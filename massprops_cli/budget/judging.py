"""How each kind of limit is judged."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isinf, isnan

from massprops_cli.budget.case import Case, keeps
from massprops_cli.budget.envelope import judge_envelope
from massprops_cli.budget.limits import CENTERS, ENVELOPE, MOMENTS, dimension_of_limit
from massprops_cli.budget.margin import MARGIN_FORMULAS, ceiling_of, mass_basis_of
from massprops_cli.budget.measures import factor, in_table
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.wording import bounds, quantity_of, shown, with_unit, words_of
from massprops_cli.tables.units.unit_table import MASS

WHOLE = 100.0
"""The whole in percent, which a margin is a small difference to."""


def judge_range(case: Case) -> Verdict:
    """Hold a mass, a coordinate of the centre or an entry of the tensor between two ends."""
    limit, dimension = case.limit, dimension_of_limit(case.limit.subject)
    quantity, rule = quantity_of(limit.subject), RULES[limit.subject]
    asked = f"{bounds(limit, quantity)} ({case.entry.basis})"
    what = f"{case.entry.basis} {words_of(limit.subject)}"
    unit = limit.low.unit if isinf(limit.high.number) else limit.high.unit
    computed = case.here.value(case.i, quantity)
    if computed is None:
        return case.verdict(rule, asked, f"{what} is not known: {case.here.why(case.i, quantity)}", unit=unit)
    per_unit = factor(unit, dimension, case.units)
    value = computed / per_unit
    low, high = (in_table(end, dimension, case.units) / per_unit for end in (limit.low, limit.high))
    is_high = high - value <= value - low
    end, margin = (high, high - value) if is_high else (low, value - low)
    told, far = with_unit(value, unit, end), with_unit(abs(margin), unit)
    scale = max(abs(each) for each in (low, high) if isfinite(each))
    if keeps(margin, scale):
        message = f"{what} {told} keeps {with_unit(end, unit)}, {far} to spare"
    else:
        message = f"{what} {told} is {'above' if is_high else 'below'} {with_unit(end, unit)} by {far}"
    return case.verdict(rule, asked, message, value=value, limit=end, unit=unit, margin=margin, scale=scale)


def judge_margin(case: Case) -> Verdict:
    """Hold the margin to ``mass-max`` against the least that is asked, in percent of the margin's basis."""
    basis, mass_basis, least = case.entry.margin_basis, mass_basis_of(case.entry), case.limit.low.number
    formula = MARGIN_FORMULAS[basis].format(basis=mass_basis)
    asked = f"margin ≥ {with_unit(least, '%')}, {formula}"
    ceiling, figures = ceiling_of(case.entry), case.figures(mass_basis)
    computed = figures.value(case.i, "mass")
    if computed is None or computed <= 0 or ceiling.number <= 0:
        side = "limit" if computed and computed > 0 else "mass"
        why = figures.why(case.i, "mass") if computed is None else f"its {side} is not above 0"
        return case.verdict("MP603", asked, f"margin is not known: {why}", unit="%", limit=least)
    top, mass = ceiling.number, computed / factor(ceiling.unit, MASS, case.units)
    whole = top if basis == "allocation" else mass
    margin = 100 * (top - mass) / whole
    side = "is at least" if keeps(margin - least, WHOLE) else "is less than"
    numbers = f"({shown(top)} − {shown(mass, top)}) / {with_unit(whole, ceiling.unit)}"
    message = f"margin {with_unit(margin, '%', least)} = {formula} = {numbers} {side} {with_unit(least, '%')}"
    return case.verdict(
        "MP603", asked, message, value=margin, limit=least, unit="%", margin=margin - least, scale=WHOLE
    )


def judge_coverage(case: Case) -> Verdict:
    """Hold the share of the parts whose mass is known against the least that is asked."""
    share, least = case.here.share_known(case.i), case.limit.low.number
    asked = f"coverage ≥ {with_unit(least, '%')} ({case.entry.basis})"
    if share is None:
        return case.verdict("MP607", asked, "coverage is not known: no part of it counts", unit="%", limit=least)
    value = 100 * share
    side = "of at least" if keeps(value - least, least) else "of less than"
    told = f"{with_unit(value, '%', least)} of its parts is known, {side} {with_unit(least, '%')}"
    message = f"the {case.entry.basis} mass of {told}"
    return case.verdict("MP607", asked, message, value=value, limit=least, unit="%", margin=value - least)


def judge_maturity(case: Case) -> Verdict:
    """Hold the share of the mass that is at least as sure as a word under ``method`` against the least asked."""
    from massprops_cli.bom.uncertain.maturity import WORDS

    word, least = case.limit.word, case.limit.low.number
    asked = f"mass at least {word} ≥ {with_unit(least, '%')}"
    shares = case.here.result.shares_of_mass
    sure = [shares[name][case.i] for name in WORDS[WORDS.index(word) :] if name in shares]
    value = 100 * float(sum(sure))
    if not shares or isnan(value):
        why = "it has no mass" if shares else f"the table has no column method, {', '.join(WORDS)}"
        return case.verdict("MP609", asked, f"maturity is not known: {why}", unit="%", limit=least)
    side = "at least" if keeps(value - least, least) else "less than"
    message = f"{with_unit(value, '%', least)} of its mass is {word} or surer, {side} {with_unit(least, '%')}"
    return case.verdict("MP609", asked, message, value=value, limit=least, unit="%", margin=value - least)


RULES = {
    "mass-max": "MP601",
    "mass-min": "MP602",
    **dict.fromkeys(CENTERS, "MP604"),
    **dict.fromkeys(MOMENTS, "MP606"),
}
JUDGES: dict[str, Callable[[Case], Verdict]] = {
    **dict.fromkeys(RULES, judge_range),
    "margin-min": judge_margin,
    ENVELOPE: judge_envelope,
    "coverage-min": judge_coverage,
    "maturity-min": judge_maturity,
}
"""How every limit is judged, but for probabilities, which are about the others."""
