from massprops_cli.files.meshes.mesh_file import (
    MESH_FORMATS as MESH_FORMATS,
    MeshFile as MeshFile,
    find_mesh as find_mesh,
    read_mesh as read_mesh,
)
