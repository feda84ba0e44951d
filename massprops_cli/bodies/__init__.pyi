from massprops_cli.bodies.bodies import (
    NEGLIGIBLE_VIOLATION as NEGLIGIBLE_VIOLATION,
)
from massprops_cli.bodies.bodies import (
    Bodies as Bodies,
)
from massprops_cli.bodies.bodies import (
    PrincipalAxes as PrincipalAxes,
)
from massprops_cli.bodies.bodies import (
    Sigmas as Sigmas,
)
from massprops_cli.bodies.bodies import (
    full_tensors as full_tensors,
)
from massprops_cli.bodies.bodies import (
    phi as phi,
)
from massprops_cli.bodies.bodies import (
    principal_axes as principal_axes,
)
from massprops_cli.bodies.bodies import (
    principal_axes_of_bodies as principal_axes_of_bodies,
)
from massprops_cli.bodies.bodies import (
    principal_sigmas as principal_sigmas,
)
from massprops_cli.bodies.bodies import (
    six_entries as six_entries,
)
from massprops_cli.bodies.bodies import (
    tensor_faults as tensor_faults,
)
from massprops_cli.bodies.body import (
    Body as Body,
)
