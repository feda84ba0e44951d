"""Roll up mass properties over trees of parts: the library under the name of its distribution.

    import massprops as mp

    bom = mp.read_bom("bom.xlsx")
    result = mp.rollup(bom)
    print(result["Wing"])

All names are those of ``massprops_cli``, and are loaded when they are first used.
"""

import massprops_cli
from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, massprops_cli.__file__)
__version__ = massprops_cli.__version__
