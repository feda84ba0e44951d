"""The step of action.yml: check tables, and write annotations, job summary, reports, badge and comment.

It reads the variables FILES, BUDGET, BASE, ARGUMENTS, REPORTS, COMMENT (number of the pull request) and TOKEN, and
those of the runner. The exit code is the highest of the tables: 0, 1 (a limit is broken, or errors) or 2 (unreadable).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

MARK = "<!-- massprops -->"
"""First line of the comment, by which the next run finds it."""
LONGEST_COMMENT = 60_000  # characters; GitHub accepts 65,536
VERDICTS = ("pass", "fail", "unreadable")


class Checked(NamedTuple):
    """A table: its exit code, and the verdict, the review and the changes in Markdown."""

    name: str
    code: int
    verdict: str
    review: str
    changes: str


def main() -> int:
    """Check all tables, write what the inputs name, and return the exit code."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    folder = Path(os.environ.get("REPORTS") or "massprops-reports")
    folder.mkdir(parents=True, exist_ok=True)
    with base_tree(os.environ.get("BASE", "")) as base:
        tables = [check(name, folder, base) for name in table_names(os.environ["FILES"])]
    code = max((table.code for table in tables), default=2)
    if not tables:
        print("::error title=massprops::the input files names no table")
    report = "\n".join(part for table in tables for part in table[2:] if part)
    append(os.environ.get("GITHUB_STEP_SUMMARY"), report)
    append(os.environ.get("GITHUB_OUTPUT"), f"verdict={VERDICTS[code]}\n")
    (folder / "massprops.md").write_text(report, encoding="utf-8")
    (folder / "massprops.svg").write_text(badge(*badge_words(tables, code)), encoding="utf-8")
    merge_sarif(folder)
    if number := os.environ.get("COMMENT"):
        comment(number, report)
    return code


def table_names(text: str) -> list[str]:
    """Return the files of the patterns; a pattern without a file is kept, so that its check reports it."""
    names: dict[str, None] = {}
    for pattern in filter(None, map(str.strip, text.splitlines())):
        found = [pattern] if Path(pattern).is_file() else sorted(path.as_posix() for path in Path().glob(pattern))
        names.update(dict.fromkeys(found or [pattern]))
    return list(names)


@contextlib.contextmanager
def base_tree(revision: str) -> Iterator[Path | None]:
    """Check the base revision out into a folder of its own; None without one."""
    if not revision.strip("0") or revision == "none" or revision.startswith("-"):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "base")
        add = ("git", "worktree", "add", "--quiet", "--detach", str(tree))
        done = run(*add, revision)
        if done.returncode and run("git", "fetch", "--quiet", "--depth=1", "origin", revision).returncode == 0:
            done = run(*add, "FETCH_HEAD")  # of a checkout with the last commit alone
        if done.returncode:
            print(f"::warning title=massprops::no changes are shown: the revision {plain(revision)} is not available")
            yield None
            return
        try:
            # the folder of this step in the repository, as in the base
            yield tree / run("git", "rev-parse", "--show-prefix").stdout.strip()
        finally:
            run("git", "worktree", "remove", "--force", str(tree))


def check(name: str, folder: Path, base: Path | None) -> Checked:
    """Check a table, print its annotations, and write its reports; review and changes come from other commands."""
    stem = folder / re.sub(r"[^\w.-]+", "-", name)
    budgets = [f"--budget={line.strip()}" for line in os.environ.get("BUDGET", "").splitlines() if line.strip()]
    reports = [
        f"--report={style}={stem}.{suffix}" for style, suffix in (("sarif", "sarif"), ("junit", "xml"), ("md", "md"))
    ]
    options = shlex.split(os.environ.get("ARGUMENTS", ""))
    done = massprops("check", given(name), *budgets, *reports, *options, "--format=github")
    print(done.stdout, end="")
    if done.stderr:
        print(plain(done.stderr, keep_lines=True), file=sys.stderr)
    verdict = Path(f"{stem}.md")
    if done.returncode > 1 or not verdict.exists():
        print(f"::error title=massprops::{plain(name)} could not be checked: {plain(done.stderr)}")
        text = f"### ✘ `{plain(name)}` could not be checked\n\n```text\n{plain(done.stderr, keep_lines=True)}\n```\n"
        return Checked(name, 2, text, "", "")
    return Checked(name, done.returncode, verdict.read_text("utf-8"), review(name), changes(name, base))


def review(name: str) -> str:
    """Return the roll-up and the review table of a table, folded; empty if it has errors."""
    with tempfile.TemporaryDirectory() as folder:
        done = massprops("rollup", given(name), "--format=md", "-o", str(Path(folder, "rolled.csv")))
    body = done.stdout.partition("\n| convention |")[0].partition("\n")[2].strip()
    return folded("Review", body) if done.returncode == 0 and body else ""


def changes(name: str, base: Path | None) -> str:
    """Return the changes since the base revision with their contributions; empty without a difference."""
    if base is None:
        return ""
    if not (base / name).is_file():
        return "New table: the base revision does not have it.\n"
    if (base / name).read_bytes() == Path(name).read_bytes():
        return ""
    done = massprops("diff", str(base / name), given(name), "--format=md")
    head, _, body = done.stdout.partition("\n")
    what = head.rpartition(": ")[2] if done.returncode == 0 else "could not be computed"
    chart = waterfall(massprops("diff", str(base / name), given(name)).stdout) if done.returncode == 0 else ""
    return folded(f"Changes since the base revision: {what}", chart + (body.strip() or plain(done.stderr)))


