from massprops_cli.bom.bom import (
    Bom as Bom,
    BomSource as BomSource,
    bom_from as bom_from,
)
from massprops_cli.bom.changed_table import (
    ChangedTable as ChangedTable,
)
from massprops_cli.bom.checks.assembly_values import (
    difference_digits as difference_digits,
)
from massprops_cli.bom.checks.totals import (
    ReconciledTotal as ReconciledTotal,
)
from massprops_cli.bom.configuration.checks import (
    FLAG_KEYS as FLAG_KEYS,
    LIST_KEYS as LIST_KEYS,
    TEXT_KEYS as TEXT_KEYS,
    delimiter_character as delimiter_character,
)
from massprops_cli.bom.configuration.location import (
    CONFIGURATION_NAME as CONFIGURATION_NAME,
    toml_tables as toml_tables,
)
from massprops_cli.bom.configuration.settings import (
    Settings as Settings,
    read_settings as read_settings,
)
from massprops_cli.bom.contributions import (
    Contribution as Contribution,
    Contributions as Contributions,
    MassPareto as MassPareto,
    MassShare as MassShare,
    WeighingGain as WeighingGain,
    mass_pareto as mass_pareto,
)
from massprops_cli.bom.inspection import (
    EACH_ROW as EACH_ROW,
    Inspection as Inspection,
    ReadColumn as ReadColumn,
    bom_inspection as bom_inspection,
    inspect_file as inspect_file,
    product_sign_source as product_sign_source,
    table_inspection as table_inspection,
)
from massprops_cli.bom.items.correlation_groups import (
    BranchLeaves as BranchLeaves,
)
from massprops_cli.bom.items.growth import (
    bodies_with_growth as bodies_with_growth,
)
from massprops_cli.bom.items.item_flags import (
    parse_point as parse_point,
    point_text as point_text,
)
from massprops_cli.bom.items.item_rows import (
    ItemFault as ItemFault,
    item_cell_place as item_cell_place,
    report_cells as report_cells,
)
from massprops_cli.bom.items.mesh_cells import (
    MeshSource as MeshSource,
)
from massprops_cli.bom.items.result_columns import (
    AXES as AXES,
    CENTER as CENTER,
    CORRELATIONS as CORRELATIONS,
    COVARIANCES as COVARIANCES,
    ENTRIES as ENTRIES,
    INERTIA as INERTIA,
    MASS as MASS,
    RADII as RADII,
    SIGN_CONVENTION_TEXT as SIGN_CONVENTION_TEXT,
    Floats as Floats,
    ItemCovariance as ItemCovariance,
    body_column as body_column,
    first_order_sigma as first_order_sigma,
    item_quantity_values as item_quantity_values,
    sigma_column as sigma_column,
    single_item_rollup as single_item_rollup,
)
from massprops_cli.bom.motion import (
    Motion as Motion,
    frame_of_axes as frame_of_axes,
    moved_table as moved_table,
)
from massprops_cli.bom.results.export import (
    grid_from_dataframe as grid_from_dataframe,
)
from massprops_cli.bom.results.probability import (
    Interval as Interval,
    Probability as Probability,
    QueryParser as QueryParser,
    dimension_unit as dimension_unit,
    split_query_item as split_query_item,
)
from massprops_cli.bom.results.result import (
    Result as Result,
)
from massprops_cli.bom.results.result_dict import (
    ALLOWANCE_NAMES as ALLOWANCE_NAMES,
    AXIS_NAMES as AXIS_NAMES,
    COVERAGE_NAMES as COVERAGE_NAMES,
    PREDICTED_PREFIX as PREDICTED_PREFIX,
    PRINCIPAL_NAMES as PRINCIPAL_NAMES,
    SHARE_PREFIX as SHARE_PREFIX,
    SIGMA_PRINCIPAL_NAMES as SIGMA_PRINCIPAL_NAMES,
    body_numbers as body_numbers,
    derived_column as derived_column,
    is_sigma_name as is_sigma_name,
)
from massprops_cli.bom.results.samples import (
    SAMPLED_RESULT_NAMES as SAMPLED_RESULT_NAMES,
    ItemSamples as ItemSamples,
    SampledResult as SampledResult,
)
from massprops_cli.bom.results.table_edit import (
    assembly_item_rows as assembly_item_rows,
    coherent_unit as coherent_unit,
    result_header as result_header,
)
from massprops_cli.bom.results.uncertainty import (
    METHOD_WORDS as METHOD_WORDS,
    mass_shares_by_method as mass_shares_by_method,
)
from massprops_cli.bom.rollup import (
    branch_correlation as branch_correlation,
    roll_up_branches as roll_up_branches,
    validate as validate,
)
from massprops_cli.bom.sources import (
    read_source_table as read_source_table,
)
from massprops_cli.bom.tensor_repair import (
    repair_tensors as repair_tensors,
)
from massprops_cli.bom.variants import (
    Variants as Variants,
    roll_up_variants as roll_up_variants,
)
from massprops_cli.bom.whatif import (
    WhatIf as WhatIf,
)
from massprops_cli.bom.whatif_draft import (
    condition_texts as condition_texts,
    parse_change_texts as parse_change_texts,
)
