"""The action for GitHub, the template for GitLab and the hooks: their steps run in a repository made here."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

from tests.warm import warm_words

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INPUTS = ACTION["inputs"]
CHECK = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
VARIABLES = {"FILES": "bom.csv", "BUDGET": "budget.toml", "REPORTS": "reports"}


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone with two commits of the sample project, the second with the heavier parts."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name in ("bom.csv", "budget.toml"):
        shutil.copy(ROOT / "sample_data" / "budget" / name, folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    shutil.copy(ROOT / "sample_data" / "budget" / "bom_rev_b.csv", folder / "bom.csv")
    git(folder, "commit", "-q", "-a", "-m", "second")
    return folder


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does: its own shell, which ends at the first command that fails."""
    command = folder.parent / "bin" / "massprops"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {warm_words()} "$@"\n', "utf-8")
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "CI": "true", **variables}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def run_check(folder: Path, **variables: str) -> tuple[subprocess.CompletedProcess[str], str, str]:
    """Run the step of the action; returns the summary of the job and the outputs of the step too."""
    files = {name: folder.parent / name for name in ("summary", "output")}
    for path in files.values():
        path.write_text("", "utf-8")
    done = run(
        CHECK["run"], folder, ACTION=str(ROOT), MASSPROPS_PYTHON=sys.executable,
        GITHUB_STEP_SUMMARY=str(files["summary"]), GITHUB_OUTPUT=str(files["output"]), **{**VARIABLES, **variables},
    )  # fmt: skip
    return done, *(path.read_text("utf-8") for path in files.values())


def test_variables_of_the_step_are_inputs() -> None:
    """Inputs reach scripts as variables, never as text of a script."""
    named = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION)))
    assert named == set(INPUTS)
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])
    script = (ROOT / "action" / "report.py").read_text("utf-8")
    read = set(re.findall(r"""environ(?:\.get\(|\[)["']([A-Z]+)["']""", script))
    assert read == set(CHECK["env"]) - {"ACTION"}


