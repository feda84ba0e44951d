"""The body of a mesh that the command line names, with its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import Findings, UsageError

if TYPE_CHECKING:
    from massprops_cli.bodies import MeshDescription
    from massprops_cli.bom import MeshSource


def parse_parameters(texts: Sequence[str]) -> dict[str, str]:
    """Parse the parameters of a custom calculator.

    Parameters
    ----------
    texts : sequence of str
        Values of ``--parameter``, such as ``infill=0.2``.

    Returns
    -------
    dict of str to str
        Parameters by name.

    Raises
    ------
    UsageError
        A text has no name or no value.

    Examples
    --------
    >>> parse_parameters(["infill=0.2"])
    {'infill': '0.2'}
    """
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise UsageError(f"invalid --parameter: {text} (expected NAME=VALUE)")
        found[name] = value
    return found


def mesh_ten_values(
    source: MeshSource,
    described: MeshDescription,
    findings: Findings,
    *,
    use_union: bool = False,
    calculator: str = "",
    parameters: Sequence[str] = (),
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None] | None:
    """Compute the ten values of a mesh, by its integrals or by a custom calculator.

    Parameters
    ----------
    source : MeshSource
        Folder of the mesh, and units.
    described : MeshDescription
        File, unit, scale, and what states the mass; in SI.
    findings : Findings
        Collector; findings are appended.
    use_union : bool, optional
        Overlaps count once.
    calculator : str, optional
        Name of a custom calculator.
    parameters : sequence of str, optional
        Its parameters, ``NAME=VALUE``.

    Returns
    -------
    ten : array, shape (10,), SI
        Mass, Cx … Cz, Ixx … Iyz about the own centre; the result is None if there is no body.
    covariance : array, shape (10, 10), SI, or None
        First-order covariance; None if a calculator gives none.

    Raises
    ------
    UsageError
        The calculator is unknown, or an option does not apply to it.
    """
    given_parameters = parse_parameters(parameters)
    if not calculator:
        if given_parameters:
            raise UsageError("--parameter is only used with --calculator")
        body = source.body(described, findings, use_union=use_union)
        return None if body is None else (body.ten, body.covariance)
    from massprops_cli.bodies import six_entries
    from massprops_cli.bodies.meshes import Mesh, calculated_body

    if "density" not in described.values or use_union or described.values.keys() & {"wall", "voxel"}:
        raise UsageError("--calculator needs a density or a material, without --union, --wall and --voxel-size")
    given = source.read(described, findings)
    if given is None:
        return None
    mesh = Mesh(given.mesh.vertices.astype(float) * given.length, given.mesh.faces)
    found = calculated_body(calculator, mesh, described.values["density"], given_parameters, findings)
    if found is None or found.center is None or found.inertia is None:
        return None
    ten = np.concatenate([[found.mass], found.center, six_entries(found.inertia)])
    return ten, found.covariance


def mesh_cells(values: Mapping[str, str], mesh: str) -> tuple[dict[str, str], Path]:
    """Return the cells of a mesh named on the command line, and its folder.

    Parameters
    ----------
    values : mapping of str to str
        Texts of the other options by quantity.
    mesh : str
        Path of the mesh.

    Returns
    -------
    cells : dict of str to str
        Cells with the name of the file.
    folder : Path
        Folder of the file.
    """
    path = Path(mesh)
    return {**values, "mesh": path.name}, path.parent
