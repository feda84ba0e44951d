from massprops_cli.bom.results.export import (
    dataframe_of_items as dataframe_of_items,
)
from massprops_cli.bom.results.export import (
    graph_of_items as graph_of_items,
)
from massprops_cli.bom.results.export import (
    grid_from_dataframe as grid_from_dataframe,
)
from massprops_cli.bom.results.outcome import (
    sample_difference_findings as sample_difference_findings,
)
from massprops_cli.bom.results.probability import (
    parse_interval_level as parse_interval_level,
)
from massprops_cli.bom.results.probability import (
    sampling_events as sampling_events,
)
from massprops_cli.bom.results.result import (
    Result as Result,
)
from massprops_cli.bom.results.uncertainty import (
    CORRELATE_CHOICES as CORRELATE_CHOICES,
)
from massprops_cli.bom.results.uncertainty import (
    UncertaintyRequest as UncertaintyRequest,
)
from massprops_cli.bom.results.uncertainty import (
    check_keyword_choice as check_keyword_choice,
)
from massprops_cli.bom.results.uncertainty import (
    shared_errors_for as shared_errors_for,
)
from massprops_cli.bom.results.uncertainty import (
    uncertainty_from_keywords as uncertainty_from_keywords,
)
