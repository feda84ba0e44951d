"""Files of xacro: their macros, and the URDF that the program xacro makes of them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from massprops_cli.findings.finding import Findings, Place, Severity, TableError, rule_finding
from massprops_cli.robots.robot_model import SourceElement, parse_source

_NAMESPACES = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro")
_PROGRAM = "import xacro; xacro.main()"
_SECONDS = 60  # longest time of an expansion


def expanded_robot(name: str, data: bytes, findings: Findings) -> SourceElement:
    """Return the elements of a URDF file; one named ``.xacro`` is expanded in memory, with a note."""
    root = parse_source(name, data, findings)
    if _first_macro(root) is None:
        return root
    if not name.endswith(".xacro") or not Path(name).is_file() or find_spec("xacro") is None:
        reject_macros(name, root)
    command = [sys.executable, "-P", "-c", _PROGRAM, str(Path(name).absolute())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        lines = done.stderr.decode(errors="replace").split("\n")
        named = (line for line in lines if line.startswith("error"))
        reason = next(named, f"exit code {done.returncode}") if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = f"it takes more than {_SECONDS} s"
    if reason:
        message, remedy = f"xacro does not expand the file: {reason}", "correct the file, or expand it where ROS is"
        raise TableError([rule_finding("MP865", message, Place(name), value=reason, remedy=remedy)])
    message = "file is expanded by xacro: lines are those of its output, and inertials cannot be written into it"
    remedy = "write the output into a file, to change it: xacro"
    findings.report(
        "MP865", message, Place(name), severity=Severity.NOTE, remedy=f"{remedy} {quote(name)} > {quote(_target(name))}"
    )
    made = parse_source(name, done.stdout, findings)
    reject_macros(name, made)
    return made


def reject_macros(name: str, root: SourceElement) -> None:
    """Reject a file with macros that are not expanded."""
    if (found := _first_macro(root)) is None:
        return
    element, macro = found
    message = f"file is a xacro macro file, not a URDF: {macro!r} is not expanded"
    remedy = f"expand it: xacro {quote(name) if name != '-' else 'robot.xacro'} > {quote(_target(name))}"
    if name.endswith(".xacro") and find_spec("xacro") is None:
        remedy = f"install the extra: pip install 'massprops[robot]'; or {remedy}"
    raise TableError([rule_finding("MP865", message, Place(name, line=element.line), value=macro, remedy=remedy)])


def _first_macro(root: SourceElement) -> tuple[SourceElement, str] | None:
    """Return the first element with a macro, and the macro."""
    prefixes = {key.partition(":")[2] for key, value in root.attributes.items() if value in _NAMESPACES} | {"xacro"}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        prefix, sign, macro = element.tag.partition(":")
        if sign and prefix in prefixes:
            return element, f"xacro:{macro}"
        if value := next((value for value in element.attributes.values() if "${" in value), ""):
            return element, value
        waiting += reversed(element.children)
    return None


def _target(name: str) -> str:
    """Return the name of the file that xacro makes."""
    stem = name.removesuffix(".xacro").removesuffix(".urdf") if name != "-" else "robot"
    return f"{stem}.urdf" if name.endswith(".xacro") else f"{stem}.expanded.urdf"
