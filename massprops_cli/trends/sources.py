"""Revisions of a table: files, recorded histories, and commits, read by ``git cat-file`` without a work tree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from massprops_cli.bom.bom import Bom
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.model import Budget
from massprops_cli.files.options import suffix_format
from massprops_cli.findings.finding import Findings, Place, UsageError
from massprops_cli.trends.points import TrendPoint, TrendRequest, TrendSource, place_of_date, point_from_dict

EveryRevision = Literal["commit", "merge", "tag", "week"]
_CONFIGURATIONS = ("massprops.toml", "pyproject.toml")
_LFS = b"version https://git-lfs"  # first bytes of a pointer of Git LFS
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
"""No index is refreshed, no password is requested, and no missing blob of a partial clone is fetched."""
_CALL = (
    "git", "--no-pager", "--literal-pathspecs", "-c", "core.quotepath=false", "-c", "diff.renames=true",
    "-c", "log.showSignature=false",
)  # fmt: skip
_FIELDS = "%x01%H%x00%cI%x00%P%x00%s%x00"  # of a commit: hash, date, parents, subject
_TEXT_IN_TOML = re.compile(rb"""["']([^"'\n]+\.[A-Za-z0-9]+)["']""")  # a name of a file in a configuration
RevisionOrder = Literal["name", "given", "date"]
_HISTORY = "massprops_trend"  # first key of a line of a recorded history
# a day in a file name: rev_2027-03-31.xlsx, 20270331
_DAY_IN_NAME = re.compile(r"(?<!\d)(20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_Read = Callable[[str], Bom]


class _GitCommit(NamedTuple):
    """A commit in which a table, or the budget of one, changed."""

    hash: str
    date: str
    parents: tuple[str, ...]
    subject: str
    path: str  # of the table in it
    tag: str = ""

    @property
    def label(self) -> str:
        """The tag, or the first characters of the hash."""
        return self.tag or self.hash[:9]


@dataclass(eq=False)
class _GitTable:
    """A table in a repository: ``folder`` is a work tree or a bare repository, ``path`` is from its root."""

    folder: Path
    path: str
    is_shallow: bool = False
    _blobs: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def git(self, *words: str) -> str:
        """Run a command of git that reads, and return its output; UsageError if it fails."""
        done = _run_git(self.folder, *words)
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
            raise UsageError(f"git {words[0]}: {reason or 'failed'}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def blob(self, commit: str, path: str) -> bytes | None:
        """Return the content of a file in a commit; None if it is not there."""
        if "\n" in path:
            return None
        if self._blobs is None:
            command = [*_CALL, "cat-file", "--batch"]
            self._blobs = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | _ENVIRONMENT
            )
        assert self._blobs.stdin is not None
        assert self._blobs.stdout is not None
        self._blobs.stdin.write(f"{commit}:{path}\n".encode("utf-8", "surrogateescape"))
        self._blobs.stdin.flush()
        head = self._blobs.stdout.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            return None
        content = self._blobs.stdout.read(int(head[2]))  # buffered: all of it
        self._blobs.stdout.read(1)
        return content if head[1] == b"blob" else None

    def close(self) -> None:
        """End the process that reads blobs."""
        if self._blobs is not None:
            self._blobs.communicate()
            self._blobs = None


def _run_git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder; UsageError if it is not installed."""
    try:
        environment = os.environ | _ENVIRONMENT
        return subprocess.run([*_CALL, *words], cwd=folder, capture_output=True, check=False, env=environment)
    except FileNotFoundError:
        raise UsageError("git is not installed; omit --git and name the files of the revisions") from None


def _git_table(name: str) -> _GitTable:
    """Find the repository of a table, which need not be in the work tree; UsageError without one."""
    given = Path(os.path.abspath(name))  # noqa: PTH100  (a link to a folder belongs where the link is)
    folder = next(one for one in given.parents if one.is_dir())
    rest = given.relative_to(folder).as_posix()
    done = _run_git(folder, "rev-parse", "--is-shallow-repository", "--show-prefix")
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise UsageError(f"{name}: file is not in a git repository: {reason}")
    shallow, prefix = (done.stdout.decode("utf-8", "surrogateescape").split("\n") + [""] * 2)[:2]
    root = Path(os.path.realpath(folder))
    for _ in PurePosixPath(prefix).parts:
        root = root.parent
    return _GitTable(root, prefix + rest, shallow == "true")


