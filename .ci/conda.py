"""Build, install and test the conda package of this clone without a network: ``conda.py FOLDER`` writes it there.

The channel consists of this Python and of what pip installed into its environment: the recipe is resolved, built and
tested as with a public channel. The package has no compiled code and is for every system.
"""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

import rattler_build as rattler
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
SYSTEM = rattler.RenderConfig().target_platform  # such as linux-64


def main(folder: Path) -> None:
    """Make the channel, build and test the package, and copy it into the folder."""
    with tempfile.TemporaryDirectory() as work:
        channel = Path(work, "channel")
        tree = Path(work, "python")
        venv.create(tree, symlinks=True)
        links = [(path, str(path.relative_to(tree))) for path in sorted(tree.rglob("*")) if not path.is_dir()]
        package(channel, "python", platform.python_version(), links)
        for name in needed("massprops", "pip", "setuptools") - {"massprops"}:
            one = distribution(name)
            root = Path(str(one.locate_file("")))
            listed = [root / path for path in one.files or [] if ".." not in path.parts]
            names = [(path, f"{PACKAGES}/{path.relative_to(root)}") for path in listed if path.suffix != ".pyc"]
            package(channel, name, one.version, names, [f"{need.name} {need.specifier}".strip() for need in needs(one)])
        recipe = rattler.Stage0Recipe.from_file(ROOT / "conda" / "recipe.yaml")
        (variant,) = recipe.render(rattler.VariantConfig())
        tools = rattler.ToolConfiguration(test_strategy="native")
        result = variant.run_build(tools, output_dir=channel, channels=[channel.as_uri()])
        folder.mkdir(parents=True, exist_ok=True)
        for path in result.packages:
            print(shutil.copy(path, folder), Path(path).stat().st_size, "bytes, built and tested")


def needs(one: Distribution) -> list[Requirement]:
    """Return what a distribution needs on this system, without extras."""
    read = [Requirement(line) for line in one.requires or []]
    return [need for need in read if need.marker is None or need.marker.evaluate({"extra": ""})]


def needed(*names: str) -> set[str]:
    """Return the names and those of all that they need."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            waiting += [need.name for need in needs(distribution(name))]
    return found


def package(
    channel: Path, name: str, version: str, contents: list[tuple[Path, str]], depends: list[str] | None = None
) -> None:
    """Write a package of files, each with its place in an environment."""
    entries = [rattler.FileEntry.from_paths(path, place) for path, place in contents]
    rattler.assemble_package(
        name, version, SYSTEM, "0", channel / SYSTEM, files=entries, depends=depends, compression_level=1
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
