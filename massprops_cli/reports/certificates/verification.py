"""The certificate of a verification on the screen and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.findings import escape_markdown_cell
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.reports.review.content import DataTable, Review, Section, Words
from massprops_cli.verifications.cells import NAMES
from massprops_cli.verifications.plan import ControlPlan
from massprops_cli.verifications.verification import Verification, verify

_ITEMS_SHOWN = 5  # on a usual screen; files have all


def verification_blocks(answer: Verification, symbols: Symbols, *, in_full: bool = False) -> list[PageBlock]:
    """Lay out a certificate in at most 40 lines, or with all items."""
    name, cells = answer.result.bom.table.source.name, answer.cells
    numbers = sum(one.numbers for one in answer.checks)
    wrong = sum(one.beyond for one in answer.checks)
    verdict = f"{wrong:,} of them not" if wrong else "all"
    of = f"{count_with_noun(numbers, 'number')} of {count_with_noun(len(answer.items), 'item')}"
    head = f"{name}: {of} recomputed, {verdict} within {answer.tolerance:g}"
    blocks: list[PageBlock] = [text_line(symbols.mark(not answer.agrees), " ", TextSpan(head, "strong"))]
    read = f"{cells.entered:,} cells entered a sum, read again by {cells.reader}" if cells.entered else ""
    read += f"; {cells.different:,} differ" if cells.different else ""
    faults = sum(one.count for one in answer.findings if one.rule in ("MP905", "MP907"))
    name = answer.outputs[0].name if answer.outputs else ""
    written = f"{answer.output_cells:,} cells of {name} compared; {faults:,} differ" if answer.outputs else ""
    blocks += [text_line(f"  {words}") for words in (read, written) if words]
    rows = [[TextSpan(text, "dim") for text in ("quantity", "numbers", "largest difference", "item")]]
    for one in answer.checks:
        most = one.largest
        texts = (one.quantity, f"{one.numbers:,}", f"{most.relative:.1e}", most.item)
        rows.append([TextSpan(text, "bad" if one.beyond and j else "") for j, text in enumerate(texts)])
    blocks += [Line(), Grid(rows, "lrrl", shrink=3)]
    if in_full:
        listed = [[TextSpan(text, "dim") for text in ("item", "quantity", "difference")]]
        listed += [[TextSpan(t) for t in (i.item, i.quantity, f"{i.relative:.1e}")] for i in answer.items]
        blocks += [Line(), Grid(listed, "llr", shrink=0)]
    if answer.checks:
        methods = dict.fromkeys(one.method for one in answer.checks)
        blocks += [Line(), *(text_line(TextSpan(f"recomputed: {words}", "dim")) for words in methods)]
    blocks += [text_line(TextSpan(f"recomputed: {words}", "dim")) for words in answer.recomputed.typed.methods]
    blocks += [text_line(TextSpan(_sample_text(answer), "dim"))] if answer.samples else []
    blocks += [text_line(TextSpan(f"not used: {words}", "dim")) for words in _unused_texts(answer)]
    blocks += [text_line(TextSpan(f"not verified: {words}", "warn")) for words in answer.not_verified]
    return blocks


def _unused_texts(answer: Verification) -> list[str]:
    """Write the columns of numbers that the account does not explain, and how many numbers they have."""
    return [f"{count_with_noun(n, 'number')} of column {name}" for name, n in answer.cells.not_used.items()]


def _sample_text(answer: Verification) -> str:
    """Write how sampled sigmas compare with those of another generator."""
    one = answer.samples
    if one is None:
        return ""
    count = count_with_noun(one.numbers, "number")
    head = f"sampled sigmas against {one.method}: {count}, {one.beyond:,} beyond chance"
    return f"{head}, largest difference {one.standard_errors:.2g} standard errors ({one.quantity} of {one.item})"


def certificate_markdown(answer: Verification) -> str:
    """Write a certificate in Markdown."""
    record = answer.to_dict()
    cells = record["cells"]
    verdict = "All numbers agree" if answer.agrees else "Numbers differ"
    head = f"{verdict} (tolerance {answer.tolerance:g}, uncertainty {record['uncertainty']}). "
    head += f"{cells['entered']:,} cells that entered a sum and {cells['not_entered']:,} others were read again by "
    head += f"{cells['reader']}; {cells['different']:,} differ."
    lines = [
        f"# Certificate: {escape_markdown_cell(answer.result.bom.table.source.name)}",
        "",
        head,
        "",
        "| quantity | numbers | largest difference | in last digits | item | beyond tolerance |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.quantity} | {one.numbers:,} | {one.largest.relative:.2e} | {one.largest.digits:.3g} "
        f"| {escape_markdown_cell(one.largest.item)} | {one.beyond:,} |"
        for one in answer.checks
    ]
    lines += ["", *(f"- {words}" for words in dict.fromkeys(f"Recomputed: {one.method}" for one in answer.checks))]
    lines += [f"- Recomputed: {words}" for words in record["inputs_recomputed"]]
    lines += [f"- {escape_markdown_cell(_sample_text(answer))}"] if answer.samples else []
    lines += [f"- Not used: {escape_markdown_cell(words)}" for words in _unused_texts(answer)]
    lines += [f"- Not verified: {escape_markdown_cell(words)}" for words in answer.not_verified]
    lines += [
        f"- {one['rule']} {escape_markdown_cell(one['place'])}: {escape_markdown_cell(one['message'])}"
        for one in record["findings"]
    ]
    for what, files in (("Input", answer.inputs), ("Output", answer.outputs)):
        lines += [f"- {what} {escape_markdown_cell(one.name)}: SHA-256 `{one.sha256}`" for one in files]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return "\n".join([*lines, f"- Versions: {versions}", ""])


def certificate_section(review: Review) -> Section:
    """Return the section of a design review with the recomputation of its numbers."""
    answer = verify(review.result)
    rows = [
        [one.quantity, f"{one.numbers:,}", f"{one.largest.relative:.1e}", one.largest.item, one.method]
        for one in answer.checks
    ]
    verdict = f"{'All numbers agree' if answer.agrees else 'Numbers differ'} within {answer.tolerance:g}."
    words = [Words(verdict, "good" if answer.agrees else "bad")]
    words += [Words(f"Not verified: {text}.", "") for text in answer.not_verified]
    heads = ("quantity", "numbers", "largest difference", "item", "recomputed by")
    looks = ["bad" if one.beyond else "" for one in answer.checks]
    return Section("certificate", "Recomputation", [*words, DataTable("Certificate", heads, "lrrll", rows, looks)])


_MOST_CHILDREN = 10  # whose parallel axes are written out


def explanation_lines(answer: Verification, name: str) -> list[str]:
    """Write the sums of an item's children with their numbers and cells: docs/formulas.md, section 2."""
    bom, recomputed = answer.result.bom, answer.recomputed
    item = bom.item(name)
    children = [i for i in bom.tree.children(item).tolist() if bom.quantity.count[i]]
    values = [recomputed.values_of(i) for i in children]
    if not children or bom.ends[item]:
        return [f"{name} is a part: {_part_text(answer, item)}"]
    own = recomputed.values_of(item)
    units = bom.units
    head = f"{name}, from {_children_text(len(children))}; numbers in {units.mass}, {units.length}, with their cells"
    lines = [head if units.stated else f"{name}, from {_children_text(len(children))}; numbers with their cells", ""]
    shown = list(zip(children, values, strict=True))[:_MOST_CHILDREN]
    rest = len(children) - len(shown)
    masses = [(i, row) for i, row in shown if row[0] is not None]
    lines += [f"m = {_sum([_term(answer, i, row[0], 'mass') for i, row in masses], rest)}"]
    lines += [f"  = {_number(own[0])} {units.mass}".rstrip()]
    for k, axis in enumerate("xyz", 1):
        if own[k] is None:
            continue
        terms = [
            f"{_term(answer, i, row[0], 'mass')}·{_factor(answer, i, row[k], f'C{axis}')}"
            for i, row in shown
            if row[0] is not None and row[k] is not None
        ]
        lines += [f"C{axis} = ({_sum(terms, rest)}) / m", f"   = {_number(own[k])} {units.length}".rstrip()]
    if all(one is not None for one in own[1:7]):
        lines += ["", "d = centre of the child − centre of the item; parallel axes:"]
        lines += _tensor_lines(answer, shown, own, rest)
    return lines


