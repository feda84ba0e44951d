"""Mass matrix and dynamics against Pinocchio and MuJoCo, where these are installed."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli import ArticulatedBodies, SpatialModel
from tests.unit.spatial_examples import model_of, random_tree

TOLERANCE = 1e-12
MOTION_TOLERANCE = 1e-9
"""Of forward dynamics, which depends on the condition of the mass matrix."""


def motion(seed: int, degrees: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, degrees), rng.uniform(-1, 1, degrees), rng.uniform(-1, 1, degrees)


def close(a: np.ndarray, b: np.ndarray, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, float(np.abs(b).max())))


class Outward:
    """The joints of a model outward from the ground: parent, placements and axes in double precision."""

    def __init__(self, model: SpatialModel) -> None:
        self.model = model
        self.place = model.tree.position
        self.rows = {k: np.flatnonzero(model.owner == k) for k in range(len(model.tree))}

    def bodies(self):
        """Positions of the bodies, depth first."""
        waiting = [0]
        while waiting:
            k = waiting.pop()
            if k:
                yield k
            waiting += [int(self.place[i]) for i in self.model.tree.children(int(self.model.tree.order[k]))]

    def parent(self, k: int) -> int:
        return int(self.model.tree.parent_position()[k])

    def axis(self, k: int, which: int = 0) -> np.ndarray:
        """Direction of a coordinate in parent axes at the pose."""
        return self.model.columns[self.rows[k][which]].axis


@pytest.mark.parametrize("seed", range(12))
def test_pinocchio(seed: int) -> None:
    pin = pytest.importorskip("pinocchio")
    model = model_of(random_tree(seed, 8, ("R", "P", "C", "S", "free", "helical", "fixed"))[0])
    out = Outward(model)
    peer, ids = pin.Model(), {0: 0}
    peer.gravity.linear = model.gravity
    # every joint frame is at the joint point with the axes of the body; a body is fixed to it
    frames: dict[int, pin.SE3] = {0: pin.SE3.Identity()}
    order: list[tuple[int, int, list[int]]] = []
    for k in out.bodies():
        parent, rows = out.parent(k), out.rows[k]
        turn, point, own = model.turns[k], model.points[0][k], model.points[1][k]
        placement = frames[parent] * pin.SE3(turn, point)
        local = [turn.T @ out.axis(k, j) for j in range(len(rows))]
        kind = "".join("R" if model.columns[r].what < 2 else "P" for r in rows)
        kind = "H" if len(rows) == 1 and model.columns[rows[0]].slide else kind
        body_in_joint = pin.SE3(np.eye(3), -own)
        made = ids[parent]
        taken = list(rows)
        if kind == "":
            frames[k] = placement * body_in_joint
        else:
            if kind == "R":
                made = peer.addJoint(made, pin.JointModelRevoluteUnaligned(local[0]), placement, f"j{k}")
            elif kind == "P":
                made = peer.addJoint(made, pin.JointModelPrismaticUnaligned(local[0]), placement, f"j{k}")
            elif kind == "H":
                pitch = model.columns[rows[0]].slide
                made = peer.addJoint(made, pin.JointModelHelicalUnaligned(local[0], pitch), placement, f"j{k}")
            elif kind == "RP":
                made = peer.addJoint(made, pin.JointModelRevoluteUnaligned(local[0]), placement, f"j{k}a")
                made = peer.addJoint(made, pin.JointModelPrismaticUnaligned(local[1]), pin.SE3.Identity(), f"j{k}b")
            elif kind == "RRR":
                made = peer.addJoint(made, pin.JointModelSpherical(), placement, f"j{k}")
            else:
                made = peer.addJoint(made, pin.JointModelFreeFlyer(), placement, f"j{k}")
                taken = [*rows[3:], *rows[:3]]  # linear components first
            frames[k] = body_in_joint
        ids[k] = made
        order.append((k, made, taken))
        mass, center, tensor = (one[k] for one in model.inertias)
        peer.appendBodyToJoint(made, pin.Inertia(mass, center, tensor), frames[k])
    q, rate, second = motion(seed, model.degrees)
    columns = [c for _, _, rows in order for c in rows]
    states = []
    for k, _, taken in order:
        own = q[taken]
        if len(taken) == 3 or len(taken) == 6:
            vector = own[-3:]
            quaternion = pin.Quaternion(pin.exp3(vector)).coeffs()
            # displacement of a free joint is in parent axes, that of the peer in the axes of its placement
            states += [model.turns[k].T @ own[:3]] if len(taken) == 6 else []
            turn = model.turns[k].T @ pin.exp3(vector) @ model.turns[k]
            quaternion = pin.Quaternion(turn).coeffs()
            states.append(quaternion)
        else:
            states.append(own)
    state = np.concatenate(states) if states else np.zeros(0)
    data = peer.createData()
    mass = pin.crba(peer, data, state)
    mass = np.triu(mass) + np.triu(mass, 1).T
    pose = model.at(q)
    close(pose.mass_matrix()[np.ix_(columns, columns)], mass)
    forces = pin.rnea(peer, data, state, rate[columns], second[columns])
    close(pose.inverse_dynamics(rate, second)[columns], forces)
    found = ArticulatedBodies.of(pose).forward_dynamics(rate, pose.inverse_dynamics(rate, second))
    close(found[columns], pin.aba(peer, data, state, rate[columns], forces), MOTION_TOLERANCE)


@pytest.mark.parametrize("seed", range(8))
def test_mujoco(seed: int) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = model_of(random_tree(seed, 7, ("R", "P", "C", "U"))[0])
    out = Outward(model)

    def text(values: np.ndarray) -> str:
        return " ".join(repr(float(x)) for x in values)

    def xml(k: int) -> str:
        rows = out.rows[k]
        mass, center, tensor = (one[k] for one in model.inertias)
        turn = model.turns[k]
        place = model.points[0][k] - turn @ model.points[1][k]
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, turn.reshape(-1))
        six = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        joints = ""
        for r in rows:
            column = model.columns[r]
            kind = "slide" if column.what == 2 else "hinge"
            where = f'axis="{text(turn.T @ column.axis)}" pos="{text(model.points[1][k])}"'
            joints += f'<joint name="c{r}" type="{kind}" {where}/>'
        children = "".join(xml(int(out.place[i])) for i in model.tree.children(int(model.tree.order[k])))
        return (
            f'<body pos="{text(place)}" quat="{text(quaternion)}">{joints}'
            f'<inertial pos="{text(center)}" mass="{float(mass)!r}" fullinertia="{text(np.array(six))}"/>'
            f"{children}</body>"
        )

    ground = "".join(xml(int(out.place[i])) for i in model.tree.children(0))
    document = (
        f'<mujoco><compiler angle="radian" balanceinertia="false"/><option gravity="{text(model.gravity)}"/>'
        f"<worldbody>{ground}</worldbody></mujoco>"
    )
    peer = mujoco.MjModel.from_xml_string(document)
    data = mujoco.MjData(peer)
    q, rate, second = motion(seed, model.degrees)
    columns = [int(peer.joint(j).name[1:]) for j in range(peer.njnt)]
    data.qpos[:], data.qvel[:], data.qacc[:] = q[columns], rate[columns], second[columns]
    mujoco.mj_inverse(peer, data)
    pose = model.at(q)
    close(pose.inverse_dynamics(rate, second)[columns], data.qfrc_inverse, 1e-9)
    mass = np.zeros((peer.nv, peer.nv))
    mujoco.mj_fullM(peer, mass, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(peer, data, mass)
    close(pose.mass_matrix()[np.ix_(columns, columns)], mass, 1e-9)
