from massprops_cli.cli.stages.output_files import (
    ExtraOutputs as ExtraOutputs,
    check_output_file as check_output_file,
    check_outputs as check_outputs,
    check_picture as check_picture,
    check_target as check_target,
    default_output_name as default_output_name,
    file_state as file_state,
    output_target as output_target,
    write_covariance as write_covariance,
)
from massprops_cli.cli.stages.remedy_commands import (
    RemedyCommand as RemedyCommand,
    find_remedy_commands as find_remedy_commands,
)
from massprops_cli.cli.stages.report_output import (
    MACHINE_STYLES as MACHINE_STYLES,
    ReportView as ReportView,
    check_style as check_style,
    exit_code as exit_code,
    parse_report_options as parse_report_options,
    report_findings as report_findings,
    report_result as report_result,
    report_unreadable_table as report_unreadable_table,
    rule_selection as rule_selection,
    selected_findings as selected_findings,
    write_ci_report as write_ci_report,
    write_reports as write_reports,
)
from massprops_cli.cli.stages.table_input import (
    configuration_summary as configuration_summary,
    explain_table as explain_table,
    inspect_input as inspect_input,
    parse_point_option as parse_point_option,
    read_and_explain_bom as read_and_explain_bom,
    read_input_bom as read_input_bom,
    read_input_table as read_input_table,
    read_stdin as read_stdin,
    resolve_table_options as resolve_table_options,
    settings_without_variant as settings_without_variant,
    verbose_decision_blocks as verbose_decision_blocks,
)
from massprops_cli.cli.stages.table_output import (
    aggregate_columns as aggregate_columns,
    aggregated_column_names as aggregated_column_names,
    drop_missing_mass_finding as drop_missing_mass_finding,
    has_aggregations as has_aggregations,
    write_changed_table as write_changed_table,
    write_content as write_content,
    write_plain_table as write_plain_table,
    write_result as write_result,
)
