"""Base parameters of a mechanism for the screen, as Markdown, LaTeX and CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from massprops_cli.reports.graphs.observation import observation_blocks, observation_text
from massprops_cli.reports.page.findings import count_with_noun, escape_markdown_cell, markdown_code
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.mechanisms.base_inertia import BaseParameters

_DECIMAL_DIGITS = 8  # significant digits of a coefficient
_TERM_LETTERS = {"viscous": "d_", "coulomb": "f_", "spring": "k_", "preload": "\\tau_"}
"""Symbols of the constitutive parameters of joints."""


def base_parameter_blocks(found: BaseParameters, symbols: Symbols) -> list[PageBlock]:
    """Lay out the counts and the base parameters."""
    blank: list[PageBlock] = [Line()]
    lines: list[PageBlock] = [
        text_line(TextSpan(f"{found.mechanism.name or 'mechanism'}: ", "strong"), _counts_text(found)),
        text_line(TextSpan(symbols.good, "good"), f" {_certificate_text(found)}")
        if found.is_certified
        else text_line(_certificate_text(found)),
    ]
    rows = [
        [TextSpan(str(number), "dim"), TextSpan(head, "strong"), TextSpan(_sum_text(head, terms))]
        for number, (head, terms) in enumerate(_shown_terms(found).items(), 1)
    ]
    lines += [*blank, Grid(rows, "rll", shrink=2)] if rows else blank
    names = [found.names[index] for index in found.grouping.without_effect]
    if names:
        lines += [*blank, text_line(TextSpan("without effect: ", "strong"), " ".join(names), hang=2)]
    others = [found.names[index] for index in found.grouping.eliminated if found.names[index] not in names]
    if others:
        lines.append(text_line(TextSpan("eliminated: ", "strong"), " ".join(others), hang=2))
    return lines if found.observation is None else lines + observation_blocks(found.observation)


def _counts_text(found: BaseParameters) -> str:
    """Return the line of counts."""
    mechanism, freedoms = found.mechanism, found.grouping.freedoms
    parts = [
        f"{count_with_noun(len(found.names), 'parameter')}, "
        + count_with_noun(len(found.grouping.base), "base parameter"),
        f"{_bodies_text(len(mechanism.bodies))}, {count_with_noun(len(mechanism.joints), 'joint')}, "
        + count_with_noun(mechanism.loops, "loop"),
    ]
    if freedoms is not None:
        parts.append(f"{count_with_noun(freedoms, 'degree')} of freedom")
    return "; ".join(parts)


def _bodies_text(count: int) -> str:
    """Return the number of bodies."""
    return "1 body" if count == 1 else f"{count:,} bodies"


def _certificate_text(found: BaseParameters) -> str:
    """Return what confirms the number of base parameters."""
    if found.is_certified:
        return "certified: exact reduction and structural rules give the same number"
    if found.method == "structural":
        return "upper bound by structural rules"
    if found.observation is not None:
        exact = found.observation.exact_count
        return "observation matrix" + ("" if exact is None else f"; exact reduction gives {exact}")
    if found.method == "complex":
        return f"double precision, not certified; structural rules give {found.upper_bound}"
    if found.upper_bound is None:
        return "assembled to 300 digits, not certified"
    return f"not certified: structural rules give {found.upper_bound}"


def _shown_terms(found: BaseParameters) -> dict[str, dict[str, str]]:
    """Return the coefficients as symbols, if the result has them, else as fractions."""
    symbolic = found.symbolic_combinations()
    if symbolic is not None:
        return symbolic
    return {
        head: {name: _decimal_text(value) if isinstance(value, float) else str(value) for name, value in terms.items()}
        for head, terms in found.combinations().items()
    }


def _sum_text(head: str, terms: dict[str, str]) -> str:
    """Write a base parameter as a sum of parameters."""
    text = head
    for name, value in terms.items():
        sign, size = ("-", value[1:]) if value.startswith("-") and _is_product(value[1:]) else ("+", value)
        factor = "" if size == "1" else f"({size})·" if re.search(r"[ +/-]", size) else f"{size}·"
        text += f" {sign} {factor}{name}"
    return text


def _is_product(text: str) -> bool:
    """Return whether an expression has no sum outside its parentheses."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "+-":
            return False
    return True


