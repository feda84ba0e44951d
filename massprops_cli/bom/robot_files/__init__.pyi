from massprops_cli.bom.robot_files.inertial_edits import (
    file_with_inertials as file_with_inertials,
)
