from massprops_cli.files.robots.robot_model import (
    InertialTexts as InertialTexts,
    OriginTexts as OriginTexts,
    RobotJoint as RobotJoint,
    RobotModel as RobotModel,
)
from massprops_cli.files.robots.urdf import read_urdf as read_urdf
from massprops_cli.files.robots.urdf_model import read_urdf_model as read_urdf_model