def base_parameter_lines(found: BaseParameters) -> str:
    """Write each base parameter as a sum in a line."""
    return "".join(f"{_sum_text(head, terms)}\n" for head, terms in _shown_terms(found).items())


def base_parameter_rows(found: BaseParameters) -> list[dict[str, Any]]:
    """Return a record for each coefficient."""
    symbolic = found.symbolic_combinations()
    rows: list[dict[str, Any]] = []
    for head, terms in found.combinations().items():
        for name, value in {head: 1, **terms}.items():
            exact = {"exact": str(value)} if found.is_exact else {}
            row = {"base": head, "parameter": name, **exact, "decimal": repr(float(value))}
            if symbolic is not None:
                row["symbolic"] = symbolic[head].get(name, "1")
            rows.append(row)
    return rows


def base_parameter_csv(found: BaseParameters) -> str:
    """Write the coefficients as CSV."""
    import csv
    import io

    rows = base_parameter_rows(found)
    out = io.StringIO()
    names = ["base", "parameter", *(name for name in ("exact", "decimal", "symbolic") if rows and name in rows[0])]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def base_parameter_markdown(found: BaseParameters) -> str:
    """Write the counts and the base parameters as Markdown."""
    head = f"# Base parameters of {escape_markdown_cell(found.mechanism.name or 'the mechanism')}\n\n"
    text = f"{head}{_counts_text(found)}.\n\n{_certificate_text(found).capitalize()}.\n\n"
    if found.observation is not None:
        text += f"{escape_markdown_cell(observation_text(found.observation).capitalize())}.\n\n"
    text += "| | base parameter | decimal coefficients |\n|---|---|---|\n"
    shown = _shown_terms(found)
    for number, (name, terms) in enumerate(found.combinations().items(), 1):
        decimals = escape_markdown_cell(", ".join(f"{one} {_decimal_text(value)}" for one, value in terms.items()))
        text += f"| {number} | {markdown_code(_sum_text(name, shown[name]), is_cell=True)} | {decimals} |\n"
    without = escape_markdown_cell(", ".join(found.names[index] for index in found.grouping.without_effect))
    return text + (f"\nWithout effect: {without}.\n" if without else "")


def _decimal_text(value: Any) -> str:
    """Write a coefficient with eight significant digits."""
    return f"{float(value):.{_DECIMAL_DIGITS}g}"


def base_parameter_latex(found: BaseParameters) -> str:
    """Write the base parameters as an array of LaTeX."""
    rows = []
    for number, (head, terms) in enumerate(_shown_terms(found).items(), 1):
        text = _latex_name(head)
        for name, value in terms.items():
            text += _latex_term(value, _latex_name(name))
        rows.append(f"  \\varphi_{{{number}}} &= {text}")
    return "\\begin{align}\n" + " \\\\\n".join(rows) + "\n\\end{align}\n"


def _is_decimal(text: str) -> bool:
    """Return whether a coefficient is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _latex_name(name: str) -> str:
    """Write ``mx1`` as mx with the index 1, ``mx_arm`` with the index arm."""
    term, _, joint = name.partition("_")
    if term in _TERM_LETTERS:
        return f"{_TERM_LETTERS[term]}{{\\mathrm{{{_latex_label(joint)}}}}}"
    quantity, body = re.fullmatch(r"(m[xyz]?|I[xyz]{2})_?(.*)", name).groups()  # type: ignore[union-attr] # all names
    label = _latex_label(body)
    if quantity[0] == "I":
        return f"I_{{{quantity[1:]},\\mathrm{{{label}}}}}"
    return f"{quantity}_{{\\mathrm{{{label}}}}}"


def _latex_label(text: str) -> str:
    """Escape a name."""
    return re.sub(r"([_%&#$])", r"\\\1", text)


def _latex_term(value: str, name: str) -> str:
    """Write a coefficient and a name with the sign."""
    fraction = re.fullmatch(r"(-?)(\d+)(?:/(\d+))?", value)
    if fraction is None and _is_decimal(value):
        return f" {value[0] if value[0] == '-' else '+'} {value.lstrip('-')}\\, {name}"
    if fraction is None:
        from sympy import latex, sympify

        return f" + \\left({latex(sympify(value))}\\right) {name}"
    sign, top, bottom = fraction.groups()
    number = f"\\tfrac{{{top}}}{{{bottom}}} " if bottom else "" if top == "1" else f"{top} "
    return f" {sign or '+'} {number}{name}"
