"""Shapes with tolerances in turned frames: finite differences of the whole roll-up, samples, and what is rejected."""

from __future__ import annotations

import io

import numpy as np
import pytest

import massprops_cli as mp

VALUES = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
POSE = "tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg]"
HEAD = f"id,parent,{VALUES},POIconv,shape,dims,density,lot,{POSE},sigma_tx [m],sigma_rz [rad],frame"
INPUTS = {"a": 0.01, "b": 0.02, "r": 0.005, "s": 0.003, "density": 0.3, "tx": 0.004, "yaw": 0.003}
"""One sigma of each uncertain input."""


def table(*, tolerances: bool, pose_sigmas: bool = True, **change: float) -> mp.Bom:
    """A box and a cylinder of one lot, each turned, in an assembly whose own pose is uncertain."""
    d = dict.fromkeys(INPUTS, 0.0) | change

    def with_sigma(name: str, value: float, unit: str) -> str:
        tolerance = f"±{INPUTS[name]} " if tolerances else " "
        return f"{value + d[name]!r}{tolerance}{unit}" + (" (1σ)" if tolerances else "")

    density = with_sigma("density", 20.0, "kg/m3")
    box = f"a={with_sigma('a', 1.0, 'm')}; b={with_sigma('b', 2.0, 'm')}; c=0.7 m"
    cylinder = f"r={with_sigma('r', 0.4, 'm')}; L=1.5 m"
    sigmas = f"{INPUTS['tx']},{INPUTS['yaw']}" if tolerances and pose_sigmas else ","
    yaw = float(50 + np.degrees(d["yaw"]))
    ball = f"r={with_sigma('s', 0.2, 'm')}"
    rows = [
        HEAD,
        f"T,,{',' * 9},-,,,,,0,0,0,0,0,0,,,own",
        f"S,T,{',' * 9},-,,,,,{0.5 + d['tx']!r},0.2,-0.3,20,-35,{yaw!r},{sigmas},own",
        f"A,S,,0.3,0.1,0.2,,,,,,,-,box,{box},{density},L,1,2,0.5,30,40,10,,,own",
        f"B,S,,0,0,0,,,,,,,-,cylinder,{cylinder},{density},L,-1,0.4,0.1,-25,15,70,,,own",
        f"C,T,,0,0,0,,,,,,,-,sphere,{ball},{density},L,-1,-2,0.3,0,0,0,,,own",
    ]
    return mp.read_bom(io.StringIO("\n".join(rows) + "\n"), format="csv")


def ten_about(center: np.ndarray, bom: mp.Bom) -> np.ndarray:
    """m, h and J of the root about a fixed point, by the parallel-axis theorem."""
    rolled = mp.rollup(bom, "none")["T"]
    d = np.asarray(rolled.center) - center
    tensor = np.asarray(rolled.inertia)
    if tensor.ndim == 1:
        xx, yy, zz, xy, xz, yz = tensor
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = tensor + rolled.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return np.array([rolled.mass, *(rolled.mass * d), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])


def covariance_by_differences(names: list[str]) -> np.ndarray:
    center = np.asarray(mp.rollup(table(tolerances=False), "none")["T"].center)
    mass, V = mp.rollup(table(tolerances=False), "none")["T"].mass, np.zeros((10, 10))
    for name in names:
        step = 1e-3 * INPUTS[name]
        up, down = (ten_about(center, table(tolerances=False, **{name: sign * step})) for sign in (1, -1))
        change = (up - down) / (2 * step) * INPUTS[name]
        change[1:4] /= mass  # δc = δh / m about the nominal centre
        V += np.outer(change, change)
    return V


@pytest.mark.parametrize("pose_sigmas", [True, False])
def test_covariance_is_that_of_finite_differences(pose_sigmas: bool) -> None:
    result = mp.rollup(table(tolerances=True, pose_sigmas=pose_sigmas), "covariance")
    expected = covariance_by_differences([*INPUTS] if pose_sigmas else ["a", "b", "r", "s", "density"])
    size = np.sqrt(np.diagonal(expected))
    assert size.min() > 0
    np.testing.assert_allclose(
        result["T"].covariance / np.outer(size, size), expected / np.outer(size, size), atol=1e-6
    )


