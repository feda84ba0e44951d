from massprops_cli.reports.formats.ci_report import (
    ci_report_text as ci_report_text,
)
from massprops_cli.reports.formats.code_hosts import (
    comment_text as comment_text,
)
from massprops_cli.reports.formats.report_data import (
    ReportData as ReportData,
)
from massprops_cli.reports.inspect import (
    inspect_blocks as inspect_blocks,
)
from massprops_cli.reports.limits import (
    kept_limits_text as kept_limits_text,
)
from massprops_cli.reports.limits import (
    limit_blocks as limit_blocks,
)
from massprops_cli.reports.limits import (
    reconciliation_blocks as reconciliation_blocks,
)
from massprops_cli.reports.markdown import (
    markdown_report as markdown_report,
)
from massprops_cli.reports.page.conventions import (
    decision_blocks as decision_blocks,
)
from massprops_cli.reports.page.conventions import (
    table_decision_blocks as table_decision_blocks,
)
from massprops_cli.reports.page.findings import (
    count_with_noun as count_with_noun,
)
from massprops_cli.reports.page.findings import (
    finding_json_lines as finding_json_lines,
)
from massprops_cli.reports.page.findings import (
    finding_lines as finding_lines,
)
from massprops_cli.reports.page.findings import (
    findings_markdown as findings_markdown,
)
from massprops_cli.reports.page.findings import (
    findings_report as findings_report,
)
from massprops_cli.reports.page.findings import (
    full_finding_blocks as full_finding_blocks,
)
from massprops_cli.reports.page.findings import (
    grouped_finding_blocks as grouped_finding_blocks,
)
from massprops_cli.reports.page.findings import (
    json_line as json_line,
)
from massprops_cli.reports.page.findings import (
    json_text as json_text,
)
from massprops_cli.reports.page.page import (
    UNICODE as UNICODE,
)
from massprops_cli.reports.page.page import (
    Grid as Grid,
)
from massprops_cli.reports.page.page import (
    Line as Line,
)
from massprops_cli.reports.page.page import (
    PageBlock as PageBlock,
)
from massprops_cli.reports.page.page import (
    Symbols as Symbols,
)
from massprops_cli.reports.page.page import (
    TextSpan as TextSpan,
)
from massprops_cli.reports.page.page import (
    console_for as console_for,
)
from massprops_cli.reports.page.page import (
    fenced_markdown as fenced_markdown,
)
from massprops_cli.reports.page.page import (
    plain_text as plain_text,
)
from massprops_cli.reports.page.page import (
    print_page as print_page,
)
from massprops_cli.reports.page.page import (
    symbols_for as symbols_for,
)
from massprops_cli.reports.page.page import (
    text_line as text_line,
)
from massprops_cli.reports.plots import (
    histogram_plot as histogram_plot,
)
from massprops_cli.reports.plots import (
    methods_plot as methods_plot,
)
from massprops_cli.reports.plots import (
    pareto_plot as pareto_plot,
)
from massprops_cli.reports.plots import (
    picture_format as picture_format,
)
from massprops_cli.reports.plots import (
    require_matplotlib as require_matplotlib,
)
from massprops_cli.reports.probability import (
    answer_blocks as answer_blocks,
)
from massprops_cli.reports.samples import (
    sample_blocks as sample_blocks,
)
from massprops_cli.reports.sheets import (
    SheetOptions as SheetOptions,
)
from massprops_cli.reports.sheets import (
    bom_sheet as bom_sheet,
)
from massprops_cli.reports.sheets import (
    finding_comments as finding_comments,
)
from massprops_cli.reports.sheets import (
    own_sheets as own_sheets,
)
from massprops_cli.reports.sheets import (
    plain_sheet as plain_sheet,
)
from massprops_cli.reports.subtotals import (
    AggregatedColumns as AggregatedColumns,
)
from massprops_cli.reports.subtotals import (
    aggregated_column_blocks as aggregated_column_blocks,
)
from massprops_cli.reports.subtotals import (
    group_blocks as group_blocks,
)
from massprops_cli.reports.summary import (
    RootView as RootView,
)
from massprops_cli.reports.summary import (
    summary_blocks as summary_blocks,
)
from massprops_cli.reports.summary import (
    verdict_line as verdict_line,
)
from massprops_cli.reports.tree import (
    tree_blocks as tree_blocks,
)
from massprops_cli.reports.tree import (
    variant_blocks as variant_blocks,
)
from massprops_cli.reports.tree import (
    whatif_blocks as whatif_blocks,
)
