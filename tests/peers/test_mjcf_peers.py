"""Models of MJCF against MuJoCo, where it is installed: masses, centres and tensors of all bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings
from massprops_cli.mechanisms.model import RobotReading
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel
from massprops_cli.robots.inertial_resolution import file_with_inertials

mujoco = pytest.importorskip("mujoco")
TOLERANCE = 1e-10
AXES = 3e-6  # rad: MuJoCo turns principal axes until the next turn is less than 1.5e-6

CUBE = "0 0 0  .1 0 0  .1 .2 0  0 .2 0  0 0 .3  .1 0 .3  .1 .2 .3  0 .2 .3"
FACES = "0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7"
OPEN = FACES.rpartition("  3 0 4")[0]


def shapes(attributes: str) -> str:
    """A body for each primitive, each with some attributes."""
    kinds = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .2", "ellipsoid": ".1 .2 .3", "box": ".1 .2 .3"}
    return "".join(
        f'<body name="{kind}" pos=".1 .2 .3"><geom type="{kind}" size="{size}" pos=".3 .2 .1" {attributes}/></body>'
        for kind, size in kinds.items()
    )


def between(kind: str, ends: str) -> str:
    """A body with a geom between two points."""
    return f'<body name="{kind} {ends}"><geom type="{kind}" size=".05" fromto="{ends}"/></body>'


def mesh(attributes: str, faces: str = FACES, geom: str = 'type="mesh" pos="1 0 0" euler="10 20 30"') -> str:
    """A model with a body of a mesh of the model."""
    data = f'vertex="{CUBE}"' + (f' face="{faces}"' if faces else "")
    asset = f'<asset><mesh name="m" {data} {attributes}/></asset>'
    return f'{asset}<worldbody><body name="a" pos="0 0 1"><geom mesh="m" {geom}/></body></worldbody>'


def world(bodies: str, head: str = "") -> str:
    """A model of some bodies."""
    return f"{head}<worldbody>{bodies}</worldbody>"


TWO = '<geom type="box" size=".1 .2 .3"/><geom size=".2" pos=".5 0 0" group="3"/>'
STATED = '<inertial pos=".1 .2 .3" mass="2" '
INERTIALS = "".join(
    f'<body name="{k}" pos="{k} 0 0">{STATED}{how}/>{TWO}</body>'
    for k, how in enumerate(
        (
            'diaginertia=".3 .2 .15"',
            'fullinertia=".3 .2 .15 .01 -.02 .03"',
            'diaginertia=".3 .2 .15" quat="1 2 -1 .5"',
            'diaginertia=".3 .2 .15" euler="10 20 30"',
            'diaginertia=".3 .2 .15" axisangle="1 2 3 40"',
            'diaginertia=".3 .2 .15" xyaxes="1 .2 0 0 1 .3"',
            'diaginertia=".3 .2 .15" zaxis="1 -2 .5"',
            'diaginertia=".3 .2 .15" zaxis="0 0 -1"',
        )
    )
)
CLASSES = """<default><geom density="500" type="box"/><default class="a"><geom size=".1 .2 .3" euler="0 0 30"/>
<default class="b"><geom type="capsule" size=".05 .2"/></default></default></default>
<default><geom group="1"/></default>"""
CLASSED = """<body name="0" childclass="a"><geom/><body name="1"><geom class="b" axisangle="1 0 0 20"/></body>
<body name="2" childclass="b"><geom/><geom class="main" size=".1 .1 .1" pos="1 0 0"/></body>
<frame pos="1 2 3" euler="0 90 0" childclass="b"><geom pos="0 0 1"/><frame quat="1 1 0 0"><body name="3" pos="1 0 0">
<geom class="a" quat="0 1 0 1"/></body></frame></frame></body>"""
COPIES = """<body name="top"><replicate count="12" offset=".1 0 .2" euler="0 0 10" sep="-">
<geom size=".05" pos="1 0 0"/>
<body name="part" pos="0 1 0">
<geom type="box" size=".1 .2 .3"/><replicate count="2" offset="0 0 .3"><body name="inner">
<geom size=".02"/></body></replicate></body></replicate></body>
<body name="again"><frame pos="0 0 2" euler="90 0 0"><attach body="top" prefix="copy_"/></frame></body>"""
MODELS = {
    "solids": world(shapes("")),
    "shells": world(shapes('shellinertia="true"')),
    "masses": world(shapes('mass="3" euler="10 20 30"')),
    "between": world(
        "".join(
            between(kind, ends)
            for kind in ("capsule", "cylinder", "ellipsoid", "box")
            for ends in ("0 0 0 .1 .2 .3", "0 0 1 0 0 0", "0 0 0 0 0 1")
        )
    ),
    "inertials": world(INERTIALS),
    "inertials from geoms": world(INERTIALS, '<compiler inertiafromgeom="true"/>'),
    "no inertials from geoms": world(INERTIALS, '<compiler inertiafromgeom="false"/>'),
    "groups": world(f'<body name="a">{TWO}</body>', '<compiler inertiagrouprange="0 2"/>'),
    "bounds": world(f'{INERTIALS}<body name="empty" pos="1 2 3"/>', '<compiler boundmass="2.5" boundinertia=".2"/>'),
    "balance": world(
        '<body name="a"><inertial pos="0 0 0" mass="1" diaginertia="3 1 1" euler="1 2 3"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "total": world(INERTIALS + shapes(""), '<compiler settotalmass="7"/>'),
    "radians": world(shapes('euler=".3 .2 .1"'), '<compiler angle="radian" eulerseq="zyx"/>'),
    "fixed axes": world(shapes('euler="30 20 10"'), '<compiler eulerseq="XZY"/>'),
    "classes": world(CLASSED, CLASSES),
    "copies": world(COPIES),
    "no mass": world(
        '<geom type="plane" size="1 1 1"/><body name="a"><geom type="plane" size="1 1 1" mass="3"/><geom size=".1"/>'
        '<geom size=".5" mass="0"/><geom size=".5" density="0"/></body>'
    ),
    "height field": world(
        '<body name="a" pos="0 0 1"><geom type="hfield" hfield="h"/></body>',
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 2 .5 .25"/></asset>',
    ),
    **{f"mesh {kind}": mesh(f'inertia="{kind}" scale="1 2 .5"') for kind in ("exact", "convex", "legacy", "shell")},
    "mesh": mesh('refpos=".1 .2 .3" refquat="1 .5 .2 0" scale="-1 2 1"'),
    "open mesh": mesh("", OPEN),
    "open mesh, exact": mesh('inertia="exact"', OPEN),
    "points": mesh("", ""),
    **{
        f"{kind} fitted to {of}": mesh("", geom=f'type="{kind}" fitscale="1.2" euler="1 2 3"').replace(
            "<asset>", f'<compiler fitaabb="{of}"/><asset>', 1
        )
        for kind in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
        for of in ("true", "false")
    },
    "mesh default": '<default><mesh scale="2 2 2" inertia="shell"/></default>' + mesh('scale="1 1 3"'),
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file in the current folder."""
    monkeypatch.chdir(tmp_path)


