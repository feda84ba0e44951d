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
