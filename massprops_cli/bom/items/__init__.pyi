from massprops_cli.bom.items.growth import (
    predicted_rollup as predicted_rollup,
)
from massprops_cli.bom.items.growth import (
    read_growth as read_growth,
)
from massprops_cli.bom.items.inertia_point import (
    Point as Point,
)
from massprops_cli.bom.items.inertia_point import (
    component_about_point as component_about_point,
)
from massprops_cli.bom.items.inertia_point import (
    parse_point as parse_point,
)
from massprops_cli.bom.items.inertia_point import (
    point_text as point_text,
)
from massprops_cli.bom.items.inertia_point import (
    reject_inertia_uncertainties as reject_inertia_uncertainties,
)
from massprops_cli.bom.items.inertia_point import (
    tensors_about_own_centers as tensors_about_own_centers,
)
from massprops_cli.bom.items.inertia_point import (
    value_about_point as value_about_point,
)
from massprops_cli.bom.items.item_flags import (
    ItemFlags as ItemFlags,
)
from massprops_cli.bom.items.item_flags import (
    fill_masses_from_quantities as fill_masses_from_quantities,
)
from massprops_cli.bom.items.item_flags import (
    masses_from_quantities as masses_from_quantities,
)
from massprops_cli.bom.items.item_flags import (
    read_item_flags as read_item_flags,
)
from massprops_cli.bom.items.item_flags import (
    read_quantity as read_quantity,
)
from massprops_cli.bom.items.item_rows import (
    Content as Content,
)
from massprops_cli.bom.items.item_rows import (
    Indices as Indices,
)
from massprops_cli.bom.items.item_rows import (
    ItemFault as ItemFault,
)
from massprops_cli.bom.items.item_rows import (
    ItemRows as ItemRows,
)
from massprops_cli.bom.items.item_rows import (
    cell_findings as cell_findings,
)
from massprops_cli.bom.items.item_rows import (
    item_cell_place as item_cell_place,
)
from massprops_cli.bom.items.item_rows import (
    item_list_text as item_list_text,
)
from massprops_cli.bom.items.item_rows import (
    limited_name_list as limited_name_list,
)
from massprops_cli.bom.items.item_rows import (
    report_items as report_items,
)
from massprops_cli.bom.items.numbers import (
    SetCells as SetCells,
)
from massprops_cli.bom.items.numbers import (
    allow_missing_text as allow_missing_text,
)
from massprops_cli.bom.items.numbers import (
    check_needed_cells as check_needed_cells,
)
from massprops_cli.bom.items.numbers import (
    check_needed_products as check_needed_products,
)
from massprops_cli.bom.items.numbers import (
    measured_masses as measured_masses,
)
from massprops_cli.bom.items.numbers import (
    read_quantity_sets as read_quantity_sets,
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
    ENTRIES as ENTRIES,
)
from massprops_cli.bom.items.result_columns import (
    INERTIA as INERTIA,
)
from massprops_cli.bom.items.result_columns import (
    MASS as MASS,
)
from massprops_cli.bom.items.result_columns import (
    QUANTITY_SETS as QUANTITY_SETS,
)
from massprops_cli.bom.items.result_columns import (
    RADII as RADII,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_CENTER as SIGMA_CENTER,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_INERTIA as SIGMA_INERTIA,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_MASS as SIGMA_MASS,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_RADII as SIGMA_RADII,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_SETS as SIGMA_SETS,
)
from massprops_cli.bom.items.result_columns import (
    SIGMA_SLICES as SIGMA_SLICES,
)
from massprops_cli.bom.items.result_columns import (
    VALUE_SETS as VALUE_SETS,
)
from massprops_cli.bom.items.result_columns import (
    ItemCovariance as ItemCovariance,
)
from massprops_cli.bom.items.result_columns import (
    QuantitySet as QuantitySet,
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
    principal_moment_sigmas as principal_moment_sigmas,
)
from massprops_cli.bom.items.result_columns import (
    reported_sigmas as reported_sigmas,
)
from massprops_cli.bom.items.result_columns import (
    sigma_column as sigma_column,
)
from massprops_cli.bom.items.result_columns import (
    single_item_rollup as single_item_rollup,
)
from massprops_cli.bom.items.shared_errors import (
    CorrelationGroups as CorrelationGroups,
)
from massprops_cli.bom.items.shared_errors import (
    GroupCorrelations as GroupCorrelations,
)
from massprops_cli.bom.items.shared_errors import (
    read_correlation_groups as read_correlation_groups,
)
from massprops_cli.bom.items.shared_errors import (
    read_correlations as read_correlations,
)
from massprops_cli.bom.items.shared_errors import (
    shared_error_correlation as shared_error_correlation,
)
from massprops_cli.bom.items.sigmas import (
    WEIGHED as WEIGHED,
)
from massprops_cli.bom.items.sigmas import (
    SigmaInputs as SigmaInputs,
)
from massprops_cli.bom.items.sigmas import (
    mass_methods as mass_methods,
)
from massprops_cli.bom.items.sigmas import (
    read_sigmas as read_sigmas,
)
from massprops_cli.bom.items.variant_columns import (
    ItemTree as ItemTree,
)
from massprops_cli.bom.items.variant_columns import (
    ask_for_variant as ask_for_variant,
)
from massprops_cli.bom.items.variant_columns import (
    filter_parent_findings as filter_parent_findings,
)
from massprops_cli.bom.items.variant_columns import (
    has_marked_above as has_marked_above,
)
from massprops_cli.bom.items.variant_columns import (
    place_root as place_root,
)
from massprops_cli.bom.items.variant_columns import (
    read_blank_counts as read_blank_counts,
)