def _tensor_lines(
    answer: Verification,
    shown: Sequence[tuple[int, Sequence[Fraction | None]]],
    own: Sequence[Fraction | None],
    rest: int,
) -> list[str]:
    """Write the arms of the children, and the six sums."""
    lines, bom = [], answer.result.bom
    arms = {}
    for i, row in shown:
        if None not in row[:4]:
            arms[i] = [(row[k] or 0) - (own[k] or 0) for k in (1, 2, 3)]
            lines.append(f"  d({bom.ids[i]}) = ({', '.join(map(_number, arms[i]))})")
    for k, (a, b) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)), 4):
        name, terms = NAMES[k], []
        for i, row in shown:
            if i not in arms:
                continue
            d = arms[i]
            tensor = "" if not row[k] else _factor(answer, i, row[k], name)
            mass = _factor(answer, i, row[0], "mass")
            if a == b:
                p, q = (x for x in range(3) if x != a)
                arm = f"{' + ' * bool(tensor)}{mass}·({_bracketed(d[p])}² + {_bracketed(d[q])}²)"
            else:
                arm = f"{' − ' if tensor else '−'}{mass}·{_bracketed(d[a])}·{_bracketed(d[b])}"
            terms.append(f"{_times(answer, i)}[{tensor}{arm}]")
        terms += [f"… ({rest:,} more)"] * bool(rest)
        lines += [f"{name} = {terms[0]}" if terms else f"{name} = 0", *(f"    + {term}" for term in terms[1:])]
        lines.append(f"    = {_number(own[k])} {bom.units.inertia}".rstrip())
    return lines


