"""A table of shapes with tolerances, against the same parts as numbers with sigmas: CPU time to read and roll up."""

from __future__ import annotations

import io
import random
import sys

from bench_covariance import in_pairs

import massprops_cli as mp

ROWS = 1_000
VALUES = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
FORMS = (
    ("cylinder", "r={0}±0.2 mm (2σ); L={1}±1 mm (2σ)"),
    ("box", "a={0}±0.1 mm (2σ); b={1}±0.2 mm (2σ); c={2} mm"),
    ("sphere", "r={0}±0.3 mm (uniform)"),
    ("tube", "r={2}00±0.2 mm (2σ); ri={0}±0.1 mm (2σ); L={1} mm"),
)


def shape_table(rows: int) -> str:
    """Return a table of parts in assemblies of ten, each a shape with tolerances of its own."""
    rng = random.Random(7)
    lines = [f"id,parent,{VALUES},POIconv,shape,dims,density", f"T,,{',' * 9},-,,,"]
    for k in range(rows):
        if k % 10 == 0:
            lines.append(f"S{k},T,{',' * 9},-,,,")
        shape, dims = FORMS[k % len(FORMS)]
        sizes = [round(rng.uniform(low, low * 2), 2) for low in (20, 300)] + [rng.randrange(2, 9)]
        place = ",".join(f"{rng.uniform(-1, 1):.3f}" for _ in range(3))
        lines.append(f"P{k},S{k - k % 10},,{place}{',' * 6},-,{shape},{dims.format(*sizes)},7850±80 kg/m3 (2σ)")
    return "\n".join(lines) + "\n"


def number_table(text: str) -> str:
    """Return the same table with the ten numbers and their sigmas."""
    bom = mp.read_bom(io.StringIO(text), format="csv")
    sigmas = ",".join(f"sigma_{name}" for name in VALUES.split(","))
    lines = [f"id,parent,{VALUES},POIconv,{sigmas}"]
    for name in bom:
        body = bom[name]
        parent = "" if name == "T" else "T" if name.startswith("S") else f"S{int(name[1:]) - int(name[1:]) % 10}"
        if not name.startswith("P"):
            lines.append(f"{name},{parent},{',' * 9},-,{',' * 9}")
            continue
        entries = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        values = [body.mass, *body.center, *(body.inertia[one] for one in entries)]
        spread = [body.sigma_mass, *body.sigma_center, *(body.sigma_inertia[one] for one in entries)]
        cells = [",".join(repr(float(x)) for x in numbers) for numbers in (values, spread)]
        lines.append(f"{name},{parent},{cells[0]},-,{cells[1]}")
    return "\n".join(lines) + "\n"


def main() -> None:
    shapes = shape_table(ROWS)
    numbers = number_table(shapes)

    def roll(text: str) -> mp.Result:
        return mp.rollup(mp.read_bom(io.StringIO(text), format="csv"))

    assert abs(roll(shapes).root.mass / roll(numbers).root.mass - 1) < 1e-12
    ours, other, ratio = in_pairs(lambda: roll(shapes), lambda: roll(numbers), 9)
    print(
        f"| {ROWS:,} rows of shapes with tolerances, read and rolled up | {ours:.3f} s, as numbers {other:.3f} s: "
        f"{ratio:.1f} | at most 3 times the numbers |"
    )


if __name__ == "__main__":
    sys.exit(main())
