from massprops_cli.bom.bom import (
    Bom as Bom,
)
from massprops_cli.bom.checks.assembly_values import (
    difference_digits as difference_digits,
)
from massprops_cli.bom.checks.totals import (
    ReconciledTotal as ReconciledTotal,
)
from massprops_cli.bom.contributions import (
    Contribution as Contribution,
)
from massprops_cli.bom.contributions import (
    Contributions as Contributions,
)
from massprops_cli.bom.contributions import (
    MassPareto as MassPareto,
)
from massprops_cli.bom.contributions import (
    MassShare as MassShare,
)
from massprops_cli.bom.contributions import (
    WeighingGain as WeighingGain,
)
from massprops_cli.bom.contributions import (
    mass_pareto as mass_pareto,
)
from massprops_cli.bom.inspection import (
    EACH_ROW as EACH_ROW,
)
from massprops_cli.bom.inspection import (
    Inspection as Inspection,
)
from massprops_cli.bom.inspection import (
    ReadColumn as ReadColumn,
)
from massprops_cli.bom.inspection import (
    content_inspection as content_inspection,
)
from massprops_cli.bom.inspection import (
    inspect_file as inspect_file,
)
from massprops_cli.bom.inspection import (
    table_inspection as table_inspection,
)
from massprops_cli.bom.items.growth import (
    SHIPPED_TABLES as SHIPPED_TABLES,
)
from massprops_cli.bom.items.growth import (
    bodies_with_growth as bodies_with_growth,
)
from massprops_cli.bom.items.inertia_point import (
    parse_point as parse_point,
)
from massprops_cli.bom.items.inertia_point import (
    point_text as point_text,
)
from massprops_cli.bom.items.item_rows import (
    Content as Content,
)
from massprops_cli.bom.items.item_rows import (
    cell_findings as cell_findings,
)
from massprops_cli.bom.items.item_rows import (
    item_cell_place as item_cell_place,
)
from massprops_cli.bom.items.result_columns import (
    AXES as AXES,
)
from massprops_cli.bom.items.result_columns import (
    CENTER as CENTER,
)
from massprops_cli.bom.items.result_columns import (
    CORRELATIONS as CORRELATIONS,
)
from massprops_cli.bom.items.result_columns import (
    COVARIANCES as COVARIANCES,
)
from massprops_cli.bom.items.result_columns import (
    ENTRIES as ENTRIES,
)
from massprops_cli.bom.items.result_columns import (
    INERTIA as INERTIA,
)
from massprops_cli.bom.items.result_columns import (
    MASS as MASS,
)
from massprops_cli.bom.items.result_columns import (
    RADII as RADII,
)
from massprops_cli.bom.items.result_columns import (
    Floats as Floats,
)
from massprops_cli.bom.items.result_columns import (
    ItemCovariance as ItemCovariance,
)
from massprops_cli.bom.items.result_columns import (
    body_column as body_column,
)
from massprops_cli.bom.items.result_columns import (
    first_order_sigma as first_order_sigma,
)
from massprops_cli.bom.items.result_columns import (
    item_quantity_values as item_quantity_values,
)
from massprops_cli.bom.items.result_columns import (
    single_item_rollup as single_item_rollup,
)
from massprops_cli.bom.results.export import (
    grid_from_dataframe as grid_from_dataframe,
)
from massprops_cli.bom.results.outcome import (
    SAMPLED_RESULT_NAMES as SAMPLED_RESULT_NAMES,
)
from massprops_cli.bom.results.outcome import (
    SIGN_CONVENTION_TEXT as SIGN_CONVENTION_TEXT,
)
from massprops_cli.bom.results.outcome import (
    ItemSamples as ItemSamples,
)
from massprops_cli.bom.results.outcome import (
    RollupOutcome as RollupOutcome,
)
from massprops_cli.bom.results.outcome import (
    SampledResult as SampledResult,
)
from massprops_cli.bom.results.probability import (
    Interval as Interval,
)
from massprops_cli.bom.results.probability import (
    Probability as Probability,
)
from massprops_cli.bom.results.probability import (
    QueryParser as QueryParser,
)
from massprops_cli.bom.results.probability import (
    dimension_unit as dimension_unit,
)
from massprops_cli.bom.results.probability import (
    split_query_item as split_query_item,
)
from massprops_cli.bom.results.result import (
    Result as Result,
)
from massprops_cli.bom.results.result_dict import (
    ALLOWANCE_NAMES as ALLOWANCE_NAMES,
)
from massprops_cli.bom.results.result_dict import (
    AXIS_NAMES as AXIS_NAMES,
)
from massprops_cli.bom.results.result_dict import (
    COVERAGE_NAMES as COVERAGE_NAMES,
)
from massprops_cli.bom.results.result_dict import (
    PREDICTED_PREFIX as PREDICTED_PREFIX,
)
from massprops_cli.bom.results.result_dict import (
    PRINCIPAL_NAMES as PRINCIPAL_NAMES,
)
from massprops_cli.bom.results.result_dict import (
    SHARE_PREFIX as SHARE_PREFIX,
)
from massprops_cli.bom.results.result_dict import (
    SIGMA_PRINCIPAL_NAMES as SIGMA_PRINCIPAL_NAMES,
)
from massprops_cli.bom.results.result_dict import (
    derived_column as derived_column,
)
from massprops_cli.bom.results.result_dict import (
    is_sigma_name as is_sigma_name,
)
from massprops_cli.bom.results.table_edit import (
    assembly_item_rows as assembly_item_rows,
)
from massprops_cli.bom.results.table_edit import (
    coherent_unit as coherent_unit,
)
from massprops_cli.bom.results.table_edit import (
    result_header as result_header,
)
from massprops_cli.bom.results.uncertainty import (
    METHOD_WORDS as METHOD_WORDS,
)
from massprops_cli.bom.results.uncertainty import (
    mass_shares_by_method as mass_shares_by_method,
)
from massprops_cli.bom.rollup import (
    validate as validate,
)
from massprops_cli.bom.variants import (
    Variants as Variants,
)
from massprops_cli.bom.variants import (
    roll_up_variants as roll_up_variants,
)
from massprops_cli.bom.whatif import (
    WhatIf as WhatIf,
)
from massprops_cli.bom.whatif import (
    body_numbers as body_numbers,
)
from massprops_cli.bom.whatif import (
    parse_assignment as parse_assignment,
)
