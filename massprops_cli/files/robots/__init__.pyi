from massprops_cli.files.robots.sdf import read_sdf as read_sdf
from massprops_cli.files.robots.urdf import read_urdf as read_urdf
