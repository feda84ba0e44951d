from massprops_cli.findings.catalogue import (
    RULES as RULES,
    STOPS as STOPS,
    Rule as Rule,
)
from massprops_cli.findings.finding import (
    NO_PLACE as NO_PLACE,
    ConfigError as ConfigError,
    Finding as Finding,
    Findings as Findings,
    FindingsError as FindingsError,
    MasspropsError as MasspropsError,
    OutputError as OutputError,
    Place as Place,
    Severity as Severity,
    TableError as TableError,
    UsageError as UsageError,
    name_list as name_list,
    nearest_name as nearest_name,
    nearest_name_hint as nearest_name_hint,
    rule_finding as rule_finding,
)
from massprops_cli.findings.notebook import (
    html_table as html_table,
    notebook_progress as notebook_progress,
)
