from massprops_cli.bodies.body import (
    Body as Body,
)
from massprops_cli.bom.bom import (
    Bom as Bom,
    read_bom as read_bom,
)
from massprops_cli.bom.contributions import (
    contributions as contributions,
    mass_pareto as mass_pareto,
)
from massprops_cli.bom.inspection import (
    inspect as inspect,
)
from massprops_cli.bom.results.result import (
    Result as Result,
)
from massprops_cli.bom.rollup import (
    rollup as rollup,
    validate as validate,
)
from massprops_cli.bom.whatif import (
    whatif as whatif,
)
from massprops_cli.budgets.check import (
    Check as Check,
    check as check,
)
from massprops_cli.budgets.file import (
    read_budget as read_budget,
)
from massprops_cli.findings.finding import (
    ConfigError as ConfigError,
    Finding as Finding,
    FindingsError as FindingsError,
    MasspropsError as MasspropsError,
    OutputError as OutputError,
    Place as Place,
    Severity as Severity,
    TableError as TableError,
    UsageError as UsageError,
)
from massprops_cli.revisions.comparison import (
    diff as diff,
)
from massprops_cli.revisions.diff import (
    Diff as Diff,
)

__version__: str