def matrices(inertia: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Tensors (n, 3, 3) of principal moments (n, 3) along axes (n, 3, 3)."""
    return np.einsum("nij,nj,nkj->nik", turns, inertia, turns)


def assert_equal_to_mujoco(path: Path, q: dict[str, float] | None = None) -> None:
    """Compare all bodies in the frame of the world, joints at their references or at ``q``."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for name, value in (q or {}).items():
        data.joint(name).qpos[0] = value
    mujoco.mj_kinematics(model, data)
    bom = mp.read_bom(path, q={name: str(value) for name, value in q.items()}) if q else mp.read_bom(path)
    result = mp.rollup(bom)
    tensors = matrices(model.body_inertia, data.ximat.reshape(-1, 3, 3))
    masses = model.body_mass
    center = masses @ data.xipos / masses.sum()
    arm = data.xipos - center
    squares = (masses * (arm**2).sum(axis=1)).sum() * np.eye(3) - np.einsum("n,ni,nj->ij", masses, arm, arm)
    whole, size = tensors.sum(axis=0) + squares, max(1e-3, float(np.abs(data.xipos).max()))
    assert result.root.mass == pytest.approx(masses.sum(), rel=TOLERANCE)
    np.testing.assert_allclose(result.root.center, center, rtol=0, atol=TOLERANCE * size)
    spread = AXES * float(np.ptp(model.body_inertia, axis=1).sum())
    np.testing.assert_allclose(result.root.inertia, whole, rtol=0, atol=TOLERANCE * np.abs(whole).max() + spread)
    for k in range(1, model.nbody):
        name = model.body(k).name
        if masses[k] == 0 or not name:
            continue
        own = bom[f"{name}/body"]
        assert own.mass == pytest.approx(masses[k], rel=TOLERANCE)
        moments = np.linalg.eigvalsh(own.inertia)
        np.testing.assert_allclose(moments, np.sort(model.body_inertia[k]), rtol=0, atol=TOLERANCE * moments.max())


@pytest.mark.parametrize("name", MODELS)
def test_model_equals_mujoco(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>{MODELS[name]}</mujoco>")
    assert_equal_to_mujoco(path)


def write_files(folder: Path) -> None:
    """Write a mesh in three formats, and files to include and to attach."""
    corners = np.array(CUBE.split(), dtype=np.float32).reshape(-1, 3)
    faces = np.array(FACES.split(), dtype=np.int32).reshape(-1, 3)
    (folder / "meshes").mkdir()
    head = np.array([len(corners), 0, 0, len(faces)], np.int32)
    (folder / "meshes/c.msh").write_bytes(head.tobytes() + corners.tobytes() + faces.tobytes())
    records = np.zeros(len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    records["corners"] = corners[faces]
    (folder / "meshes/a.stl").write_bytes(b"\0" * 80 + head[3:].tobytes() + records.tobytes())
    lines = [f"v {x} {y} {z}" for x, y, z in corners.tolist()]
    lines += ["f 4 3 2 1", "f -4 -3 -2 -1", "f 1/1 2/1 6 5", "f 2 3 7 6", "f 3//1 4//1 8 7", "f 4 1 5", "f 4 5 8"]
    (folder / "meshes/b.obj").write_text("\n".join([*lines, "g more", "f 1 2 3"]))
    (folder / "parts").mkdir()
    (folder / "parts/head.xml").write_text(
        '<mujocoinclude><compiler angle="radian"/><default><geom density="300"/></default></mujocoinclude>'
    )
    (folder / "parts/arm.xml").write_text(
        '<mujocoinclude><body name="arm" pos="0 0 1" euler=".1 .2 .3"><geom type="mesh" mesh="a"/>'
        '<include file="hand.xml"/></body></mujocoinclude>'
    )
    (folder / "parts/hand.xml").write_text('<m><geom type="mesh" mesh="b"/><geom type="mesh" mesh="c"/></m>')
    (folder / "parts/tool.xml").write_text(
        '<mujoco model="tool"><default><geom density="10"/><default class="h"><geom density="20"/></default></default>'
        '<worldbody><body name="t" euler="0 90 0" childclass="h"><geom size=".1"/><body name="u" pos="1 0 0">'
        '<geom size=".2"/></body></body><body name="v"><geom size=".3"/></body></worldbody></mujoco>'
    )


FILES = """<mujoco><include file="parts/head.xml"/><compiler meshdir="meshes"/>
<asset><mesh file="a.stl"/><mesh file="b.obj"/><mesh file="c.msh" scale="1 1 2"/><model file="parts/tool.xml"/>
<model name="other" file="parts/tool.xml"/></asset>
<worldbody><include file="parts/arm.xml"/><body name="end" pos="1 2 3"><geom size=".1"/><frame euler=".1 0 0">
<attach model="tool" body="u" prefix="1_"/></frame><attach model="other" prefix="2_"/></body></worldbody></mujoco>"""


def test_files_equal_mujoco(tmp_path: Path) -> None:
    write_files(tmp_path)
    (tmp_path / "model.xml").write_text(FILES)
    assert_equal_to_mujoco(tmp_path / "model.xml")


ARM = """<mujoco><compiler angle="radian"/><option gravity="0 -1 -9"/><worldbody>
<body name="base" pos="0 0 1"><geom type="box" size=".1 .2 .3"/>
<body name="rod" pos=".1 0 .3" euler=".1 .2 .3"><joint name="turn" axis="1 2 .5" pos=".1 .2 .3"/>
<inertial pos=".1 .2 .3" mass="2" diaginertia=".03 .02 .015" euler=".3 .2 .1"/>
<body name="slider" pos="0 .1 .2"><frame euler="0 .5 0" pos="0 0 .1"><joint name="slide" type="slide" axis="0 1 1"/>
</frame>
<geom type="capsule" size=".05" fromto="0 0 0 .1 .2 .3"/>
<body name="tip" pos=".3 0 0"><joint name="last" axis="0 1 0" pos="0 0 .2"/><geom size=".1" pos="0 .1 0"/>
</body></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "given", [{"turn": 0.7}, {"turn": -1.0, "slide": 0.4, "last": 2.0}, {"turn": 0.0, "last": 0.0}]
)
@pytest.mark.parametrize("more", ["", 'ref="0.25"'])
def test_positions_equal_mujoco(tmp_path: Path, given: dict[str, float], more: str) -> None:
    path = tmp_path / "arm.xml"
    second = '<joint name="second" axis="1 0 0" pos="0 .1 0"/>'
    path.write_text(
        ARM.replace('name="turn"', f'name="turn" {more}').replace('<geom size=".1"', f'{second}<geom size=".1"')
    )
    assert_equal_to_mujoco(path, {**given, "second": 0.3})


def test_mass_matrix_equals_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    expected = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, expected)
    pose = SpatialModel.read(path, reading=RobotReading(rotations="double")).at()
    np.testing.assert_allclose(pose.mass_matrix(), expected, rtol=0, atol=1e-6 * expected.max())
    np.testing.assert_allclose(pose.inverse_dynamics(np.zeros(3), np.zeros(3)), data.qfrc_bias, rtol=0, atol=1e-6)


CHANGED = {
    "base": (3.0, [0.1, 0.2, 0.3], np.diag([0.3, 0.2, 0.15])),
    "rod": (2.5, [0.0, 0.1, 0.0], np.array([[0.3, 0.01, 0.02], [0.01, 0.25, -0.03], [0.02, -0.03, 0.2]])),
    "tip": (1.0, [0.0, 0.0, 0.0], np.diag([0.01, 0.01, 0.01])),
}


def test_mujoco_reads_the_inertials_that_are_written(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    names = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    rows = [
        {"id": name, "mass": mass, "Cx": c[0], "Cy": c[1], "Cz": c[2], "POIconv": "-"}
        | {entry: float(tensor[pair]) for entry, pair in zip(names, pairs, strict=True)}
        for name, (mass, c, tensor) in CHANGED.items()
    ]
    bom = mp.Bom.from_records(
        [{"id": "all", "mass": None}, *({**row, "parent": "all"} for row in rows)], units="SI", frame="own"
    )
    content, changed = file_with_inertials(bom, str(path), path.read_bytes(), Findings())
    assert changed == 3
    model = mujoco.MjModel.from_xml_string(content.decode())
    before = mujoco.MjModel.from_xml_string(ARM)
    for k in range(1, model.nbody):
        name, turn = model.body(k).name, np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[k])
        axes = turn.reshape(3, 3)
        tensor = axes @ np.diag(model.body_inertia[k]) @ axes.T
        if name not in CHANGED:
            np.testing.assert_array_equal(model.body_inertia[k], before.body_inertia[k])
            continue
        mass, center, inertia = CHANGED[name]
        assert model.body_mass[k] == mass
        np.testing.assert_allclose(model.body_ipos[k], center, rtol=0, atol=1e-15)
        np.testing.assert_allclose(tensor, inertia, rtol=0, atol=1e-6 * inertia.max())


def test_computed_inertials_written_give_the_same_model(tmp_path: Path) -> None:
    write_files(tmp_path)
    (tmp_path / "parts/arm.xml").write_text('<m><light pos="0 0 1"/></m>')
    text = FILES.replace(
        '<body name="end"', '<body name="box" pos="0 0 2"><geom type="mesh" mesh="b"/></body><body name="end"'
    )
    (tmp_path / "model.xml").write_text(text)
    content = mp.resolve_inertials(tmp_path / "model.xml").content
    (tmp_path / "new.xml").write_bytes(content)
    assert content.count(b"<inertial ") == 2
    models = [mujoco.MjModel.from_xml_path(str(tmp_path / name)) for name in ("model.xml", "new.xml")]
    np.testing.assert_allclose(models[1].body_mass, models[0].body_mass, rtol=1e-12)
    np.testing.assert_allclose(np.sort(models[1].body_inertia), np.sort(models[0].body_inertia), rtol=1e-9)