def test_broken_limit_fails_with_all_reports(repository: Path) -> None:
    done, summary, output = run_check(repository, BASE=git(repository, "rev-parse", "HEAD~1"))
    assert (done.returncode, done.stderr, output) == (1, "", "verdict=fail\n")
    assert done.stdout.startswith("::error file=bom.csv,line=16,title=MP601 mass-over-limit::PLD: ")
    first, rest = summary.split("\n", 1)
    assert first.startswith("### ✘ `bom.csv`: 13 of 15 limits kept, 1 error")
    assert "| PLD Camera | mass ≤ 1020 g (predicted) | 1044 g | -24 g | error |" in rest
    assert re.search(r"\| total \| 4035 \|", rest)  # the review table
    assert "| PLD-1 | mass, sigma, growth | +57.00 |" in rest  # 742 g - 685 g
    assert "| PWR-3 | mass, sigma, growth | +12.00 |" in rest  # 4 (131 g - 128 g)
    chart = re.search(r"```text\nmass of SAT: 3966 → 4035 g, .*?\n```", rest, re.DOTALL)
    assert chart is not None
    bars = {line.split()[0]: line.count("█") for line in chart[0].splitlines() if "█" in line}
    assert bars == {"PLD-1": 20, "PWR-3": 4, "change": 24}  # 24 columns are 69 g: 57 g are 19.8, 12 g are 4.2
    reports = repository / "reports"
    assert (reports / "massprops.md").read_text("utf-8") == summary
    assert "13 of 15 kept" in "".join(ET.parse(reports / "massprops.svg").getroot().itertext())
    suite = ET.parse(reports / "bom.csv.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("16", "1")
    log = json.loads((reports / "massprops.sarif").read_text("utf-8"))
    jsonschema.validate(log, json.loads((ROOT / "tests" / "schemas" / "sarif-schema-2.1.0.json").read_text("utf-8")))
    assert git(repository, "worktree", "list").count("\n") == 0


@pytest.mark.slow
def test_kept_limits_pass_without_changes(repository: Path) -> None:
    git(repository, "checkout", "-q", "HEAD~1")
    done, summary, output = run_check(repository, BASE="HEAD")
    assert (done.returncode, done.stderr, output) == (0, "", "verdict=pass\n")
    assert summary.startswith("### ✔ `bom.csv`: 14 of 15 limits kept")
    assert "Changes since" not in summary


@pytest.mark.slow
def test_several_tables_with_one_log_and_a_new_one(repository: Path) -> None:
    (repository / "more").mkdir()
    (repository / "more" / "a b.csv").write_text("id,parent,mass [kg]\nR,,\nX,R,1\nX,R,2 m\n", "utf-8")
    base = git(repository, "rev-parse", "HEAD~1")
    done, summary, output = run_check(repository, FILES="bom.csv\nmore/*.csv\n", BASE=base)
    assert (done.returncode, output) == (1, "verdict=fail\n")
    assert "`more/a b.csv`" in summary
    assert "New table" in summary
    (log,) = json.loads((repository / "reports" / "massprops.sarif").read_text("utf-8"))["runs"]
    rules = [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert {"MP601", "MP205"} <= {rules[one["ruleIndex"]] for one in log["results"]}
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in log["results"])
    assert "0 of 2 pass" in (repository / "reports" / "massprops.svg").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"FILES": "none.csv"}, "::error title=massprops::none.csv could not be checked"),
        ({"BUDGET": "no.toml"}, "::error title=massprops::bom.csv could not be checked"),
        ({"FILES": " \n"}, "::error title=massprops::the input files names no table"),
        ({"FILES": "-v"}, "::error title=massprops::-v could not be checked"),
        ({"ARGUMENTS": "--no-such"}, "::error title=massprops::bom.csv could not be checked"),
    ],
)
def test_what_cannot_be_read_is_not_passed_over(repository: Path, variables: dict[str, str], message: str) -> None:
    done, summary, output = run_check(repository, **variables)
    assert (done.returncode, output) == (2, "verdict=unreadable\n")
    assert message in done.stdout
    assert "Traceback" not in done.stdout + done.stderr + summary


@pytest.mark.slow
@pytest.mark.parametrize("base", ["", "none", "0" * 40])
def test_no_base_gives_no_changes(repository: Path, base: str) -> None:
    done, summary, _ = run_check(repository, BASE=base)
    assert (done.returncode, "::warning" in done.stdout, "Changes since" in summary) == (1, False, False)


@pytest.mark.slow
def test_base_that_is_not_available_is_a_warning(repository: Path) -> None:
    done, summary, _ = run_check(repository, BASE="::error::x")
    assert done.returncode == 1
    assert "::warning title=massprops::no changes are shown" in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.startswith("::error::")]
    assert "Changes since" not in summary


