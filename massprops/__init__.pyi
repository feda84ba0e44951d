from massprops_cli import *  # noqa: F403 - the names of the package
from massprops_cli import __version__ as __version__
