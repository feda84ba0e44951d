from massprops_cli.bodies.body import (
    Body as Body,
)
from massprops_cli.bom.bom import (
    Bom as Bom,
    ReadKeywords as ReadKeywords,
    TableKeywords as TableKeywords,
    read_bom as read_bom,
)
from massprops_cli.bom.contributions import (
    Contribution as Contribution,
    Contributions as Contributions,
    GroupMember as GroupMember,
    MassPareto as MassPareto,
    MassShare as MassShare,
    WeighingGain as WeighingGain,
    contributions as contributions,
    mass_pareto as mass_pareto,
)
from massprops_cli.bom.inspection import (
    ExcludedRowGroup as ExcludedRowGroup,
    Inspection as Inspection,
    ReadColumn as ReadColumn,
    UnreadColumn as UnreadColumn,
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
    WhatIf as WhatIf,
    whatif as whatif,
)
from massprops_cli.budgets.check import (
    Check as Check,
    check as check,
)
from massprops_cli.budgets.file import (
    read_budget as read_budget,
)
from massprops_cli.budgets.model import (
    Budget as Budget,
    Verdict as Verdict,
)
from massprops_cli.files.options import (
    ReadCaps as ReadCaps,
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
from massprops_cli.mechanisms.base_inertia import (
    BaseParameters as BaseParameters,
    base_parameters as base_parameters,
)
from massprops_cli.mechanisms.mechanism_file import (
    read_mechanism as read_mechanism,
)
from massprops_cli.mechanisms.model import (
    Mechanism as Mechanism,
)
from massprops_cli.revisions.attribution import (
    ChangeBreakdown as ChangeBreakdown,
)
from massprops_cli.revisions.comparison import (
    diff as diff,
)
from massprops_cli.revisions.diff import (
    ChangedItem as ChangedItem,
    Diff as Diff,
)

__version__: str
