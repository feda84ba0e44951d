"""The certificate of a verification on the screen and in Markdown."""

from __future__ import annotations

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.findings import escape_markdown_cell
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.verifications.verification import Verification

_ITEMS_SHOWN = 5  # on a usual screen; files have all


def verification_blocks(answer: Verification, symbols: Symbols, *, in_full: bool = False) -> list[PageBlock]:
    """Lay out a certificate in at most 40 lines, or with all items."""
    name, cells = answer.result.bom.table.source.name, answer.cells
    numbers = sum(one.count for one in answer.checks)
    verdict = f"agree within {answer.tolerance:g}" if answer.agrees else "differ"
    head = f"{name}: {count_with_noun(numbers, 'number')} of {count_with_noun(len(answer.items), 'item')} {verdict}"
    blocks: list[PageBlock] = [text_line(symbols.mark(not answer.agrees), " ", TextSpan(head, "strong"))]
    read = f"{cells.entered:,} cells entered a sum, read again by {cells.reader}" if cells.entered else ""
    written = f"{answer.output_cells:,} cells of {answer.outputs[0].name} compared" if answer.outputs else ""
    blocks += [text_line(f"  {words}") for words in (read, written) if words]
    rows = [[TextSpan(text, "dim") for text in ("quantity", "numbers", "largest difference", "last digits", "item")]]
    for one in answer.checks:
        most = one.largest
        texts = (one.quantity, f"{one.count:,}", f"{most.relative:.1e}", f"{most.digits:.3g}", most.item)
        rows.append([TextSpan(text, "bad" if one.beyond and j else "") for j, text in enumerate(texts)])
    blocks += [Line(), Grid(rows, "lrrrl", shrink=4)]
    if in_full:
        listed = [[TextSpan(text, "dim") for text in ("item", "quantity", "difference", "last digits")]]
        listed += [[TextSpan(t) for t in (i.item, i.quantity, f"{i.relative:.1e}", f"{i.digits:.3g}")] for i in answer.items]
        blocks += [Line(), Grid(listed, "llrr", shrink=0)]
    if answer.checks:
        methods = dict.fromkeys(one.method for one in answer.checks)
        blocks += [Line(), *(text_line(TextSpan(f"recomputed: {words}", "dim")) for words in methods)]
    blocks += [text_line(TextSpan(f"not verified: {words}", "warn")) for words in answer.not_verified]
    return blocks


def certificate_markdown(answer: Verification) -> str:
    """Write a certificate in Markdown."""
    record = answer.to_dict()
    cells = record["cells"]
    verdict = "All numbers agree" if answer.agrees else "Numbers differ"
    lines = [
        f"# Certificate: {escape_markdown_cell(answer.result.bom.table.source.name)}",
        "",
        f"{verdict} (tolerance {answer.tolerance:g}, uncertainty {record['uncertainty']}). "
        f"{cells['entered']:,} cells that entered a sum and {cells['not_entered']:,} others were read again by "
        f"{cells['reader']}; {cells['different']:,} differ.",
        "",
        "| quantity | numbers | largest difference | in last digits | item | beyond tolerance |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.quantity} | {one.count:,} | {one.largest.relative:.2e} | {one.largest.digits:.3g} "
        f"| {escape_markdown_cell(one.largest.item)} | {one.beyond:,} |"
        for one in answer.checks
    ]
    lines += ["", *(f"- {words}" for words in dict.fromkeys(f"Recomputed: {one.method}" for one in answer.checks))]
    lines += [f"- Not verified: {escape_markdown_cell(words)}" for words in answer.not_verified]
    lines += [
        f"- {one['rule']} {escape_markdown_cell(one['place'])}: {escape_markdown_cell(one['message'])}"
        for one in record["findings"]
    ]
    for what, files in (("Input", answer.inputs), ("Output", answer.outputs)):
        lines += [f"- {what} {escape_markdown_cell(one.name)}: SHA-256 `{one.sha256}`" for one in files]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return "\n".join([*lines, f"- Versions: {versions}", ""])
