from massprops_cli.bodies.bodies import (
    NEGLIGIBLE_VIOLATION as NEGLIGIBLE_VIOLATION,
    OTHER_SIGN_REMEDY as OTHER_SIGN_REMEDY,
    Bodies as Bodies,
    PrincipalAxes as PrincipalAxes,
    Sigmas as Sigmas,
    full_tensors as full_tensors,
    phi as phi,
    principal_axes as principal_axes,
    principal_axes_of_bodies as principal_axes_of_bodies,
    principal_sigmas as principal_sigmas,
    six_entries as six_entries,
    tensor_faults as tensor_faults,
)
from massprops_cli.bodies.body import (
    Body as Body,
)
from massprops_cli.bodies.body_array import (
    BodyArray as BodyArray,
)
from massprops_cli.bodies.plausibility import (
    PlausibilityFault as PlausibilityFault,
    placeholder_faults as placeholder_faults,
)
from massprops_cli.bodies.poses import (
    Poses as Poses,
    axis_rotation as axis_rotation,
    turn_matrices as turn_matrices,
)
from massprops_cli.bodies.solid_extents import (
    shape_faults as shape_faults,
)
from massprops_cli.bodies.solid_inputs import (
    SolidBodies as SolidBodies,
    SolidInput as SolidInput,
    SolidInputError as SolidInputError,
    parse_solid as parse_solid,
    read_materials as read_materials,
    solid_bodies as solid_bodies,
)
from massprops_cli.bodies.solid_shapes import (
    SHAPES as SHAPES,
)
