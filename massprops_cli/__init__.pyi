from massprops_cli.bodies.body import (
    Body as Body,
)
from massprops_cli.bom.bom import (
    Bom as Bom,
)
from massprops_cli.bom.bom import (
    read_bom as read_bom,
)
from massprops_cli.bom.contributions import (
    contributions as contributions,
)
from massprops_cli.bom.contributions import (
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
)
from massprops_cli.bom.rollup import (
    validate as validate,
)
from massprops_cli.bom.whatif import (
    whatif as whatif,
)
from massprops_cli.budgets.check import (
    Check as Check,
)
from massprops_cli.budgets.check import (
    check as check,
)
from massprops_cli.budgets.file import (
    read_budget as read_budget,
)
from massprops_cli.findings.finding import (
    ConfigError as ConfigError,
)
from massprops_cli.findings.finding import (
    Finding as Finding,
)
from massprops_cli.findings.finding import (
    FindingsError as FindingsError,
)
from massprops_cli.findings.finding import (
    MasspropsError as MasspropsError,
)
from massprops_cli.findings.finding import (
    OutputError as OutputError,
)
from massprops_cli.findings.finding import (
    Place as Place,
)
from massprops_cli.findings.finding import (
    Severity as Severity,
)
from massprops_cli.findings.finding import (
    TableError as TableError,
)
from massprops_cli.findings.finding import (
    UsageError as UsageError,
)
from massprops_cli.revisions.comparison import (
    diff as diff,
)
from massprops_cli.revisions.diff import (
    Diff as Diff,
)

__version__: str
