from massprops_cli.cli.stages.output_files import (
    ExtraOutputs as ExtraOutputs,
)
from massprops_cli.cli.stages.output_files import (
    Target as Target,
)
from massprops_cli.cli.stages.output_files import (
    check_picture as check_picture,
)
from massprops_cli.cli.stages.output_files import (
    check_target as check_target,
)
from massprops_cli.cli.stages.output_files import (
    format_of_name as format_of_name,
)
from massprops_cli.cli.stages.output_files import (
    is_same_file as is_same_file,
)
from massprops_cli.cli.stages.output_files import (
    output_target as output_target,
)
from massprops_cli.cli.stages.report_output import (
    MACHINE_STYLES as MACHINE_STYLES,
)
from massprops_cli.cli.stages.report_output import (
    REPORT_FILE_STYLES as REPORT_FILE_STYLES,
)
from massprops_cli.cli.stages.report_output import (
    ReportView as ReportView,
)
from massprops_cli.cli.stages.report_output import (
    check_style as check_style,
)
from massprops_cli.cli.stages.report_output import (
    exit_code as exit_code,
)
from massprops_cli.cli.stages.report_output import (
    parse_report_options as parse_report_options,
)
from massprops_cli.cli.stages.report_output import (
    report_findings as report_findings,
)
from massprops_cli.cli.stages.report_output import (
    report_result as report_result,
)
from massprops_cli.cli.stages.report_output import (
    report_unreadable_table as report_unreadable_table,
)
from massprops_cli.cli.stages.report_output import (
    rule_selection as rule_selection,
)
from massprops_cli.cli.stages.report_output import (
    selected_findings as selected_findings,
)
from massprops_cli.cli.stages.report_output import (
    write_ci_report as write_ci_report,
)
from massprops_cli.cli.stages.report_output import (
    write_reports as write_reports,
)
from massprops_cli.cli.stages.settings import (
    BUDGET_TABLES as BUDGET_TABLES,
)
from massprops_cli.cli.stages.settings import (
    CONFIGURATION_NAME as CONFIGURATION_NAME,
)
from massprops_cli.cli.stages.settings import (
    CONFIGURATION_TABLES as CONFIGURATION_TABLES,
)
from massprops_cli.cli.stages.settings import (
    FLAG_KEYS as FLAG_KEYS,
)
from massprops_cli.cli.stages.settings import (
    LIST_KEYS as LIST_KEYS,
)
from massprops_cli.cli.stages.settings import (
    TEXT_KEYS as TEXT_KEYS,
)
from massprops_cli.cli.stages.settings import (
    read_settings as read_settings,
)
from massprops_cli.cli.stages.table_input import (
    configuration_summary as configuration_summary,
)
from massprops_cli.cli.stages.table_input import (
    explain_table as explain_table,
)
from massprops_cli.cli.stages.table_input import (
    inspect_input as inspect_input,
)
from massprops_cli.cli.stages.table_input import (
    parse_point_option as parse_point_option,
)
from massprops_cli.cli.stages.table_input import (
    read_and_explain_bom as read_and_explain_bom,
)
from massprops_cli.cli.stages.table_input import (
    read_input_bom as read_input_bom,
)
from massprops_cli.cli.stages.table_input import (
    read_input_table as read_input_table,
)
from massprops_cli.cli.stages.table_input import (
    read_stdin as read_stdin,
)
from massprops_cli.cli.stages.table_input import (
    resolve_table_options as resolve_table_options,
)
from massprops_cli.cli.stages.table_input import (
    settings_without_variant as settings_without_variant,
)
from massprops_cli.cli.stages.table_input import (
    verbose_decision_blocks as verbose_decision_blocks,
)
from massprops_cli.cli.stages.table_output import (
    ResultWriteOptions as ResultWriteOptions,
)
from massprops_cli.cli.stages.table_output import (
    aggregate_columns as aggregate_columns,
)
from massprops_cli.cli.stages.table_output import (
    aggregated_column_names as aggregated_column_names,
)
from massprops_cli.cli.stages.table_output import (
    drop_missing_mass_finding as drop_missing_mass_finding,
)
from massprops_cli.cli.stages.table_output import (
    has_aggregations as has_aggregations,
)
from massprops_cli.cli.stages.table_output import (
    write_plain_table as write_plain_table,
)
from massprops_cli.cli.stages.table_output import (
    write_result as write_result,
)
