from massprops_cli.mechanisms.spatial.articulated_bodies import (
    ArticulatedBodies as ArticulatedBodies,
    check_mass_matrix as check_mass_matrix,
)
from massprops_cli.mechanisms.spatial.operators import (
    SpatialOperators as SpatialOperators,
)
from massprops_cli.mechanisms.spatial.spatial_model import (
    SpatialModel as SpatialModel,
    SpatialPose as SpatialPose,
)
