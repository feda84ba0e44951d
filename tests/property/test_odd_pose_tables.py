"""Odd tables with poses and shapes: mixed units, forms and frames, totalled by matrices of this file alone."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app
from tests.examples import first

TEN = ("mass [lb]", "Cx [mm]", "Cy [cm]", "Cz [m]", *(f"I{a} [kg*mm^2]" for a in ("xx", "yy", "zz", "xy", "xz", "yz")))
SIZES = np.array([0.45359237, 1e-3, 1e-2, 1.0, *[1e-6] * 6])
POSE = ("tx [in]", "ty [mm]", "tz [m]", "roll [deg]", "pitch [rad]", "yaw [mrad]", "qw", "qx", "qy", "qz")
POSE += ("ax", "ay", "az", "angle [deg]", *(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)))
LENGTHS = np.array([0.0254, 1e-3, 1.0])
MORE = ("frame", "pattern", "pattern_axis", "pattern_angle [rad]", "pattern_point [cm]", "pattern_pitch [cm]")
HEAD = ("id", "parent", "qty", *TEN, "POIconv", "shape", "dims", "density", *POSE, *MORE)
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))

Pose = tuple[np.ndarray, np.ndarray]


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation by Rodrigues."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def after(first: Pose, second: Pose) -> Pose:
    """x = first(second(x))."""
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def back(pose: Pose) -> Pose:
    return pose[0].T, -pose[0].T @ pose[1]


class Odd:
    """A random tree, its table, and ten additive numbers of everything about the origin."""

    def __init__(self, seed: int, inertia_about: str) -> None:
        self.rng, self.origin = random.Random(seed), inertia_about == "origin"
        self.rows = [",".join(HEAD)]
        self.total = np.zeros(10)
        self.names = 0
        self.add("", [((np.eye(3), np.zeros(3)), 1.0)], 0)

    def rotation(self) -> tuple[dict[str, float], np.ndarray]:
        """Cells of a rotation in one form, and its matrix."""
        rng = self.rng
        axis, angle = np.array([rng.uniform(-1, 1) for _ in range(3)]), rng.uniform(-3, 3)
        R = about(axis, angle)
        form = rng.choice(["none", "rpy", "quaternion", "axis", "cosines", "minus"])
        if form == "none":
            return {}, np.eye(3)
        if form == "rpy":
            a = [rng.uniform(-3, 3) for _ in range(3)]
            R = about([0, 0, 1], a[2]) @ about([0, 1, 0], a[1]) @ about([1, 0, 0], a[0])
            return {"roll [deg]": np.rad2deg(a[0]), "pitch [rad]": a[1], "yaw [mrad]": 1000 * a[2]}, R
        if form == "axis":
            return dict(zip(("ax", "ay", "az"), 7.5 * axis, strict=True)) | {"angle [deg]": np.rad2deg(angle)}, R
        if form == "cosines":
            return {f"r{i + 1}{j + 1}": R[i, j] for i in range(3) for j in range(3)}, R
        # not quite a unit quaternion, of either sign
        q = np.append(np.cos(angle / 2), np.sin(angle / 2) * axis / np.linalg.norm(axis))
        q *= (-1 if form == "minus" else 1) * rng.uniform(0.9995, 1.0005)
        return dict(zip(("qw", "qx", "qy", "qz"), q, strict=True)), R

    def body(self, cells: dict[str, object], frame: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Numbers of a row in its frame: mass, centre and tensor about the centre; or a box from its sides."""
        rng = self.rng
        if frame == "own" and not self.origin and rng.random() < 0.3:
            a, b, c = (rng.uniform(10, 200) for _ in range(3))
            cells |= {"shape": "box", "dims": f"a={a!r} mm; b={b / 10!r} cm; c={c / 25.4!r} in", "density": "2.7 g/cm3"}
            m = 2700 * a * b * c * 1e-9
            return m, np.zeros(3), m / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * 1e-6
        points = np.array([[rng.gauss(0, 0.1) for _ in range(3)] for _ in range(6)])
        S = points.T @ points
        m, center = rng.uniform(1, 5), np.array([rng.uniform(-1, 1) for _ in range(3)])
        tensor = np.trace(S) * np.eye(3) - S
        sign = rng.choice("+-")
        written = tensor + m * (center @ center * np.eye(3) - np.outer(center, center)) if self.origin else tensor
        six = np.array([written[pair] for pair in PAIRS]) * [1, 1, 1, *[-1 if sign == "+" else 1] * 3]
        cells |= dict(zip(TEN, np.array([m, *center, *six]) / SIZES, strict=True)) | {"POIconv": sign}
        return m, center, tensor

    def pattern(self, cells: dict[str, object]) -> list[Pose]:
        """Cells of a pattern, and the displacements of its pieces."""
        rng, n = self.rng, self.rng.randrange(2, 5)
        axis, point = np.array([rng.uniform(-1, 1) for _ in range(3)]), np.array([rng.uniform(-1, 1) for _ in range(3)])
        cells["qty"] = n
        words = " ".join(map(repr, axis.tolist()))
        if rng.random() < 0.5:
            cells |= {"pattern": "linear", "pattern_pitch [cm]": " ".join(map(repr, (100 * point).tolist()))}
            return [(np.eye(3), k * point) for k in range(n)]
        cells |= {"pattern": "circular", "pattern_axis": words}
        angle = rng.choice([None, rng.uniform(0.1, 1)])
        cells |= {} if angle is None else {"pattern_angle [rad]": angle}
        cells["pattern_point [cm]"] = " ".join(map(repr, (100 * point).tolist()))
        found = []
        for k in range(n):
            R = about(axis, k * (2 * np.pi / n if angle is None else angle))
            found.append((R, point - R @ point))
        return found

    def add(self, parent: str, places: list[tuple[Pose, float]], depth: int) -> None:
        """Add an item and what is below it; ``places`` are the frames of its parent, and how often each counts."""
        rng, name = self.rng, f"i{self.names}"
        self.names += 1
        cells: dict[str, object] = {"id": name, "parent": parent}
        local: Pose = (np.eye(3), np.zeros(3))
        if rng.random() < 0.8:
            t = np.array([rng.uniform(-2, 2) for _ in range(3)])
            turn, R = self.rotation()
            cells |= turn | dict(zip(POSE[:3], t / LENGTHS, strict=True))
            local = (R, t)
        count, shifts = 1.0, [(np.eye(3), np.zeros(3))]
        if parent and rng.random() < 0.25:
            shifts = self.pattern(cells)
        elif parent and rng.random() < 0.2:
            cells["qty"] = count = rng.choice([2.0, 3.0, 0.0])
        first = places[0][0]
        here = [(after(up, after(shift, local)), n * count) for up, n in places for shift in shifts]
        is_leaf = depth == 3 or (depth > 0 and rng.random() < 0.4)
        frame = rng.choice(["own", "parent", "root"])
        cells["frame"] = frame
        if is_leaf or rng.random() < 0.3:
            m, center, tensor = self.body(cells, frame)
            # own numbers are in the frame of the first piece; the others are displaced as their frames are
            own = here[0][0]
            base = {"own": own, "parent": first, "root": (np.eye(3), np.zeros(3))}[frame]
            for pose, n in here:
                R, t = after(after(pose, back(own)), base)
                c, J = R @ center + t, R @ tensor @ R.T
                J = J + m * (c @ c * np.eye(3) - np.outer(c, c))
                self.total += n * np.array([m, *(m * c), *(J[pair] for pair in PAIRS)])
        texts = (repr(float(x)) if isinstance(x, float) else str(x) for x in (cells.get(h, "") for h in HEAD))
        self.rows.append(",".join(texts))
        if not is_leaf:
            for _ in range(rng.randrange(1, 4)):
                self.add(name, here, depth + 1)