def test_samples_agree_with_finite_differences() -> None:
    result = mp.rollup(table(tolerances=True), "montecarlo", samples=40_000, seed=1)
    size = np.sqrt(np.diagonal(covariance_by_differences([*INPUTS])))
    rolled = result["T"]
    # the relative deviation of a sampled sigma is 1/√(2 n) = 0.0035; second-order terms are below 1 %
    np.testing.assert_allclose(rolled.sigma_mass, size[0], rtol=0.02)
    found = np.asarray(rolled.sigma_inertia)
    six = found if found.ndim == 1 else found[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    np.testing.assert_allclose(six, size[4:], rtol=0.03)


def test_contributions_add_up_to_the_variance() -> None:
    bom = table(tolerances=True, pose_sigmas=False)
    expected = covariance_by_differences(["a", "b", "r", "s", "density"])
    for name, place in (("mass", 0), ("Ixx", 4), ("Ixy", 7)):
        found = mp.contributions(bom, name)
        assert found.sigma == pytest.approx(np.sqrt(expected[place, place]), rel=1e-6)


def test_contributions_of_uncertain_poses_add_up_to_the_variance() -> None:
    bom, expected = table(tolerances=True), covariance_by_differences([*INPUTS])
    without = covariance_by_differences(["a", "b", "r", "s", "density"])
    for name, place in (("Ixx", 4), ("Iyz", 9), ("Izz", 6)):
        found = mp.contributions(bom, name)
        assert found.sigma == pytest.approx(np.sqrt(expected[place, place]), rel=1e-6)
        of_poses = sum(row.share for row in found.rows() if row.kind == "pose")
        assert of_poses == pytest.approx(1 - without[place, place] / expected[place, place], rel=1e-5)


def test_rows_of_poses_have_names_inputs_and_units() -> None:
    head = "id,parent,qty,mass [kg],Cx [mm],Cy [mm],Cz [mm],sigma_mass [kg],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm],"
    head += "tx [mm],ty [mm],tz [mm],frame,sigma_tx [mm],sigma_rz [mrad]\n"
    text = head + "T,,,,,,,,,,,,,,root,,\nArm,T,2,,,,,,,,,0,0,0,own,0.3,2\n"
    text += "A,Arm,1,3,0,200,0,0,0,0,0,,,,root,,\nB,T,1,2,0,0,0,0,0,0,0,,,,root,,\n"
    found = mp.contributions(mp.read_bom(io.StringIO(text), format="csv"), "Cx")
    row = next(found.rows(1))
    # 6 of 8 kg move by 0.3 mm, and by −0.002 · 200 mm = 0.4 mm; both pieces share the pose of the row
    assert found.sigma == pytest.approx(6 / 8 * np.hypot(0.3, 0.4), rel=1e-12)
    assert (row.kind, row.name, row.input, found.unit_of(row.input)) == ("pose", "pose of Arm", "rz", "rad")
    assert (row.share, row.input_share) == pytest.approx((1.0, 0.16 / 0.25), rel=1e-12)
    assert (row.input_sigma, row.derivative) == pytest.approx((0.002, -150.0), rel=1e-12)
    assert found.weighed().names == ()


def turned_cylinder(sigma: str = "", group: str = "") -> mp.Bom:
    """A cylinder along x, whose row is turned by 30 degrees about z."""
    head = f"id,parent,{VALUES},sigma_mass [kg],shape,dims,axis,density [kg/m3],{POSE},frame,corr_group"
    row = f"A,R{',' * 11}{sigma},cylinder,r=0.05±0.0002 m (1σ); L=0.3 m,x,7850,0,0,0.1,0,0,30,own,{group}"
    return mp.read_bom(io.StringIO(f"{head}\nR{',' * 23}own,\n{row}\n"), format="csv")


@pytest.mark.parametrize("method", ["covariance", "massprops", "montecarlo"])
def test_sigmas_of_a_turned_row_are_those_of_its_covariance(method: str) -> None:
    r, length, s = 0.05, 0.3, 0.0002
    # m = ρπr²L; about its axis m r²/2, across it m (r²/4 + L²/12): derivatives by r
    along, mass = 7850 * np.pi * length * 2 * r**3, 7850 * np.pi * r**2 * length
    across = along / 2 + 2 * mass / r * length**2 / 12
    turn = np.array([[np.sqrt(0.75), -0.5, 0], [0.5, np.sqrt(0.75), 0], [0, 0, 1]])
    expected = np.abs(turn @ np.diag([along, across, across]) @ turn.T) * s
    bom = turned_cylinder()
    result = mp.rollup(bom, method)
    for body in (bom["A"], result["A"]):
        np.testing.assert_allclose(body.sigma_inertia, expected, rtol=1e-12, atol=1e-18)
    root = np.asarray(result["R"].sigma_inertia)
    np.testing.assert_allclose(root, expected, rtol=0.03 if method == "montecarlo" else 1e-12, atol=1e-18)


def test_a_stated_sigma_next_to_a_turned_shape_leaves_the_rest() -> None:
    stated, free = turned_cylinder("0.001"), turned_cylinder()
    assert stated["A"].sigma_mass == 0.001
    np.testing.assert_allclose(stated["A"].sigma_inertia, free["A"].sigma_inertia, rtol=1e-12)


@pytest.mark.parametrize("name", ["A", "B"])
def test_sigmas_of_parts_are_those_of_finite_differences(name: str) -> None:
    """Ten values of a part along the axes of the table, of which its inputs change."""
    expected = np.zeros((3, 3))
    for key in ("a", "b", "r", "density"):
        step = 1e-3 * INPUTS[key]
        up, down = (np.asarray(table(tolerances=False, **{key: k * step})[name].inertia) for k in (1, -1))
        expected += ((up - down) / (2 * step) * INPUTS[key]) ** 2
    found = np.asarray(table(tolerances=True)[name].sigma_inertia)
    np.testing.assert_allclose(found, np.sqrt(expected), rtol=1e-6)


def test_sigmas_of_a_turned_part_do_not_depend_on_its_group() -> None:
    result = mp.rollup(turned_cylinder(group="g"), "covariance", correlate="all")
    six = np.sqrt(np.diagonal(result["A"].covariance))[4:]
    found = np.asarray(result["A"].sigma_inertia)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    np.testing.assert_allclose(found, six, rtol=1e-12, atol=1e-18)
