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
from massprops_cli.bodies.meshes.calculators import (
    calculated_body as calculated_body,
)
from massprops_cli.bodies.meshes.mesh import (
    Mesh as Mesh,
    text_precision as text_precision,
)
from massprops_cli.bodies.meshes.mesh_bodies import (
    MeshBody as MeshBody,
    MeshInput as MeshInput,
    mesh_body as mesh_body,
    unit_readings as unit_readings,
)
from massprops_cli.bodies.plausibility import (
    PlausibilityFault as PlausibilityFault,
    geometry_faults as geometry_faults,
    placeholder_faults as placeholder_faults,
)
from massprops_cli.bodies.pose_uncertainty import (
    PoseCovariances as PoseCovariances,
    pose_derivatives as pose_derivatives,
)
from massprops_cli.bodies.poses import (
    Poses as Poses,
    axis_rotation as axis_rotation,
    cross_matrices as cross_matrices,
    rotation_faults as rotation_faults,
    turn_matrices as turn_matrices,
)
from massprops_cli.bodies.solid_extents import (
    center_faults as center_faults,
    shape_faults as shape_faults,
)
from massprops_cli.bodies.solid_inputs import (
    Material as Material,
    MeshDescription as MeshDescription,
    SolidInput as SolidInput,
    SolidInputError as SolidInputError,
    parse_mesh as parse_mesh,
    parse_solid as parse_solid,
    read_materials as read_materials,
    solid_bodies as solid_bodies,
)
from massprops_cli.bodies.solid_shapes import (
    SHAPES as SHAPES,
)
