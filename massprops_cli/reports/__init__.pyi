from massprops_cli.reports.base_parameters import (
    base_parameter_blocks as base_parameter_blocks,
    base_parameter_csv as base_parameter_csv,
    base_parameter_latex as base_parameter_latex,
    base_parameter_lines as base_parameter_lines,
    base_parameter_markdown as base_parameter_markdown,
    base_parameter_rows as base_parameter_rows,
)
from massprops_cli.reports.figures import (
    bars_figure as bars_figure,
    center_figure as center_figure,
    contributors_figure as contributors_figure,
    tree_figure as tree_figure,
)
from massprops_cli.reports.formats.ci_report import (
    ci_report_text as ci_report_text,
)
from massprops_cli.reports.formats.code_hosts import (
    comment_text as comment_text,
)
from massprops_cli.reports.formats.report_data import (
    ReportData as ReportData,
)
from massprops_cli.reports.graphs.joint_forces import (
    joint_force_blocks as joint_force_blocks,
    joint_force_csv as joint_force_csv,
)
from massprops_cli.reports.graphs.observation import (
    matrix_format as matrix_format,
    singular_value_plot as singular_value_plot,
    write_matrix as write_matrix,
)
from massprops_cli.reports.graphs.part_reports import (
    aggregation_blocks as aggregation_blocks,
    partition_blocks as partition_blocks,
)
from massprops_cli.reports.graphs.tree_drawing import (
    check_tree_picture as check_tree_picture,
    draw_tree_parts as draw_tree_parts,
)
from massprops_cli.reports.inspect import (
    inspect_blocks as inspect_blocks,
)
from massprops_cli.reports.limits import (
    kept_limits_text as kept_limits_text,
    limit_blocks as limit_blocks,
    reconciliation_blocks as reconciliation_blocks,
)
from massprops_cli.reports.markdown import (
    markdown_report as markdown_report,
)
from massprops_cli.reports.page.conventions import (
    decision_blocks as decision_blocks,
    table_decision_blocks as table_decision_blocks,
)
from massprops_cli.reports.page.findings import (
    count_with_noun as count_with_noun,
    finding_json_lines as finding_json_lines,
    finding_lines as finding_lines,
    findings_markdown as findings_markdown,
    findings_report as findings_report,
    fold_notes as fold_notes,
    full_finding_blocks as full_finding_blocks,
    grouped_finding_blocks as grouped_finding_blocks,
    json_line as json_line,
    json_text as json_text,
)
from massprops_cli.reports.page.page import (
    UNICODE as UNICODE,
    Grid as Grid,
    Line as Line,
    PageBlock as PageBlock,
    Symbols as Symbols,
    TextSpan as TextSpan,
    console_for as console_for,
    fenced_markdown as fenced_markdown,
    plain_text as plain_text,
    print_page as print_page,
    symbols_for as symbols_for,
    text_line as text_line,
)
from massprops_cli.reports.plots import (
    histogram_figure as histogram_figure,
    histogram_plot as histogram_plot,
    pareto_plot as pareto_plot,
    picture_format as picture_format,
    require_matplotlib as require_matplotlib,
)
from massprops_cli.reports.probability import (
    answer_blocks as answer_blocks,
)
from massprops_cli.reports.samples import (
    sample_blocks as sample_blocks,
)
from massprops_cli.reports.subtotals import (
    AggregatedColumns as AggregatedColumns,
    aggregated_column_blocks as aggregated_column_blocks,
    group_blocks as group_blocks,
)
from massprops_cli.reports.summary import (
    RootView as RootView,
    summary_blocks as summary_blocks,
    total_mass_text as total_mass_text,
    verdict_line as verdict_line,
)
from massprops_cli.reports.table_files import (
    OUTPUT_SUFFIXES as OUTPUT_SUFFIXES,
    REPLACEMENT_FORMATS as REPLACEMENT_FORMATS,
    ResultWriteOptions as ResultWriteOptions,
    Target as Target,
    format_of_name as format_of_name,
    lost_content_findings as lost_content_findings,
    save_bom as save_bom,
    save_result as save_result,
    write_converted_table as write_converted_table,
    write_result_table as write_result_table,
)
from massprops_cli.reports.tree import (
    tree_blocks as tree_blocks,
    variant_blocks as variant_blocks,
    whatif_blocks as whatif_blocks,
)