def assert_total(bom: mp.Bom, total: np.ndarray, turn: np.ndarray, shift: np.ndarray) -> None:
    """The root is the sum of all bodies, x' = turn x + shift."""
    assert not bom.has_errors, [str(f) for f in bom.findings if f.severity.value == "error"]
    root = mp.rollup(bom, "none")["i0"]
    mass, length, inertia = bom.units_of_body()
    size_m, size_l = {"lb": 0.45359237, "kg": 1.0}[mass], {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}[length]
    m, c = total[0], total[1:4] / total[0]
    J = np.zeros((3, 3))
    for (i, j), x in zip(PAIRS, total[4:], strict=True):
        J[i, j] = J[j, i] = x
    own = turn @ (J - m * (c @ c * np.eye(3) - np.outer(c, c))) @ turn.T
    assert root.mass * size_m == pytest.approx(m, rel=1e-12)
    assert root.center * size_l == pytest.approx(turn @ c + shift, abs=1e-11)
    size_i = {"kg*mm^2": 1e-6, "kg*m^2": 1.0}.get(inertia, size_m * size_l**2)
    assert root.inertia * size_i == pytest.approx(own, abs=1e-11 * float(np.abs(own).max()))


@pytest.mark.spread(2, keep=("7",))
@pytest.mark.parametrize("seed", first(range(40), 10))
def test_totals_of_odd_tables(seed: int) -> None:
    odd = Odd(seed, "origin" if seed % 4 == 3 else "")
    options = {"inertia_about": (0, 0, 0)} if odd.origin else {}
    bom = mp.read_bom(io.StringIO("\n".join(odd.rows) + "\n"), format="csv", assembly_values="own", **options)
    assert_total(bom, odd.total, np.eye(3), np.zeros(3))


