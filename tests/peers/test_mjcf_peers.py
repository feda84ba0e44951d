"""Models of MJCF against MuJoCo, where it is installed: masses, centres and tensors of all bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

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
COPIES = """<body name="top"><replicate count="12" offset=".1 0 .2" euler="0 0 10" sep="-"><geom size=".05" pos="1 0 0"/>
<body name="part" pos="0 1 0"><geom type="box" size=".1 .2 .3"/><replicate count="2" offset="0 0 .3"><body name="inner">
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
    "bounds": world(
        f'{INERTIALS}<body name="empty" pos="1 2 3"/>', '<compiler boundmass="2.5" boundinertia=".2"/>'
    ),
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
