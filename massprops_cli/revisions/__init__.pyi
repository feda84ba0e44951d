from massprops_cli.revisions.attribution import (
    COMPARED_RESULTS as COMPARED_RESULTS,
)
from massprops_cli.revisions.comparison import (
    Waterfall as Waterfall,
    result_unit as result_unit,
    result_waterfall as result_waterfall,
)
from massprops_cli.revisions.diff import (
    Diff as Diff,
)