MOVES = {
    ("--rotate", "y 40 deg", "--translate", "1,2,3 m"): (about(np.array([0, 1, 0]), np.deg2rad(40)), [1.0, 2, 3]),
    ("--mirror", "y", "--about", "0,1,0 m"): (np.diag([1.0, -1, 1]), [0.0, 2, 0]),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("words", MOVES)
@pytest.mark.parametrize("seed", first(range(12), 3))
def test_odd_tables_in_another_frame(seed: int, words: tuple[str, ...], tmp_path: Path) -> None:
    turn, shift = MOVES[words]
    odd = Odd(seed, "origin" if seed % 4 == 3 else "")
    source, out = tmp_path / "bom.csv", tmp_path / "moved.csv"
    source.write_text("\n".join(odd.rows) + "\n")
    options = ["--assembly-values", "own", *(["--inertia-about", "origin"] if odd.origin else [])]
    result = CliRunner().invoke(app, ["transform", str(source), *words, *options, "-o", str(out)])
    assert result.exit_code == 0, result.output
    read = {"inertia_about": (0, 0, 0)} if odd.origin else {}
    assert_total(mp.read_bom(out, assembly_values="own", **read), odd.total, turn, np.array(shift))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("1,0,0,0,1,0,0,0,-1", "left-handed"),
        ("1,0,0,0,1,0,0,0.1000,1", "not orthonormal"),
        ("0,0,0,0,0,0,0,0,0", "orthonormal"),
    ],
)
def test_cosines_that_are_no_rotation_keep_the_mass_and_show_the_defect(cells: str, words: str) -> None:
    head = "id,parent,mass,Cx,Cy,Cz,frame,tx,ty,tz," + ",".join(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
    text = f"{head}\nT,,,,,,root{',' * 12}\nA,T,2,1,0,0,own,0,0,0,{cells}\nB,T,3,1,0,0,root{',' * 12}\n"
    bom = mp.read_bom(io.StringIO(text), format="csv")
    (found,) = [f for f in bom.findings if f.rule == "MP705"]
    assert words in found.message
    assert mp.rollup(bom, "none", keep_going=True)["T"].mass == 5.0