def _table_commits(
    table: _GitTable, budgets: Sequence[str], every: EveryRevision = "commit", branch: str = "", since: str = ""
) -> list[_GitCommit]:
    """Return the commits of a branch to read, oldest first; renames are followed, side branches are their merges."""
    tip = branch or "HEAD"
    first = _commit_hash(table, tip)
    if not first:
        what = f"branch is not in the repository: {branch}" if branch else "repository has no commit"
        raise UsageError(f"{table.folder}: {what}")
    order = table.git("rev-list", "--first-parent", "--reverse", first).split()
    place = {one: k for k, one in enumerate(order)}
    found = _followed_commits(table, first)
    if not found:
        raise UsageError(f"{table.path}: file is in no commit of {tip}; name a file that is committed")
    # add the commits in which only a budget changed, while the table was there
    known = {one.hash: one for one in found}
    for path in budgets:
        for (hash, day, parents, subject), _ in _commit_log(table, first, path):
            before = [one for one in found if place.get(one.hash, -1) < place.get(hash, -1)]
            if hash not in known and before:
                known[hash] = _GitCommit(hash, day, tuple(parents.split()), subject, before[-1].path)
    found = sorted(known.values(), key=lambda one: place.get(one.hash, -1))
    if every == "merge":
        found = [one for one in found if len(one.parents) > 1]
    elif every == "week":
        weeks = {datetime.fromisoformat(one.date).isocalendar()[:2]: one for one in found}
        found = list(weeks.values())
    elif every == "tag":
        found = _tagged_commits(table, found, first)
    return _commits_since(table, found, since, place)