def waterfall(text: str) -> str:
    """Return the waterfall chart of a report of changes as a block of text; empty without one."""
    found = re.search(r"(?m)^\S.* of .+: .+ → .+\n(?:  .+(?:\n|\Z))+", text)
    return f"```text\n{plain(found[0], keep_lines=True)}\n```\n\n" if found else ""


def folded(title: str, body: str) -> str:
    """Return a section of Markdown that opens on demand."""
    return f"<details><summary>{escape(title)}</summary>\n\n{re.sub(r'(?m)^#+ ', '#### ', body)}\n\n</details>\n"


def merge_sarif(folder: Path) -> None:
    """Write one log of all tables: code scanning accepts one run of a tool."""
    merged: dict[str, Any] = {}
    for path in sorted(folder.glob("*.sarif")):
        log = json.loads(path.read_text("utf-8"))
        if path.name == "massprops.sarif":
            continue
        if not merged:
            merged = log
            continue
        run_of, first = log["runs"][0], merged["runs"][0]
        rules = first["tool"]["driver"]["rules"]
        for rule in run_of["tool"]["driver"]["rules"]:
            if rule["id"] not in [one["id"] for one in rules]:
                rules.append(rule)
        places = {rule["id"]: k for k, rule in enumerate(rules)}
        first["results"] += [{**result, "ruleIndex": places[result["ruleId"]]} for result in run_of["results"]]
    if merged:
        (folder / "massprops.sarif").write_text(json.dumps(merged, indent=1, ensure_ascii=False), encoding="utf-8")


def badge_words(tables: list[Checked], code: int) -> tuple[str, str]:
    """Return text and colour of the badge: the limits of one table, or the number of tables that pass."""
    colour = ("#2a7a2a", "#b3261e", "#6b6b6b")[code]
    if len(tables) == 1 and (found := re.search(r"(\S+ of \S+) limits? kept", tables[0].verdict.partition("\n")[0])):
        return f"{found[1]} kept", colour
    kept = sum(table.code == 0 for table in tables)
    return (VERDICTS[code] if len(tables) == 1 else f"{kept} of {len(tables)} pass"), colour


def badge(text: str, colour: str) -> str:
    """Draw a badge with two fields; 6.5 is the mean width of a letter of 11 px."""
    label = "mass budget"
    left, right = (round(6.5 * len(one)) + 12 for one in (label, text))
    whole = left + right
    letters = 'fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img">'
        f"<title>{label}: {escape(text)}</title>"
        f'<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        f'<g {letters}><text x="{left / 2}" y="14">{label}</text>'
        f'<text x="{left + right / 2}" y="14">{escape(text)}</text></g></svg>\n'
    )


def comment(number: str, report: str) -> None:
    """Write the comment of the pull request anew, or a first one; a token without the right gives a warning."""
    body = f"{MARK}\n{report}"
    if len(body) > LONGEST_COMMENT:
        body = body[:LONGEST_COMMENT].rpartition("\n")[0] + "\n\nThe rest is in the summary of the job.\n"
    comments = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues/{number}/comments"
    try:
        own = None
        for page in range(1, 21):
            found = api("GET", f"{comments}?per_page=100&page={page}")
            own = next((one["id"] for one in found if str(one.get("body")).startswith(MARK)), None)
            if own is not None or len(found) < 100:
                break
        if own is None:
            api("POST", comments, body)
        else:
            api("PATCH", f"repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{own}", body)
    except (urllib.error.URLError, ValueError, OSError) as error:
        print(f"::warning title=massprops::the comment was not written (pull-requests: write?): {plain(str(error))}")


def api(method: str, path: str, body: str | None = None) -> Any:
    """Call the interface of the server on which the job runs."""
    request = urllib.request.Request(
        f"{os.environ['GITHUB_API_URL']}/{path}",
        json.dumps({"body": body}).encode() if body is not None else None,
        {"Authorization": f"Bearer {os.environ.get('TOKEN', '')}", "Accept": "application/vnd.github+json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def given(name: str) -> str:
    """Return the name of a file as an argument that cannot be an option."""
    return f"./{name}" if name.startswith("-") else name


def massprops(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run massprops in this Python; the summary of the job is written by this step."""
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    environment.pop("GITHUB_STEP_SUMMARY", None)
    return run(sys.executable, "-m", "massprops_cli", *arguments, environment=environment)


def run(*command: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, and return its exit code and texts."""
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", env=environment, check=False
    )


def plain(text: str, *, keep_lines: bool = False) -> str:
    """Return a text that cannot be a command of the runner or end a block of code."""
    text = text.strip().replace("`", "'")
    if not keep_lines:
        return " ".join(text.split()).replace("%", "%25")
    return re.sub(r"(?m)^(\s*)(::|##\[)", r"\1\\\2", text)


def append(path: str | None, text: str) -> None:
    """Append to a file of the runner, if it names one."""
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