def _sum(terms: Sequence[str], rest: int) -> str:
    """Join terms, and state how many more there are."""
    more = [f"… ({rest:,} more)"] if rest else []
    return " + ".join([*terms, *more]) or "0"


def _number(value: Fraction | float | None) -> str:
    """Write a recomputed number in up to ten digits."""
    return "?" if value is None else f"{float(value):.10g}"


def _bracketed(value: Fraction | float) -> str:
    """Write a number that may be negative as a factor."""
    return f"({_number(value)})" if value < 0 else _number(value)


def _times(answer: Verification, item: int) -> str:
    """Write the quantity of a child, unless it is 1."""
    count = float(answer.result.bom.quantity.count[item])
    return "" if count == 1 else f"{count:.10g}·"


def _term(answer: Verification, item: int, value: Fraction | None, quantity: str) -> str:
    """Write a number with its quantity."""
    return _times(answer, item) + _factor(answer, item, value, quantity)


def _factor(answer: Verification, item: int, value: Fraction | None, quantity: str) -> str:
    """Write a number of a child with its cell, or with its id where it was computed."""
    typed = answer.recomputed.typed
    cell = typed.cells.get((item, quantity))
    if cell is None or not answer.result.bom.ends[item]:
        return f"{_bracketed(value or 0)}[{answer.result.bom.ids[item]}]"
    return f"{_bracketed(value or 0)}[{typed.address(*cell[:2])}]"


def _part_text(answer: Verification, item: int) -> str:
    """Write the numbers of a part with their cells."""
    row = answer.recomputed.values_of(item)
    words = [f"{NAMES[k]} {_factor(answer, item, one, NAMES[k])}" for k, one in enumerate(row) if one is not None]
    return ", ".join(words)


def _children_text(count: int) -> str:
    """Write how many children an item has."""
    return "1 child" if count == 1 else f"{count:,} children"


def plan_blocks(answer: ControlPlan, symbols: Symbols) -> list[PageBlock]:
    """Lay out the tasks of a control plan by milestone."""
    name, tasks = answer.result.bom.table.source.name, answer.tasks
    done, is_open = (sum(one.state == state for one in tasks) for state in ("done", "open"))
    head = f"{answer.title}, {name}, at {answer.now}: {done} of {count_with_noun(len(tasks), 'task')} done"
    head += f", {is_open} open" if is_open else ""
    blocks: list[PageBlock] = [text_line(symbols.mark(bool(is_open)), " ", TextSpan(head, "strong"))]
    for milestone in dict.fromkeys(one.milestone for one in tasks):
        rows = []
        for one in tasks:
            if one.milestone == milestone:
                style = {"done": "good", "open": "bad"}.get(one.state, "dim")
                needs = "" if one.required is None else f" (≥ {one.required:g} %)"
                rows.append([TextSpan(one.state, style), TextSpan(one.name + needs), TextSpan(one.answer, "dim")])
        blocks += [Line(), text_line(TextSpan(milestone, "strong")), Grid(rows, "lll", shrink=2)]
    return blocks
