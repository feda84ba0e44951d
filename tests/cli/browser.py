"""Chromium driven over its DevTools protocol by a pipe: pages are opened, and what they write and request is kept."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
MISSING = "no Chromium on PATH: reports are not opened in a browser (apt install chromium)"


class Browser:
    """One page of a headless Chromium; ``events`` has messages of the console, exceptions, requests and dialogs."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        words = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        # descriptors 3 and 4 of the browser are the pipe
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "browser", *words, f"--user-data-dir={self._folder.name}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._left, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            if not (more := os.read(self._in, 1 << 20)):
                raise EOFError("browser has ended")
            self._left += more
        one, _, self._left = self._left.partition(b"\0")
        return dict(json.loads(one))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method, and keep the events before its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def run(self, script: str) -> Any:
        """Return the value of an expression, which may be a promise."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, path: Path | str, width: int = 1200, *, dark: bool = False) -> None:
        """Open a file, and wait until its script has ended."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        mode = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media="", features=mode)
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        wait = "new Promise(done => {const at = () => document.documentElement?.dataset.ready ? done(true) : "
        assert self.run(wait + "setTimeout(at, 20); setTimeout(() => done(false), 60000); at()})")

    def key(self, name: str) -> None:
        """Press and release a key."""
        for kind in ("rawKeyDown", "keyUp"):
            code = {"Tab": 9, "Enter": 13, " ": 32}[name]
            text = {"Enter": "\r", " ": " "}.get(name, "")
            extra = {"text": text} if kind == "rawKeyDown" and text else {}
            self.call(
                "Input.dispatchKeyEvent",
                type="keyDown" if extra else kind,
                key=name,
                windowsVirtualKeyCode=code,
                **extra,
            )

    def faults(self) -> list[str]:
        """Return what a report must not do: write to the console, fail, open a dialog, or request anything."""
        self.run("new Promise(done => setTimeout(done, 100))")
        kinds = (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        )
        found = [json.dumps(one["params"])[:500] for one in self.events if one.get("method") in kinds]
        addresses = [
            one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"
        ]
        return (
            found
            + [url for url in addresses if not url.startswith(("data:", "file:"))]
            + (["several files"] if sum(url.startswith("file:") for url in addresses) > 1 else [])
        )
