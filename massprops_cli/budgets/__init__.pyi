from massprops_cli.budgets.check import (
    Check as Check,
)
from massprops_cli.budgets.figures import (
    BasisFigures as BasisFigures,
)
from massprops_cli.budgets.file import (
    read_budget as read_budget,
)
from massprops_cli.budgets.model import (
    Budget as Budget,
    Verdict as Verdict,
)
