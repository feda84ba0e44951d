from massprops_cli.mechanisms.base_inertia import (
    BaseParameters as BaseParameters,
    base_parameters as base_parameters,
)
from massprops_cli.mechanisms.mechanism_file import read_mechanism as read_mechanism
from massprops_cli.mechanisms.observation.observed_parameters import (
    Observation as Observation,
    ObservationSettings as ObservationSettings,
    observation_matrix as observation_matrix,
)
from massprops_cli.mechanisms.reduction.mechanism_document import mechanism_document as mechanism_document
from massprops_cli.mechanisms.reduction.reduced_mechanism import reduced_mechanism as reduced_mechanism
from massprops_cli.mechanisms.reduction.robot_inertials import urdf_with_inertials as urdf_with_inertials
from massprops_cli.mechanisms.robots.robot_mechanism import RobotReading as RobotReading
from massprops_cli.mechanisms.spatial.articulated_bodies import (
    check_mass_matrix as check_mass_matrix,
)
from massprops_cli.mechanisms.spatial.spatial_model import (
    SpatialModel as SpatialModel,
)
