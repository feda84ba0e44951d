"""Roll up mass properties over trees of parts: mass, centre of mass, inertia tensor, and their uncertainties.

``import massprops as mp; mp.rollup("bom.xlsx")["Wing"]``. Each name is loaded when it is first used.
"""

from massprops_cli import _front

__getattr__, __dir__ = _front.lazy_front(__name__, __file__)
__version__ = _front.VERSION
