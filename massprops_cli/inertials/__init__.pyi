from massprops_cli.inertials.inertial_resolution import (
    FailurePolicy as FailurePolicy,
    GeometrySource as GeometrySource,
    resolve_inertials as resolve_inertials,
)
from massprops_cli.inertials.inertial_text import (
    InertialText as InertialText,
)
from massprops_cli.inertials.robot_table import resolve_robot_table as resolve_robot_table
