from massprops_cli.findings.catalogue import (
    RULES as RULES,
)
from massprops_cli.findings.catalogue import (
    STOPS as STOPS,
)
from massprops_cli.findings.catalogue import (
    Rule as Rule,
)
from massprops_cli.findings.finding import (
    NO_PLACE as NO_PLACE,
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
from massprops_cli.findings.finding import (
    nearest_name_hint as nearest_name_hint,
)
from massprops_cli.findings.finding import (
    rule_finding as rule_finding,
)