def _commit_hash(table: _GitTable, name: str) -> str:
    """Return the commit of a name; empty if there is none."""
    done = _run_git(table.folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def _commit_log(table: _GitTable, first: str, path: str, *more: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the fields of each commit in which a file changed, newest first, and the words of its change."""
    words = ("log", "--first-parent", "-m", "--no-ext-diff", "--no-color", "-z", f"--format={_FIELDS}", *more)
    rest = ("--end-of-options", first, "--", path)
    try:
        text = table.git(*words, *rest)
    except UsageError:  # a blob is missing, as in a partial clone: renames without a change need none
        text = table.git(*words, "-M100%", *rest)
    for record in text.split("\x01")[1:]:
        parts = record.split("\x00")
        if re.fullmatch(r"[0-9a-f]{40,64}", parts[0]) and len(parts) > 4:
            yield parts[:4], [word.strip("\n") for word in parts[4:] if word.strip("\n")]


def _followed_commits(table: _GitTable, first: str) -> list[_GitCommit]:
    """Return the commits in which the table changed, oldest first, across renames and changes of its format."""
    found: list[_GitCommit] = []
    path, start = table.path, first
    while True:
        reached = ""
        for (hash, day, parents, subject), words in _commit_log(table, start, path, "--follow", "--name-status"):
            if not words or words[0].startswith("D"):
                continue
            found.append(_GitCommit(hash, day, tuple(parents.split()), subject, words[-1]))
            reached = hash
            path = words[1] if words[0][0] in "RC" else words[-1]
        if not reached or found[-1].path != path or not found[-1].parents:
            break
        earlier = _replaced_table(table, reached, path)
        if not earlier:
            break
        path, start = earlier, found[-1].parents[0]
    return found[::-1]


def _replaced_table(table: _GitTable, commit: str, path: str) -> str:
    """Return the file of another format, with the same stem, that a commit deleted when it added a table."""
    words = ("diff-tree", "--no-commit-id", "--name-status", "--no-renames", "-r", "-z", f"{commit}^1", commit)
    texts = table.git(*words).split("\x00")
    gone = [name for status, name in zip(texts[::2], texts[1::2], strict=False) if status == "D"]
    own = PurePosixPath(path)
    same = [name for name in gone if PurePosixPath(name).stem == own.stem and suffix_format(name)[0]]
    return min(same, key=lambda name: (PurePosixPath(name).parent != own.parent, name), default="")


def _tagged_commits(table: _GitTable, found: list[_GitCommit], first: str) -> list[_GitCommit]:
    """Return the tags of a branch, with the path that the table had at each."""
    form = "--format=%(refname:short)%00%(objectname)%00%(*objectname)%00%(creatordate:iso-strict)"
    lines = table.git("for-each-ref", "--sort=creatordate", f"--merged={first}", form, "refs/tags").splitlines()
    tagged = []
    for line in lines:
        tag, own, peeled, _ = line.split("\x00")
        text = table.git("show", "-s", "--format=%cI%x00%P%x00%s", "--end-of-options", f"{peeled or own}^{{commit}}")
        day, parents, subject = text.rstrip("\n").split("\x00", 2)
        when = datetime.fromisoformat(day)
        before = [one for one in found if datetime.fromisoformat(one.date) <= when]
        if before:
            tagged.append(_GitCommit(peeled or own, day, tuple(parents.split()), subject, before[-1].path, tag))
    return sorted(tagged, key=lambda one: datetime.fromisoformat(one.date))


def _commits_since(table: _GitTable, found: list[_GitCommit], since: str, place: dict[str, int]) -> list[_GitCommit]:
    """Return the commits from a revision or a date on."""
    if not since:
        return found
    with suppress(ValueError):
        first = date.fromisoformat(since)
        return [one for one in found if datetime.fromisoformat(one.date).date() >= first]
    hash = _commit_hash(table, since)
    if not hash:
        raise UsageError(f"--since is neither a revision nor a date: {since} (expected such as v1.0 or 2027-03-31)")
    return [one for one in found if place.get(one.hash, -1) >= place.get(hash, len(place))]


class _GitFolder:
    """A temporary folder with the files of commits; those of the two latest are kept."""

    def __init__(self, table: _GitTable, budgets: Sequence[str], folder: Path) -> None:
        self.table, self.budgets, self.folder = table, budgets, folder
        self._written: list[Path] = []

    def contents(self, commit: _GitCommit) -> dict[str, bytes]:
        """Return the files of a commit by path; the table is first, and missing if it is not there."""
        names = [commit.path, *self.budgets]
        for folder in PurePosixPath(commit.path).parents:
            names += [(folder / name).as_posix() for name in _CONFIGURATIONS]
        found = {name: content for name in names if (content := self.table.blob(commit.hash, name)) is not None}
        for name in [one for one in found if one.endswith(".toml")]:  # files that a configuration names
            for text in _TEXT_IN_TOML.findall(found[name]):
                inner = (PurePosixPath(name).parent / text.decode("utf-8", "replace")).as_posix()
                if inner not in found and ".." not in inner and not inner.startswith("/"):
                    content = self.table.blob(commit.hash, inner)
                    found |= {} if content is None else {inner: content}
        return found

    def write(self, commit: _GitCommit, contents: dict[str, bytes]) -> tuple[str, list[str]]:
        """Write the files of a commit, and return the table and the budgets; UsageError if the table is not there."""
        if (content := contents.get(commit.path)) is None:
            raise UsageError(f"{commit.path} is not in the repository at {commit.label}")
        if content.startswith(_LFS):
            raise UsageError(f"{commit.path} is a pointer of Git LFS at {commit.label}; its content is not in git")
        root = self.folder / commit.hash
        if root in self._written:
            self._written.remove(root)
        self._written.append(root)
        for old in self._written[:-2]:
            shutil.rmtree(old, ignore_errors=True)
        self._written = self._written[-2:]
        (root / ".git").mkdir(parents=True, exist_ok=True)  # ends the search for a configuration
        for name, data in contents.items():
            if ".." in PurePosixPath(name).parts:  # of a tree that git would not write
                raise UsageError(f"{name}: path in the repository leaves it")
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return str(root / commit.path), [str(root / name) for name in self.budgets if name in contents]


def _contents_digest(contents: dict[str, bytes]) -> str:
    """Return the SHA-256 of files with their names."""
    found = sha256()
    for name, data in sorted(contents.items()):
        found.update(f"{len(name)} {name} {len(data)} ".encode("utf-8", "surrogateescape") + data)
    return found.hexdigest()


@contextmanager
def _git_folder(table: _GitTable, budgets: Sequence[str]) -> Iterator[_GitFolder]:
    """Yield a temporary folder for the files of commits."""
    with TemporaryDirectory(prefix="massprops-trend-", ignore_cleanup_errors=True) as folder:
        try:
            yield _GitFolder(table, budgets, Path(folder))
        finally:
            table.close()


@dataclass(frozen=True)
class TrendInputs:
    """Which revisions are read, how, and what is computed from them; the arguments of ``trend``."""

    names: Sequence[str | Bom]
    read: _Read
    request: TrendRequest
    budgets: Sequence[str | Budget] = ()
    git: bool = False
    since: str = ""
    every: EveryRevision = "commit"
    branch: str = ""
    order: RevisionOrder | None = None
    dates: str = ""  # a file of dates, or column:HEADER
    cache: Any = None
    options_key: str = ""  # digest of all options and files that a reading depends on

    def read_budgets(self) -> list[Budget]:
        """Return the budgets, those of files read."""
        return [one if isinstance(one, Budget) else read_budget(one) for one in self.budgets]


def file_sources(inputs: TrendInputs, findings: Findings) -> list[TrendSource]:
    """Return the revisions in files, in the requested order; those of histories first."""
    if inputs.since or inputs.every != "commit":
        raise UsageError("--since and --every select commits; name one file with --git")
    if missing := [one for one in inputs.names if isinstance(one, str) and not Path(one).exists()]:
        raise UsageError(f"{missing[0]}: file does not exist; name the files of the revisions, or one with --git")
    names = [one for one in inputs.names if isinstance(one, Bom) or not _is_history(one)]
    histories = [one for one in inputs.names if isinstance(one, str) and _is_history(one)]
    recorded = [TrendSource(point) for name in histories for point in _read_history(name, findings)]
    days = _dates_of_file(inputs.dates) if inputs.dates and not inputs.dates.startswith("column:") else {}
    budgets = inputs.read_budgets()
    texts = [one if isinstance(one, str) else one.table.source.name for one in names]
    sources = []
    for one, name in zip(names, texts, strict=True):
        label = Path(name).stem if [Path(text).stem for text in texts].count(Path(name).stem) == 1 else name
        day = days.get(name) or days.get(Path(name).name) or _day_of_name(name)
        content = sha256(Path(name).read_bytes()).hexdigest() if isinstance(one, str) and Path(name).is_file() else ""
        key = f"{content} {inputs.options_key}" if content and inputs.options_key else ""
        point = TrendPoint(label, day, name, content=content)
        sources.append(TrendSource(point, partial(_read_file, inputs, one, budgets), key))
    has_days = len(sources) > 1 and all(one.point.date for one in sources)
    usual = "date" if days or has_days else "name" if all(isinstance(one, str) for one in names) else "given"
    order = inputs.order or usual
    if order == "name":
        sources.sort(key=lambda one: _natural_key(one.point.source))
    elif order == "date":
        if missing := [one.point.label for one in sources if not one.point.date]:
            raise UsageError(f"order is by date, and no date is known of {missing[0]} (--config dates=FILE)")
        sources.sort(key=lambda one: place_of_date(one.point.date))
    return [*recorded, *sources]


def _read_file(inputs: TrendInputs, one: str | Bom, budgets: Sequence[Budget]) -> tuple[Bom, Sequence[Budget]]:
    """Read a revision in a file."""
    return (one if isinstance(one, Bom) else inputs.read(one)), budgets


def _natural_key(text: str) -> list[Any]:
    """Return a key by which rev_2 is before rev_10, and bom before bom2: names are compared without their suffix."""
    parts = re.split(r"(\d+)", str(Path(text).with_suffix("")))
    return [*((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts), (0, 0, Path(text).suffix)]


def _day_of_name(name: str) -> str:
    """Return the day in the name of a file; empty without one."""
    found = _DAY_IN_NAME.search(Path(name).stem)
    try:
        return "" if found is None else date(int(found[1]), int(found[3]), int(found[4])).isoformat()
    except ValueError:
        return ""


def _dates_of_file(name: str) -> dict[str, str]:
    """Read a csv file with the columns file and date."""
    import csv

    try:
        rows = list(csv.DictReader(Path(name).read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{name}: file of dates cannot be read: {error}") from None
    days = {}
    for row in rows:
        file, day = ((row.get(key) or "").strip() for key in ("file", "date"))
        try:
            days[file] = datetime.fromisoformat(day).isoformat() if "T" in day else date.fromisoformat(day).isoformat()
        except ValueError:
            raise UsageError(f"{name}: date of {file or 'a row'} is not such as 2027-03-31: {day!r}") from None
    if not days or "" in days:
        raise UsageError(f"{name}: file of dates has no columns file and date")
    return days


def git_sources(inputs: TrendInputs, findings: Findings, stack: ExitStack) -> list[TrendSource]:
    """Return the revisions in the commits of a repository."""
    if len(inputs.names) != 1 or not isinstance(inputs.names[0], str):
        raise UsageError("--git reads the history of one file; name one file")
    table = _git_table(inputs.names[0])
    paths, of_files = list[str](), list[Budget]()
    for name in inputs.budgets:
        path = "" if isinstance(name, Budget) else _path_in_repository(name, table.folder)
        if path and table.blob(inputs.branch or "HEAD", path) is not None:
            paths.append(path)
        else:
            of_files.append(name if isinstance(name, Budget) else read_budget(name))
    commits = _table_commits(table, paths, inputs.every, inputs.branch, inputs.since)
    if not commits:
        raise UsageError(f"no commit of {table.path} is one of those requested (--since, --every)")
    if table.is_shallow:
        message = f"history is shallow and begins at {commits[0].label}"
        findings.report("MP685", message, Place(inputs.names[0]))
    folder = stack.enter_context(_git_folder(table, paths))
    sources, before = list[TrendSource](), commits[0].path
    for commit in commits:
        contents = folder.contents(commit)
        digest = _contents_digest(contents)
        source = f"{commit.hash[:9]}:{commit.path}"
        content = sha256(contents.get(commit.path, b"")).hexdigest()
        point = TrendPoint(commit.label, commit.date, source, commit.subject, content)
        notes = () if commit.path == before else (f"file {before} → {commit.path}",)
        key = f"{digest} {inputs.options_key}" if inputs.options_key else ""
        sources.append(TrendSource(point, partial(_read_commit, inputs, folder, commit, of_files), key, notes))
        before = commit.path
    return sources


def _path_in_repository(name: str, folder: Path) -> str:
    """Return the path of a file from the root of a repository; empty if it is outside."""
    try:
        return Path(name).resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return ""


def _read_commit(
    inputs: TrendInputs, folder: _GitFolder, commit: _GitCommit, budgets: Sequence[Budget]
) -> tuple[Bom, Sequence[Budget]]:
    """Read the table and the budgets of a commit."""
    table, own = folder.write(commit, folder.contents(commit))
    return inputs.read(table), [*map(read_budget, own), *budgets]


# A recorded history --------------------------------------------------------------------------------------------------


def _is_history(name: str) -> bool:
    """Return whether a file is a history that ``record_points`` wrote."""
    if not name.lower().endswith((".jsonl", ".ndjson")):
        return False
    try:
        with Path(name).open(encoding="utf-8") as file:
            return file.read(len(_HISTORY) + 3).startswith(f'{{"{_HISTORY}"')
    except (OSError, UnicodeDecodeError):
        return False


def _read_history(name: str, findings: Findings) -> list[TrendPoint]:
    """Read the points of a history; lines that are damaged are reported."""
    points = []
    for number, line in enumerate(Path(name).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            points += [point_from_dict(json.loads(line))] if line.strip() else []
        except (ValueError, TypeError, KeyError, AttributeError):
            findings.report("MP686", "line of the history is damaged and not used", Place(name, line=number))
    return points


def record_points(name: str, points: Sequence[TrendPoint]) -> int:
    """Append the points that a history does not have, and return their number; the file is replaced as a whole."""
    from massprops_cli.files.writer import atomic_file

    path = Path(name)
    if path.exists() and path.stat().st_size and not _is_history(name):
        raise UsageError(f"{name}: file is not a history; name another file with --record")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    known = {(one.source, one.content) for one in _read_history(name, Findings())} if text else set()
    new = [one for one in points if not one.fault and (one.source, one.content) not in known]
    if new:
        lines = [json.dumps({_HISTORY: 1, **one.to_dict()}, ensure_ascii=False, allow_nan=False) for one in new]
        text += "\n" * (bool(text) and not text.endswith("\n"))
        with atomic_file(path) as file:
            file.write((text + "".join(f"{line}\n" for line in lines)).encode("utf-8", "backslashreplace"))
    return len(new)
