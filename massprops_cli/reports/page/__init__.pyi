from massprops_cli.reports.page.conventions import (
    WordPairs as WordPairs,
)
from massprops_cli.reports.page.conventions import (
    convention_blocks as convention_blocks,
)
from massprops_cli.reports.page.conventions import (
    convention_rows as convention_rows,
)
from massprops_cli.reports.page.conventions import (
    level_text as level_text,
)
from massprops_cli.reports.page.conventions import (
    sign_words as sign_words,
)
from massprops_cli.reports.page.conventions import (
    source_words as source_words,
)
from massprops_cli.reports.page.conventions import (
    uncertainty_rows as uncertainty_rows,
)
from massprops_cli.reports.page.conventions import (
    units_words as units_words,
)
from massprops_cli.reports.page.findings import (
    count_with_noun as count_with_noun,
)
from massprops_cli.reports.page.findings import (
    escape_markdown_cell as escape_markdown_cell,
)
from massprops_cli.reports.page.findings import (
    finding_counts_text as finding_counts_text,
)
from massprops_cli.reports.page.findings import (
    findings_markdown as findings_markdown,
)
from massprops_cli.reports.page.findings import (
    json_line as json_line,
)
from massprops_cli.reports.page.findings import (
    json_text as json_text,
)
from massprops_cli.reports.page.findings import (
    sort_by_severity as sort_by_severity,
)
from massprops_cli.reports.page.number_text import (
    decimal_exponent as decimal_exponent,
)
from massprops_cli.reports.page.number_text import (
    difference_text as difference_text,
)
from massprops_cli.reports.page.number_text import (
    formatted_number as formatted_number,
)
from massprops_cli.reports.page.number_text import (
    number_and_sigma as number_and_sigma,
)
from massprops_cli.reports.page.number_text import (
    number_formats as number_formats,
)
from massprops_cli.reports.page.number_text import (
    percent_text as percent_text,
)
from massprops_cli.reports.page.number_text import (
    rounded_text as rounded_text,
)
from massprops_cli.reports.page.number_text import (
    sigma_text as sigma_text,
)
from massprops_cli.reports.page.number_text import (
    unit_text as unit_text,
)
from massprops_cli.reports.page.number_text import (
    value_number_format as value_number_format,
)
from massprops_cli.reports.page.number_text import (
    value_with_sigma as value_with_sigma,
)
from massprops_cli.reports.page.page import (
    ASCII as ASCII,
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
    SideBySide as SideBySide,
)
from massprops_cli.reports.page.page import (
    Symbols as Symbols,
)
from massprops_cli.reports.page.page import (
    TextSpan as TextSpan,
)
from massprops_cli.reports.page.page import (
    histogram_text as histogram_text,
)
from massprops_cli.reports.page.page import (
    shorten_text as shorten_text,
)
from massprops_cli.reports.page.page import (
    text_line as text_line,
)
