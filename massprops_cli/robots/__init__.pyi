from massprops_cli.robots.inertial_edits import (
    file_with_inertials as file_with_inertials,
)
