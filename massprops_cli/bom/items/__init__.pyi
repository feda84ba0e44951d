from massprops_cli.bom.items.correlation_groups import (
    BranchLeaves as BranchLeaves,
    CorrelationGroups as CorrelationGroups,
    GroupCorrelations as GroupCorrelations,
    item_correlation as item_correlation,
    read_correlation_groups as read_correlation_groups,
    read_correlations as read_correlations,
)
from massprops_cli.bom.items.growth import (
    SHIPPED_TABLES as SHIPPED_TABLES,
    predicted_rollup as predicted_rollup,
    read_growth as read_growth,
)
from massprops_cli.bom.items.item_flags import (
    ItemFlags as ItemFlags,
    Point as Point,
    QuantityRows as QuantityRows,
    component_about_point as component_about_point,
    fill_masses_from_quantities as fill_masses_from_quantities,
    fill_masses_from_row_totals as fill_masses_from_row_totals,
    is_measured_quantity as is_measured_quantity,
    masses_from_quantities as masses_from_quantities,
    parse_point as parse_point,
    point_text as point_text,
    read_item_flags as read_item_flags,
    read_quantity as read_quantity,
    reject_inertia_uncertainties as reject_inertia_uncertainties,
    sign_of_option as sign_of_option,
    tensors_about_own_centers as tensors_about_own_centers,
    value_about_point as value_about_point,
)
from massprops_cli.bom.items.item_mapping import (
    ItemMapping as ItemMapping,
)
from massprops_cli.bom.items.item_rows import (
    Indices as Indices,
    ItemFault as ItemFault,
    ItemRows as ItemRows,
    item_cell_place as item_cell_place,
    item_list_text as item_list_text,
    report_cells as report_cells,
    report_items as report_items,
)
from massprops_cli.bom.items.numbers import (
    NeededSet as NeededSet,
    SetCells as SetCells,
    allow_missing_text as allow_missing_text,
    check_needed_cells as check_needed_cells,
    check_needed_products as check_needed_products,
    fill_blank_coordinates as fill_blank_coordinates,
    measured_masses as measured_masses,
    read_quantity_sets as read_quantity_sets,
)
from massprops_cli.bom.items.pattern_cells import (
    expanded_patterns as expanded_patterns,
    moved_pattern_cells as moved_pattern_cells,
)
from massprops_cli.bom.items.pose_cells import (
    ItemPoses as ItemPoses,
    read_item_poses as read_item_poses,
    stated_angle_unit as stated_angle_unit,
)
from massprops_cli.bom.items.result_columns import (
    AXES as AXES,
    CENTER as CENTER,
    CORRELATIONS as CORRELATIONS,
    ENTRIES as ENTRIES,
    INERTIA as INERTIA,
    MASS as MASS,
    QUANTITY_SETS as QUANTITY_SETS,
    RADII as RADII,
    SIGMA_CENTER as SIGMA_CENTER,
    SIGMA_INERTIA as SIGMA_INERTIA,
    SIGMA_MASS as SIGMA_MASS,
    SIGMA_RADII as SIGMA_RADII,
    SIGMA_SETS as SIGMA_SETS,
    SIGMA_SLICES as SIGMA_SLICES,
    SIGN_CONVENTION_TEXT as SIGN_CONVENTION_TEXT,
    VALUE_SETS as VALUE_SETS,
    ItemCovariance as ItemCovariance,
    QuantitySet as QuantitySet,
    body_column as body_column,
    first_order_sigma as first_order_sigma,
    item_quantity_values as item_quantity_values,
    principal_moment_sigmas as principal_moment_sigmas,
    reported_sigmas as reported_sigmas,
    sigma_column as sigma_column,
    single_item_rollup as single_item_rollup,
)
from massprops_cli.bom.items.row_frames import (
    rollup_in_row_frames as rollup_in_row_frames,
)
from massprops_cli.bom.items.sigmas import (
    WEIGHED as WEIGHED,
    SigmaInputs as SigmaInputs,
    mass_methods as mass_methods,
    read_sigmas as read_sigmas,
)
from massprops_cli.bom.items.solid_cells import (
    ItemSolids as ItemSolids,
    check_stated_centers as check_stated_centers,
    check_stated_tensors as check_stated_tensors,
    read_item_solids as read_item_solids,
)
from massprops_cli.bom.items.variant_columns import (
    ItemTree as ItemTree,
    filter_parent_findings as filter_parent_findings,
    has_marked_above as has_marked_above,
    place_root as place_root,
    read_blank_counts as read_blank_counts,
    report_ambiguous_variant as report_ambiguous_variant,
)
