"""Tables for the benchmarks: random parts in a random tree, 28 % of the rows assemblies, 27 columns, 17 digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NUMBERS = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
HEADER = ["id", "parent", "name", "POIconv", *NUMBERS, "Ipoint", *(f"sigma_{n}" for n in NUMBERS), "supplier", "note"]


def write_table(path: Path, rows: int, seed: int = 1, units: bool = False) -> Path:
    """Write a csv of ``rows`` rows with a tree of 3 to 6 children per group; kept from one run to the next."""
    if path.exists():
        return path
    rng = np.random.default_rng(seed)
    n_inner = max(1, int(rows * 0.28))
    parent = parents_of(rows, n_inner, rng)
    leaf = np.arange(rows) >= n_inner
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="") as out:
        out.write(",".join(header_with_units() if units else HEADER) + "\n")
        for start in range(0, rows, 50_000):
            stop = min(rows, start + 50_000)
            out.write("\n".join(lines(start, stop, parent, leaf, rng)) + "\n")
    partial.rename(path)
    return path


def write_shuffled_table(table: Path, path: Path, *, quoted: bool, seed: int = 2) -> Path:
    """Write the rows of a table in random order; ``quoted`` as databases do: all texts in quotes, some with quotes."""
    if path.exists():
        return path
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="", encoding="utf-8") as out:
        out.write((_quoted_header(header) if quoted else header) + "\n")
        for i in np.random.default_rng(seed).permutation(len(rows)).tolist():
            out.write((_quoted_row(rows[i], i) if quoted else rows[i]) + "\n")
    partial.rename(path)
    return path


def write_variant(table: Path, kind: str) -> Path:
    """Write a table as other programs would: with ``zeros`` in every third row, ``CRLF``, or ``decimal commas``."""
    path = table.with_name(f"{kind.replace(' ', '_')}_{table.name}")
    if path.exists():
        return path
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    if kind == "zeros":
        at = HEADER.index("Cx")
        for i, cells in ((i, rows[i].split(",")) for i in range(0, len(rows), 3)):
            if cells[at]:
                cells[at : at + 2] = "0", "0.0"
                rows[i] = ",".join(cells)
    text = "\n".join([header, *rows, ""])
    text = text.replace(",", ";").replace(".", ",") if kind == "decimal commas" else text
    partial = path.with_suffix(".partial")
    partial.write_bytes((text.replace("\n", "\r\n") if kind == "CRLF" else text).encode())
    partial.rename(path)
    return path


def _quoted_header(line: str) -> str:
    return ",".join(f'"{name}"' for name in line.split(","))


def _quoted_row(line: str, i: int) -> str:
    """Quote the texts of a row; every seventh note has a comma, and an escaped quote as for inches."""
    cells = line.split(",")
    for j in (0, 1, 2, 3, 25):
        cells[j] = f'"{cells[j]}"' if cells[j] else cells[j]
    cells[26] = '"plate, 4"" wide"' if i % 7 == 0 else '"n"'
    return ",".join(cells)


def header_with_units() -> list[str]:
    """Return the header with kg, mm and kg·mm²."""

    def unit(name: str) -> str:
        base = name.removeprefix("sigma_")
        return "kg" if base == "mass" else "mm" if base.startswith("C") else "kg*mm^2"

    return [f"{n} [{unit(n)}]" if n.removeprefix("sigma_") in NUMBERS else n for n in HEADER]


def parents_of(rows: int, n_inner: int, rng: np.random.Generator) -> np.ndarray:
    """Assign every row a parent before it: assemblies under nearby assemblies, leaves spread over all of them."""
    parent = np.empty(rows, np.int64)
    parent[0] = -1
    inner = np.arange(1, n_inner)
    parent[1:n_inner] = (inner - 1) // 4
    n_leaves = rows - n_inner
    owners = np.arange(n_leaves) % n_inner if n_leaves >= n_inner else rng.integers(0, n_inner, n_leaves)
    parent[n_inner:] = np.sort(owners)
    return parent


def lines(start: int, stop: int, parent: np.ndarray, leaf: np.ndarray, rng: np.random.Generator) -> list[str]:
    """Return the text of some rows."""
    k = stop - start
    mass = rng.uniform(0.1, 1, k)
    center = rng.uniform(-100, 100, (k, 3))
    points = rng.normal(0, 1, (k, 5, 3))
    second = np.einsum("kia,kib->kab", points, points) * mass[:, None, None] / 5
    trace = np.trace(second, axis1=1, axis2=2)
    inertia = trace[:, None, None] * np.eye(3) - second
    six = np.stack(
        [inertia[:, 0, 0], inertia[:, 1, 1], inertia[:, 2, 2], inertia[:, 0, 1], inertia[:, 0, 2], inertia[:, 1, 2]], 1
    )
    ten = np.column_stack([mass, center, six])
    sigma = np.abs(ten) * 0.05
    result = []
    for i in range(k):
        row = start + i
        above = f"N{parent[row]}" if parent[row] >= 0 else ""
        if leaf[row]:
            a = ",".join(map(repr, ten[i].tolist()))
            s = ",".join(map(repr, sigma[i].tolist()))
            result.append(f"N{row},{above},Part {row},-,{a},FALSE,{s},S{row % 7},n")
        else:
            result.append(f"N{row},{above},Assembly {row},-,,,,,,,,,,,,,,,,,,,,,,S{row % 7},n")
    return result
