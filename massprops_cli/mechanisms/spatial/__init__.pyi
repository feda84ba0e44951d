from massprops_cli.mechanisms.spatial.spatial_model import (
    SpatialModel as SpatialModel,
    SpatialPose as SpatialPose,
)
