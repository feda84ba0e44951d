"""What pyproject.toml cannot state: the links of the project, the readme without relative links, man pages, completion.

Builds import the tables of commands and options from this folder, which need no other package, and have the same bytes
whenever they run with the same SOURCE_DATE_EPOCH.
"""

import gzip
import os
import re
import sys
import tarfile
from pathlib import Path

from setuptools import setup  # isort: split

from distutils.command.install_data import install_data  # that of setuptools

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))
sys.dont_write_bytecode = True

from docs.make_man import shared_files  # noqa: E402 - it is in this folder
from massprops_cli._front import VERSION  # noqa: E402

PAGES = {"Documentation": "docs/index.md", "Changelog": "CHANGELOG.md", "Security": "SECURITY.md"}


def home() -> str:
    """Return the address of the repository, which CITATION.cff states; empty while there is none."""
    found = re.search(r"(?m)^repository-code: *(\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"))
    return found[1].strip("\"'").rstrip("/") if found else ""


def links(repository: str) -> dict[str, str]:
    """Return the links of the project; none without a repository."""
    if not repository:
        return {}
    pages = {name: f"{repository}/blob/v{VERSION}/{path}" for name, path in PAGES.items()}
    return {"Source": repository, "Issues": f"{repository}/issues", **pages}


def index_readme(text: str, repository: str) -> str:
    """Return the readme for a package index, where relative links lead nowhere: absolute ones, or none."""
    if repository:
        text = re.sub(r"!\[([^]]*)\]\((?!https?:)([^)]+)\)", rf"![\1]({repository}/raw/v{VERSION}/\2)", text)
        return re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:|#)([^)]+)\)", rf"[\1]({repository}/blob/v{VERSION}/\2)", text)
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]+\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)[^)]+\)", r"\1", text)


class PagesOfHelp(build_py):
    """Copy the pages for users into the package, where ``massprops help`` reads them; a checkout has them in docs."""

    def run(self) -> None:
        """Build the package, with the pages unless it is installed as editable."""
        super().run()
        for part in () if self.editable_mode else (".", "howto", "tables"):
            folder = Path(self.build_lib, "massprops_cli", "pages", part)
            folder.mkdir(parents=True, exist_ok=True)
            pages = sorted((ROOT / "docs" / part).glob("*.md"))
            if not pages:
                raise SystemExit(f"docs/{part} has no pages for massprops help: build in a clone or a source archive")
            for page in pages:
                (folder / page.name).write_bytes(page.read_bytes())


class SharedFiles(install_data):
    """Write man pages and completion scripts below ``share``, where man and the shells find them."""

    def run(self) -> None:
        """Write the files, and list them as installed."""
        for name, text in shared_files().items():
            path = Path(str(self.install_dir), name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.outfiles.append(str(path))


class EqualArchive(sdist):
    """Write a source archive whose bytes depend on the files alone, with SOURCE_DATE_EPOCH as the time of all."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, owner=None, group=None):
        """Write a gzip archive: files in the order of their names, without owners, and with one of two modes."""
        if format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)
        time = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
        folder = Path(root_dir or ".", base_dir)
        archive = f"{base_name}.tar.gz"
        Path(archive).parent.mkdir(parents=True, exist_ok=True)
        with (
            open(archive, "wb") as raw,  # noqa: PTH123 - as the next two
            gzip.GzipFile("", "wb", fileobj=raw, mtime=time) as packed,
            tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as tar,
        ):
            for path in sorted(one for one in folder.rglob("*") if one.is_file()):
                entry = tarfile.TarInfo(f"{base_dir}/{path.relative_to(folder).as_posix()}")
                entry.size, entry.mtime = path.stat().st_size, time
                entry.mode = 0o755 if os.access(path, os.X_OK) and not path.suffix else 0o644
                with path.open("rb") as file:
                    tar.addfile(entry, file)
        return archive


if __name__ == "__main__":
    setup(
        project_urls=links(home()),
        long_description=index_readme((ROOT / "README.md").read_text("utf-8"), home()),
        long_description_content_type="text/markdown",
        data_files=[("share", [])],  # what SharedFiles writes
        cmdclass={"build_py": PagesOfHelp, "install_data": SharedFiles, "sdist": EqualArchive},
    )
