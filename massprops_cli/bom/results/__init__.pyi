from massprops_cli.bom.results.export import (
    dataframe_of_items as dataframe_of_items,
    graph_of_items as graph_of_items,
    grid_from_dataframe as grid_from_dataframe,
    save_plain_table as save_plain_table,
)
from massprops_cli.bom.results.probability import (
    parse_interval_level as parse_interval_level,
    sampling_events as sampling_events,
)
from massprops_cli.bom.results.result import (
    Result as Result,
)
from massprops_cli.bom.results.result_dict import (
    PREDICTED_PREFIX as PREDICTED_PREFIX,
    body_numbers as body_numbers,
    finite_or_none as finite_or_none,
)
from massprops_cli.bom.results.samples import (
    report_sample_differences as report_sample_differences,
)
from massprops_cli.bom.results.table_edit import (
    format_edit_numbers as format_edit_numbers,
)
from massprops_cli.bom.results.uncertainty import (
    CORRELATE_CHOICES as CORRELATE_CHOICES,
    UncertaintyRequest as UncertaintyRequest,
    check_keyword_choice as check_keyword_choice,
    requested_correlation as requested_correlation,
    uncertainty_from_keywords as uncertainty_from_keywords,
)
