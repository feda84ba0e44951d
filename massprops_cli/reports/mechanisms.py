"""Results of mechanisms on the screen and as data: base parameters, observation, mass matrix and joint forces."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.findings.finding import UsageError, count_with_noun, name_list
from massprops_cli.options import wrong_word_text
from massprops_cli.reports.page import page
from massprops_cli.reports.page.findings import csv_text, escape_markdown_cell, markdown_code
from massprops_cli.tables.cells.number_text import is_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from massprops_cli.mechanisms.base_inertia import BaseParameters
    from massprops_cli.mechanisms.observation.observed_parameters import Observation

_DECIMAL_DIGITS = 8  # significant digits of a coefficient
_TERM_LETTERS = {"viscous": "d_", "coulomb": "f_", "spring": "k_", "preload": "\\tau_"}
"""Symbols of the constitutive parameters of joints."""
_DIGITS = 6  # significant digits of an entry
_GAP = 2  # blanks before each column
_ROUNDING = 1e-15  # less than this share of the largest number is shown as 0
_Texts = list[tuple[str, list[str]]]
_BLUE, _PALE, _ORANGE, _GREY = "#0072B2", "#C9DFEF", "#D55E00", "#767676"
"""Colours for colour vision deficiency (Okabe and Ito), and a grey."""
_TABLE_FORMATS = ("csv", "json", "parquet")
_INCHES, _LARGEST = 0.26, 9.0  # size of one entry, and of the matrix at most
_LETTER = 0.072  # inches of a letter of a name
_MOST_NAMES = 60  # coordinates beyond which only segments are named


def base_parameter_blocks(
    found: BaseParameters, symbols: page.Symbols, *, shows_transfers: bool = False
) -> list[page.PageBlock]:
    """Lay out the counts and the base parameters, on request with what each joint transfers."""
    blank: list[page.PageBlock] = [page.Line()]
    lines: list[page.PageBlock] = [
        page.text_line(page.TextSpan(f"{found.mechanism.name or 'mechanism'}: ", "strong"), _counts_text(found)),
        page.text_line(page.TextSpan(symbols.good, "good"), f" {_certificate_text(found)}")
        if found.is_certified
        else page.text_line(_certificate_text(found)),
    ]
    rows = [
        [page.TextSpan(str(number), "dim"), page.TextSpan(head, "strong"), page.TextSpan(_sum_text(head, terms))]
        for number, (head, terms) in enumerate(_shown_terms(found).items(), 1)
    ]
    lines += [*blank, page.Grid(rows, "rll", shrink=2)] if rows else blank
    if names := [found.names[index] for index in found.grouping.without_effect]:
        lines += [*blank, page.text_line(page.TextSpan("without effect: ", "strong"), " ".join(names), hang=2)]
    others = [found.names[index] for index in found.grouping.eliminated if found.names[index] not in names]
    if others:
        lines.append(page.text_line(page.TextSpan("eliminated: ", "strong"), " ".join(others), hang=2))
    lines += _transfer_blocks(found) if shows_transfers else []
    return lines if found.observation is None else lines + _observation_blocks(found.observation)


def _transfer_blocks(found: BaseParameters) -> list[page.PageBlock]:
    """Lay out what each joint transfers: donor, acceptor, condition, then a line for each multipole."""
    lines: list[page.PageBlock] = []
    last = ""
    for one in found.transfers():
        if one.joint != last:
            head = f" ({one.kind}): {one.donor} to {one.acceptor}; {one.condition}"
            lines += [page.Line(), page.text_line(page.TextSpan(one.joint, "strong"), head)]
            last = one.joint
        terms = " ".join(f"{name} {'+' if value > 0 else ''}{value}" for name, value in one.parameters.items())
        lines.append(page.text_line(page.TextSpan(f"  {one.multipole}  ", "dim"), terms, hang=4))
    return lines


def transfer_dict(found: BaseParameters) -> dict[str, Any]:
    """Return what joints transfer as plain JSON values."""
    passed = found.transfers()
    values = [{**one._asdict(), "parameters": {k: str(v) for k, v in one.parameters.items()}} for one in passed]
    return {"transfers": values}


def _counts_text(found: BaseParameters) -> str:
    """Return the line of counts."""
    mechanism, freedoms = found.mechanism, found.grouping.freedoms
    counts = {"parameter": len(found.names), "base parameter": len(found.grouping.base)}
    parts = {"body": len(mechanism.bodies), "joint": len(mechanism.joints), "loop": mechanism.loops}
    texts = [", ".join(count_with_noun(count, noun) for noun, count in some.items()) for some in (counts, parts)]
    return "; ".join([*texts, *([f"{count_with_noun(freedoms, 'degree')} of freedom"] if freedoms is not None else [])])


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
    if (symbolic := found.symbolic_combinations()) is not None:
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
    rows = base_parameter_rows(found)
    names = ["base", "parameter", *(name for name in ("exact", "decimal", "symbolic") if rows and name in rows[0])]
    return csv_text([names, *([row[name] for name in names] for row in rows)])


def base_parameter_markdown(found: BaseParameters) -> str:
    """Write the counts and the base parameters as Markdown."""
    head = f"# Base parameters of {escape_markdown_cell(found.mechanism.name or 'the mechanism')}\n\n"
    text = f"{head}{_counts_text(found)}.\n\n{_certificate_text(found).capitalize()}.\n\n"
    if found.observation is not None:
        text += f"{escape_markdown_cell(_observation_text(found.observation).capitalize())}.\n\n"
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
    if (fraction := re.fullmatch(r"(-?)(\d+)(?:/(\d+))?", value)) is None and is_number(value):
        return f" {value[0] if value[0] == '-' else '+'} {value.lstrip('-')}\\, {name}"
    if fraction is None:
        from sympy import latex, sympify

        return f" + \\left({latex(sympify(value))}\\right) {name}"
    sign, top, bottom = fraction.groups()
    number = f"\\tfrac{{{top}}}{{{bottom}}} " if bottom else "" if top == "1" else f"{top} "
    return f" {sign or '+'} {number}{name}"


def _columns(content: Mapping[str, Any]) -> list[tuple[str, list[float]]]:
    """Return the columns: those of the mass matrix, then C and T if there are any."""
    names, matrix = content["coordinates"], content["M"]
    found = [(f"M {name}", [row[k] for row in matrix]) for k, name in enumerate(names)]
    return found + [(name, content[name]) for name in ("C", "T") if name in content]


def joint_force_csv(content: Mapping[str, Any]) -> str:
    """Write the mass matrix, with C and T next to it, as csv."""
    columns = _columns(content)
    rows = [["coordinate", *(_cell_text(name) for name, _ in columns)]]
    for k, name in enumerate(content["coordinates"]):
        rows.append([_cell_text(name), *(repr(values[k]) for _, values in columns)])
    return csv_text(rows)


def _cell_text(name: str) -> str:
    """Return a name on one line that no host of code reads as a command."""
    return page.escape_workflow_commands(page.TextSpan(name).text)


def joint_force_blocks(content: Mapping[str, Any], width: int | None = None) -> list[page.PageBlock]:
    """Lay out the mass matrix, with C and T next to it."""
    names, columns = content["coordinates"], _columns(content)
    title = page.text_line(
        page.TextSpan(f"{content['mechanism'] or 'mechanism'}: ", "strong"),
        count_with_noun(len(names), "degree") + " of freedom",
    )
    small = _ROUNDING * max((abs(x) for _, values in columns for x in values), default=0.0)
    texts = [
        (name, [f"{value if abs(value) > small else 0:.{_DIGITS}g}" for value in values]) for name, values in columns
    ]
    blocks: list[page.PageBlock] = [title]
    for part in _parts_of_width(texts, max((len(name) for name in names), default=0), width) if names else []:
        heads = [page.TextSpan("", "dim"), *(page.TextSpan(name, "dim") for name, _ in part)]
        rows = [
            [page.TextSpan(name, "strong"), *(page.TextSpan(own[k]) for _, own in part)] for k, name in enumerate(names)
        ]
        blocks += [page.Line(), page.Grid([heads, *rows], "l" + "r" * len(part))]
    return blocks


def pattern_blocks(content: Mapping[str, Any], symbols: page.Symbols) -> list[page.PageBlock]:
    """Lay out which entries of the mass matrix are not 0 whatever the pose; a blank line between segments."""
    rows, last = content.get("pattern", ()), None
    blocks: list[page.PageBlock] = []
    width = max((len(row["coordinate"]) for row in rows), default=0)
    for row in rows:
        blocks += [page.Line()] if row["segment"] != last else []
        last = row["segment"]
        cells = (symbols.full if other["coordinate"] in row["related"] else "." for other in rows)
        blocks.append(page.text_line(page.TextSpan(f"{row['coordinate']:{width}}  ", "strong"), " ".join(cells)))
    return blocks


def _parts_of_width(columns: _Texts, first: int, width: int | None) -> list[_Texts]:
    """Divide columns into parts that fit the screen next to a first column of some characters, one at least each."""
    parts: list[_Texts] = [[]]
    room = left = (width or 0) - first - _GAP
    for name, texts in columns:
        need = max(len(text) for text in (name, *texts)) + _GAP
        if width is not None and parts[-1] and need > left:
            parts.append([])
            left = room
        parts[-1].append((name, texts))
        left -= need
    return parts


def _observation_text(observation: Observation) -> str:
    """Return coordinates, samples, precision, condition number and gap in a line."""
    parts = [
        f"{len(observation.trajectory.times)} samples of {', '.join(observation.coordinates) or 'no coordinate'}",
        "double precision" if observation.numbers.is_double else f"{observation.numbers.digits} digits",
        f"closed to {observation.residual:.2g}",
        f"condition number {observation.condition_number:.3g}",
        "no value below the rank" if observation.gap is None else f"gap {observation.gap:.3g}",
    ]
    if observation.trajectory.has_differences:
        parts.insert(1, "rates and accelerations by differences")
    if limited := observation.trajectory.limited:
        parts.insert(1, f"reduced to the limits of {name_list(limited, 4)}")
    return ", ".join(parts)


def _observation_blocks(observation: Observation) -> list[page.PageBlock]:
    """Lay out the singular values on both sides of the gap."""
    values = [f"{float(one):.3g}" for one in observation.singular_values]
    lines: list[page.PageBlock] = [
        page.Line(),
        page.text_line(page.TextSpan("observation: ", "strong"), _observation_text(observation), hang=2),
    ]
    parts = (("singular values: ", values[: observation.rank]), ("below the gap: ", values[observation.rank :]))
    return lines + [
        page.text_line(page.TextSpan(name, "strong"), " ".join(part), hang=2) for name, part in parts if part
    ]


def singular_value_plot(observations: Sequence[tuple[str, Observation]], path: str, *, replaces: bool = True) -> None:
    """Plot the singular values of one or several observation matrices."""
    from massprops_cli.reports.plots import save_figure

    save_figure(path, lambda: _singular_value_figure(observations), replaces=replaces)


def _singular_value_figure(observations: Sequence[tuple[str, Observation]]) -> Figure:
    """Draw the values against their number on a logarithmic axis, with the gap."""
    import math

    from massprops_cli.reports.plots import draw_title, hide_spines, new_figure

    count = len(observations)
    figure = new_figure(7.2, 3.6 if count == 1 else 1.1 + 2.5 * -(-count // 2))
    draw_title(figure, "Singular values of the observation matrix", "share of the largest; a line marks the gap")
    rows = -(-count // 2)
    for k, (label, observation) in enumerate(observations):
        width, height = (0.88, 0.62) if count == 1 else (0.4, 0.66 / rows)
        left, bottom = (0.09, 0.15) if count == 1 else (0.09 + 0.5 * (k % 2), 0.1 + 0.83 * (rows - 1 - k // 2) / rows)
        axes = figure.add_axes((left, bottom, width, height))
        hide_spines(axes, "top", "right")
        values = observation.singular_values
        shares = [float(one / values[0]) for one in values]
        shown = [(n, math.log10(share)) for n, share in enumerate(shares, 1) if share > 0]
        rank = observation.rank
        for part, colour in ((shown[:rank], _BLUE), (shown[rank:], _ORANGE if rank else _BLUE)):
            axes.plot([n for n, _ in part], [y for _, y in part], "o", color=colour, markersize=3)
        if 0 < rank < len(shares):
            axes.axvline(rank + 0.5, color=_GREY, linewidth=0.8)
        axes.set_ylim(min(-18.0, -1.5 * observation.numbers.digits), 1)
        axes.set_xlim(0, len(shares) + 1)
        axes.set_title(label, loc="left", fontsize=9)
        axes.set_ylabel("log10 of share", fontsize=8)
    return figure


def pattern_plot(rows: Sequence[Mapping[str, Any]], title: str, path: str, *, replaces: bool = True) -> None:
    """Draw the rows of a pattern; within a segment dark, between related segments pale."""
    from massprops_cli.reports.plots import save_figure

    save_figure(path, lambda: _pattern_figure(rows, title), replaces=replaces)


def _pattern_figure(rows: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """Draw one square for each entry that is not 0, and lines between segments."""
    from matplotlib.patches import Rectangle

    from massprops_cli.reports.plots import draw_title, new_figure

    names = [row["coordinate"] for row in rows]
    at = {name: k for k, name in enumerate(names)}
    n = len(names)
    segments = [
        (name, [at[row["coordinate"]] for row in own]) for name, own in groupby(rows, lambda row: row["segment"])
    ]
    labels = names if n <= _MOST_NAMES else [f"segment {name}" for name, _ in segments]
    places = [*range(n)] if n <= _MOST_NAMES else [own[0] for _, own in segments]
    size, margin = min(_INCHES * n, _LARGEST), 0.25 + _LETTER * max(map(len, labels), default=0)
    width, height = max(margin + size + 0.2, 6.6), size + margin + 0.75
    figure = new_figure(width, height)
    filled = sum(len(row["related"]) for row in rows)
    words = f"{count_with_noun(n, 'coordinate')}, {count_with_noun(len(segments), 'serial segment')}"
    words += " (pale: between segments)" if len(segments) > 1 else ""
    draw_title(figure, title, f"{words}, {filled} of {n * n} entries are not 0")
    axes = figure.add_axes((margin / width, 0.15 / height, size / width, size / height))
    edge = 0.8 if n <= _MOST_NAMES else 0.0
    for _, own in segments:
        for row in own:
            for name in rows[row]["related"]:
                is_own = at[name] in own
                axes.add_patch(
                    Rectangle(
                        (at[name], row), 1, 1, facecolor=_BLUE if is_own else _PALE, edgecolor="white", linewidth=edge
                    )
                )
    for _, own in segments[1:]:
        for line in (axes.axhline, axes.axvline):
            line(own[0], color=_GREY, linewidth=0.5)
    axes.set_xlim(0, n)
    axes.set_ylim(n, 0)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_visible(True)
    axes.set_yticks([k + 0.5 for k in places], labels)
    axes.set_xticks([k + 0.5 for k in places], labels, rotation=90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    return figure


def matrix_format(option: str, name: str) -> str:
    """Return the format of a file of a matrix by its suffix."""
    if (suffix := Path(name).suffix.lower().removeprefix(".")) not in _TABLE_FORMATS:
        raise UsageError(f"{option} {name}: {wrong_word_text('suffix', suffix, _TABLE_FORMATS)}")
    return suffix


def write_matrix(option: str, table: dict[str, list[Any]], name: str, *, replaces: bool = True) -> None:
    """Write columns with the time and coordinate of each row to a file."""
    from massprops_cli.files.writer import atomic_file

    kind = matrix_format(option, name)
    with atomic_file(name, replaces=replaces) as out:
        if kind == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table(table), out)
        else:
            is_csv = kind == "csv"
            text = csv_text([table, *zip(*table.values(), strict=True)]) if is_csv else f"{json.dumps(table)}\n"
            out.write(text.encode())
