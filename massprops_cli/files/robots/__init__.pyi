from massprops_cli.files.robots.urdf import read_urdf as read_urdf
