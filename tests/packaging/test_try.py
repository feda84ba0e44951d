"""The page that rolls up a table in the browser: built, opened in headless Chromium, and fed as a person feeds it."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DROPPED = """<!doctype html><meta charset="utf-8"><iframe src="index.html" width="900" height="700"></iframe><script>
const frame = document.querySelector("iframe"), sent = %s, got = {};
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
frame.onload = async () => {
  const inner = frame.contentDocument;
  for (const [name, text] of Object.entries(sent)) {
    const data = new frame.contentWindow.DataTransfer();
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    data.items.add(new File([bytes], name));
    const event = new frame.contentWindow.DragEvent("drop", { dataTransfer: data, cancelable: true });
    inner.getElementById("drop").dispatchEvent(event);
    await pause(50);
    const state = () => inner.getElementById("state").textContent;
    while (!/: (done|not written)|cannot|could not|stopped/.test(state())) await pause(50);
    const files = {};
    for (const link of inner.querySelectorAll("a.result")) {
      const bytes = new Uint8Array(await (await fetch(link.href)).arrayBuffer());
      let letters = "";
      for (const one of bytes) letters += String.fromCharCode(one);
      files[link.download] = btoa(letters);
    }
    got[name] = { state: state(), screen: inner.getElementById("screen").textContent, files };
  }
  let escape = "sent";
  frame.contentWindow.addEventListener("securitypolicyviolation", () => (escape = "blocked"));
  await frame.contentWindow.fetch("http://127.0.0.1:9/", { mode: "no-cors" }).catch(() => 0);
  await pause(50);
  got.escape = escape;
  await fetch("result", { method: "POST", body: JSON.stringify(got) });
};
</script>"""


class Server(SimpleHTTPRequestHandler):
    """The built page, the page that drops tables on it, and the place where that page writes what returned."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if self.path != "/dropped.html":
            super().do_GET()
            return
        data = (DROPPED % json.dumps(self.server.sent)).encode()  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got = json.loads(body)  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()
        self.server.arrived.set()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page: that of ``MASSPROPS_TRY``, else built anew."""
    if built := os.environ.get("MASSPROPS_TRY"):
        return Path(built)
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("try") / "page"
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_try.py"), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode and "SHA-256" not in done.stderr:
        pytest.skip(f"the packages of the page could not be loaded: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def server(page: Path) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: Server(*given, directory=str(page))) as server:
        server.asked, server.got, server.arrived = [], {}, threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_dropped_tables_return_as_the_command_writes_them(server: Any, page: Path, tmp_path: Path) -> None:
    samples = {name: (ROOT / "sample_data" / name).read_bytes() for name in ("spacecraft.csv", "spacecraft.xlsx")}
    samples["bad.csv"] = b"id,parent,mass [kg]\nR,,\nX,R,two\n"
    samples["a.json"] = b"[]"
    server.sent = {name: base64.b64encode(data).decode() for name, data in samples.items()}
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    address = f"http://127.0.0.1:{server.server_port}/dropped.html"
    with subprocess.Popen([*command, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            assert server.arrived.wait(240), server.asked
        finally:
            browser.terminate()
    got = server.got
    for name in ("spacecraft.csv", "spacecraft.xlsx"):
        assert ": done in " in got[name]["state"], got[name]["screen"]
        (tmp_path / name).write_bytes(samples[name])
        done = subprocess.run(
            [sys.executable, "-m", "massprops_cli", "rollup", f"./{name}"], cwd=tmp_path, text=True,
            capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "96"}, check=True,
        )  # fmt: skip
        ((written, text),) = got[name]["files"].items()
        assert written == name.replace(".", ".rollup.")
        assert base64.b64decode(text)[:2] == (b"PK" if name.endswith("xlsx") else samples[name][:2])
        assert _numbers(got[name]["screen"]) == _numbers(done.stdout + done.stderr)
        if name.endswith("csv"):
            assert _values(base64.b64decode(text)) == pytest.approx(
                _values((tmp_path / written).read_bytes()), rel=1e-12
            )
    assert "MP205" in got["bad.csv"]["screen"]
    assert got["bad.csv"]["files"] == {}
    assert got["a.json"]["state"] == "a.json cannot be read in the browser (expected csv, tsv, xlsx or xlsm)"
    assert got["escape"] == "blocked"
    own = {f"/{path.relative_to(page).as_posix()}" for path in page.rglob("*")}
    assert {path for path in server.asked if path not in ("/dropped.html", "/favicon.ico")} <= own


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def _values(table: bytes) -> list[float]:
    """The numbers of a table, in order."""
    cells = re.split(r"[,\n]", table.decode("utf-8"))
    return [float(one) for one in cells if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", one)]
