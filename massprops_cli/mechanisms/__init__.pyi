from massprops_cli.mechanisms.base_inertia import (
    BaseParameters as BaseParameters,
    base_parameters as base_parameters,
)
from massprops_cli.mechanisms.mechanism_file import read_mechanism as read_mechanism
