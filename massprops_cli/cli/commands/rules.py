"""``massprops rules``: the catalogue, and the page of one rule."""

from __future__ import annotations

from importlib.resources import files

from massprops_cli.cli.command import ArgumentOptions, Command
from massprops_cli.cli.streams import EXIT_OK, Screen, report_screen
from massprops_cli.findings.catalogue import RULES, Rule
from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.reports.page.page import Grid, TextSpan

COMMAND = Command(
    "rules",
    panel="Look",
    summary="List the rules, or print the page of one.",
    examples=("", "MP4", "duplicate-id"),
    more="""
A block such as MP4 lists its rules; a code such as MP403, or a name such as duplicate-id, prints the page of the rule.
""",
)
_RULE_STYLES = {"error": "bad", "warning": "warn", "note": "note"}
_EFFECTS = {
    "stops": "no table is read, nothing is computed, and the exit code is 2",
    "not written": "what can be computed is printed, and written only with --keep-going; the exit code is 1",
    "written": "the result is printed and written, and the exit code is 1",
}


def command(run: ArgumentOptions) -> int:
    """List rules, or show one page."""
    screen = report_screen(data_on_stdout=False)
    word = run.code
    fitting = [
        rule
        for rule in RULES.values()
        if not word or (len(word) > 2 and rule.code.startswith(word.upper())) or rule.name == word.lower()
    ]
    if not fitting:
        names = [*RULES, *(rule.name for rule in RULES.values())]
        hint = nearest_name_hint(word, names) or "; massprops rules lists all rules"
        raise UsageError(f"unknown rule: {word}{hint} [MP901 unknown-rule]")
    if len(fitting) == 1 and (fitting[0].code == word.upper() or fitting[0].name == word.lower()):
        _show_rule_page(screen, fitting[0])
    else:
        rows = []
        for rule in fitting:
            severity = TextSpan(rule.severity, _RULE_STYLES[rule.severity])
            rows.append([TextSpan(rule.code, "strong"), severity, TextSpan(rule.name), TextSpan(rule.summary, "dim")])
        screen.show([Grid(rows, "llll", shrink=3, indent=0)])
    return EXIT_OK


def _show_rule_page(screen: Screen, rule: Rule) -> None:
    """Print a rule's page, with effect and remedy: rendered on a terminal, as Markdown in a pipe."""
    text = files("massprops_cli.findings").joinpath("pages", f"{rule.code}.md").read_text(encoding="utf-8")
    line = f"Severity: {rule.severity}"
    more = f"\n\nRemedy: {rule.remedy}" if rule.remedy else ""
    text = text.replace(line, f"{line}\n\nAs an error: {rule.effect} ({_EFFECTS[rule.effect]}){more}", 1)
    screen.show_markdown(text)
