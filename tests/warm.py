"""The command as a process that is forked from one which has loaded it: a start takes a tenth of the time.

``warm_command()`` stands for ``python -m massprops_cli``, ``warm_words()`` for the same in a shell. Folder,
arguments, environment, streams (also closed ones) and exit codes are those of the caller; signals and limits are not.
Starts, signals and memory have tests with processes that begin from nothing.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

# without site and the module socket, which take longer than all else; marshal keeps texts that are not Unicode
CLIENT = """
import _socket, array, marshal, posix, sys
fds = []
for fd in range(3):
    try:
        posix.fstat(fd)
        fds.append(fd)
    except OSError:
        pass
call = marshal.dumps((posix.getcwdb(), fds, sys.argv[2:], posix.environ))
link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
link.connect(sys.argv[1])
rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
link.sendmsg([len(call).to_bytes(8, "little")], rights)
for fd in fds:
    posix.close(fd)
while call:
    call = call[link.send(call):]
posix._exit(int(link.recv(8) or b"99"))
"""


@cache
def warm_command() -> list[str]:
    """Start the process that is forked, once in each process of the tests; returns the words that run the command."""
    if not hasattr(os, "fork"):
        return [sys.executable, "-m", "massprops_cli"]
    folder = tempfile.TemporaryDirectory(prefix="massprops-warm-")
    address = f"{folder.name}/socket"
    (Path(folder.name) / "client.py").write_text(CLIENT)
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", address],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdout.read(1) == b"."
    server.stdout.close()

    def end() -> None:
        server.terminate()
        server.wait()
        folder.cleanup()

    atexit.register(end)
    return [sys.executable, "-I", "-S", f"{folder.name}/client.py", address]


def warm_words() -> str:
    """Give the words that run the command in a shell."""
    return shlex.join(warm_command())


def serve(address: str) -> None:
    """Load what a roll-up, its screen and a tree use, and fork a process for each call that comes."""
    for name in _loaded_names():
        importlib.import_module(name)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(64)
    os.write(1, b".")
    os.dup2(0, 1)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    parent = os.getppid()
    listener.settimeout(2.0)
    while os.getppid() == parent:  # the tests may have been killed
        try:
            link = listener.accept()[0]
        except TimeoutError:
            continue
        if os.fork() == 0:
            listener.close()
            _answer(link)
        link.close()


def _loaded_names() -> list[str]:
    """List the modules that some calls load; they run in a child, so that nothing but modules is kept of them."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        from massprops_cli.cli.app import run_command_line

        os.dup2(0, 1)
        os.dup2(0, 2)
        sample = str(ROOT / "sample_data" / "spacecraft.csv")
        for words in (["rollup", sample, "-o", "-"], ["tree", sample], ["validate", sample]):
            run_command_line(words)
        os.write(writing, "\n".join(sys.modules).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as names:
        return [name for name in names.read().split() if name != "__main__"]


def _answer(link: socket.socket) -> None:
    """Run one call in a child, and tell its exit code."""
    import marshal

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    link.setblocking(True)
    size, sent, *_ = socket.recv_fds(link, 8, 3)
    call = b""
    while len(call) < int.from_bytes(size, "little"):
        call += link.recv(65536)
    folder, fds, arguments, environment = marshal.loads(call)
    child = os.fork()
    if child:
        for fd in sent:
            os.close(fd)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        link.send(str(code % 256).encode())
        os._exit(0)
    link.close()
    for own, fd in zip(sent, fds, strict=True):
        os.dup2(own, fd)
        os.close(own)
    for fd in {0, 1, 2} - {*fds}:
        os.close(fd)
    reading, writing, errors = (fd if fd in fds else None for fd in range(3))
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environment)
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = None if reading is None else os.fdopen(0, encoding=encoding)
    sys.stdout = sys.__stdout__ = None if writing is None else os.fdopen(1, "w", encoding=encoding)
    sys.stderr = sys.__stderr__ = None if errors is None else os.fdopen(2, "w", 1, encoding, "backslashreplace")
    sys.argv = ["massprops", *arguments]
    from massprops_cli.__main__ import main

    main()
    sys.exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