class Server(BaseHTTPRequestHandler):
    """The comments of a pull request, kept by the server."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log."""

    def answer(self, code: int, content: Any) -> None:
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.answer(200, self.server.comments if "page=1" in self.path.split("&") else [])  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        comments = self.server.comments  # type: ignore[attr-defined]
        if self.headers["Authorization"] != "Bearer secret":
            self.answer(403, {})
        elif self.command == "POST" and self.path == "/repos/o/r/issues/7/comments":
            comments.append({"id": len(comments) + 1, "body": body})
            self.answer(201, {})
        elif self.command == "PATCH" and (found := re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", self.path)):
            comments[int(found[1]) - 1]["body"] = body
            self.answer(200, {})
        else:
            self.answer(404, {})

    do_PATCH = do_POST


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        server.comments = [{"id": 1, "body": "of a person"}]  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_comment_is_written_once_and_then_anew(repository: Path, server: HTTPServer) -> None:
    variables = {
        "COMMENT": "7", "TOKEN": "secret", "GITHUB_REPOSITORY": "o/r",
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}", "no_proxy": "127.0.0.1",
    }  # fmt: skip
    comments = server.comments  # type: ignore[attr-defined]
    run_check(repository, **variables)
    assert len(comments) == 2
    assert "13 of 15 limits kept" in comments[1]["body"]
    git(repository, "checkout", "-q", "HEAD~1")
    run_check(repository, **variables)
    assert len(comments) == 2
    assert comments[0]["body"] == "of a person"
    assert "14 of 15 limits kept" in comments[1]["body"]
    done, _, _ = run_check(repository, **{**variables, "TOKEN": "without the right"})
    assert done.returncode == 0
    assert "::warning title=massprops::the comment was not written" in done.stdout


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_install_steps_install_with_uv_if_it_is_there(tool: str, tmp_path: Path) -> None:
    """The step of the action, and that of GitLab, with commands that record their calls and make a Python."""
    (step,) = (one for one in ACTION["runs"]["steps"] if one.get("name") == "Install")
    template = (ROOT / "templates" / "massprops.yml").read_text("utf-8").split("\n---\n")[1]
    (before,) = yaml.safe_load(template)["massprops"]["before_script"]
    (tmp_path / "bin").mkdir()
    made = 'if [ "$2" = venv ]; then mkdir -p "$4/bin"; touch "$4/bin/python"; else echo "$@"; fi'
    for name, line in {"python": made, "pip": 'echo "$@"', **({"uv": 'echo "$@"'} if tool == "uv" else {})}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    done = run(
        f"{step['run']}\n{before}", tmp_path, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", RUNNER_TEMP=str(tmp_path / "t"),
        ACTION="/a b", PACKAGE="a b.whl", GITHUB_ENV=str(tmp_path / "env"),
    )  # fmt: skip
    python = tmp_path / "t" / "massprops" / "bin" / "python"
    calls = {
        "uv": f"pip install --quiet --python {python} /a b\npip install --quiet --system a b.whl\n",
        "pip": f"-m pip --python {python} install --quiet --no-compile /a b\ninstall --quiet --no-compile a b.whl\n",
    }
    assert (done.returncode, done.stdout) == (0, calls[tool])
    assert (tmp_path / "env").read_text("utf-8") == f"MASSPROPS_PYTHON={python}\n"


@pytest.mark.slow
def test_template_of_gitlab(repository: Path) -> None:
    head, body = (ROOT / "templates" / "massprops.yml").read_text("utf-8").split("\n---\n")
    inputs = yaml.safe_load(head)["spec"]["inputs"]
    values = {name: str((one or {}).get("default", "")) for name, one in inputs.items()}
    values |= {"file": "bom.csv", "budget": "budget.toml"}
    used = set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", body))
    assert used == set(inputs)
    job = yaml.safe_load(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: values[found[1]], body))["massprops"]
    base = git(repository, "rev-parse", "HEAD~1")
    git(repository, "remote", "add", "origin", str(repository))
    variables = {**job["variables"], "CI_COMMIT_BEFORE_SHA": base}
    assert run("\n".join(job["script"]), repository, **variables).returncode == 1
    assert run("\n".join(job["after_script"]), repository, **variables).returncode == 0
    names = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    texts = {name: (repository / name).read_text("utf-8") for name in names}
    assert "| PLD-1 | mass, sigma, growth | +57.00 |" in texts["massprops-changes.md"]
    assert "| total | 4035 |" in texts["massprops-review.md"]
    assert "MP601" in texts["code-quality.json"]


@pytest.mark.slow
def test_hooks_run_and_are_installed_as_python() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in hooks] == ["massprops-check", "massprops-validate"]
    for hook in hooks:
        assert hook["language"] == "python"
        assert re.search(hook["files"], "a/bom.csv")
        assert not re.search(hook["files"], "a/readme.md")
        call = [sys.executable, "-m", "massprops_cli", *shlex.split(hook["entry"])[1:], "bom.csv"]
        call += ["--budget", "budget.toml"] if hook["id"] == "massprops-check" else []
        done = subprocess.run(
            call, cwd=ROOT / "sample_data" / "budget", env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
