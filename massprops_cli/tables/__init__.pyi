from massprops_cli.tables.cells.cell_words import (
    TruthValues as TruthValues,
    label_kind as label_kind,
    read_piece_counts as read_piece_counts,
    read_signs as read_signs,
    read_truth_values as read_truth_values,
    sign_fault as sign_fault,
    truth_value_fault as truth_value_fault,
)
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS as BLANK_CHARACTERS,
    NUMBER_PATTERN as NUMBER_PATTERN,
    CellRules as CellRules,
    decimal_readings as decimal_readings,
    displayed_text as displayed_text,
    half_unit_of_last_digit as half_unit_of_last_digit,
    is_placeholder as is_placeholder,
    measure_factor as measure_factor,
    read_number as read_number,
    split_cell_text as split_cell_text,
)
from massprops_cli.tables.cells.numbers import (
    SEPARATORS_READ as SEPARATORS_READ,
    ParsedColumn as ParsedColumn,
    cell_measure as cell_measure,
    half_unit_of_cell as half_unit_of_cell,
    has_decimal_comma as has_decimal_comma,
    parse_column as parse_column,
    reject_unknown_numbers as reject_unknown_numbers,
    rejected_cell_fault as rejected_cell_fault,
    split_quantity_text as split_quantity_text,
)
from massprops_cli.tables.cells.unit_text import (
    INERTIA as INERTIA,
    KILOGRAM as KILOGRAM,
    LENGTH as LENGTH,
    MASS as MASS,
    METRE as METRE,
    SIMPLE_UNITS as SIMPLE_UNITS,
    Unit as Unit,
    ambiguous_unit as ambiguous_unit,
    read_unit as read_unit,
    unit_of_dimension as unit_of_dimension,
)
from massprops_cli.tables.cells.units import (
    ANGLE_QUANTITIES as ANGLE_QUANTITIES,
    BOUNDS as BOUNDS,
    CENTER_COLUMNS as CENTER_COLUMNS,
    GROWTH_MASSES as GROWTH_MASSES,
    NUMBER_QUANTITIES as NUMBER_QUANTITIES,
    NUMERIC_TEXT_QUANTITIES as NUMERIC_TEXT_QUANTITIES,
    OUTPUT_PREFIXES as OUTPUT_PREFIXES,
    POSE_ANGLES as POSE_ANGLES,
    POSE_AXIS_ANGLE as POSE_AXIS_ANGLE,
    POSE_COSINES as POSE_COSINES,
    POSE_LENGTHS as POSE_LENGTHS,
    POSE_QUANTITIES as POSE_QUANTITIES,
    POSE_QUATERNION as POSE_QUATERNION,
    POSE_SIGMAS as POSE_SIGMAS,
    QUANTITIES as QUANTITIES,
    ROW_TOTAL_QUANTITIES as ROW_TOTAL_QUANTITIES,
    SHAPE_QUANTITIES as SHAPE_QUANTITIES,
    SIGMA_QUANTITIES as SIGMA_QUANTITIES,
    SOLID_QUANTITIES as SOLID_QUANTITIES,
    TEXT_QUANTITIES as TEXT_QUANTITIES,
    Units as Units,
    base_quantity as base_quantity,
    mass_unit_of_weight as mass_unit_of_weight,
    parse_unit_system as parse_unit_system,
    quantity_dimension as quantity_dimension,
)
from massprops_cli.tables.columns.cell_parts import (
    columns_sharing_cell as columns_sharing_cell,
    split_tuple_columns as split_tuple_columns,
    table_without_views as table_without_views,
)
from massprops_cli.tables.columns.column_units import (
    UNIT_GROUPS as UNIT_GROUPS,
    RowUnits as RowUnits,
)
from massprops_cli.tables.columns.columns import (
    QuantityColumn as QuantityColumn,
    TableColumns as TableColumns,
    UnitRewrite as UnitRewrite,
    converted_cell_edits as converted_cell_edits,
    read_columns as read_columns,
    row_unit_columns as row_unit_columns,
    show_solid_columns as show_solid_columns,
    sign_coordinates as sign_coordinates,
    synonym_source as synonym_source,
    synonym_sources as synonym_sources,
    unit_cell_edits as unit_cell_edits,
    unit_rewrite_edit as unit_rewrite_edit,
    units_row_edits as units_row_edits,
)
from massprops_cli.tables.columns.header import (
    column_by_reference as column_by_reference,
    columns_by_reference as columns_by_reference,
    find_header_row as find_header_row,
)
from massprops_cli.tables.columns.headings import (
    EXACT_MATCH as EXACT_MATCH,
    column_command_name as column_command_name,
    heading_unit as heading_unit,
    is_header_like as is_header_like,
    is_percent_unit as is_percent_unit,
    is_quantity_like as is_quantity_like,
    read_heading as read_heading,
    squeeze_text as squeeze_text,
)
from massprops_cli.tables.columns.inferred_columns import (
    MASS_UNIT_SIZES as MASS_UNIT_SIZES,
    SIZE_TOLERANCE as SIZE_TOLERANCE,
)
from massprops_cli.tables.columns.pose_headings import (
    ANGLE_UNITS as ANGLE_UNITS,
    POSE_ROTATIONS as POSE_ROTATIONS,
    angle_unit as angle_unit,
    split_heading_unit as split_heading_unit,
)
from massprops_cli.tables.columns.sigma_columns import (
    UNKNOWN_CODE as UNKNOWN_CODE,
    distribution_spellings as distribution_spellings,
    method_percentages as method_percentages,
    method_spellings as method_spellings,
    percent_rows as percent_rows,
    read_percent_column as read_percent_column,
    word_codes as word_codes,
)
from massprops_cli.tables.columns.table_location import (
    find_table as find_table,
)
from massprops_cli.tables.columns.unread_columns import (
    mapping_commands as mapping_commands,
    nearest_quantity as nearest_quantity,
    unread_number_findings as unread_number_findings,
)
from massprops_cli.tables.layouts.detection import (
    read_hierarchy as read_hierarchy,
    tree_findings as tree_findings,
)
from massprops_cli.tables.layouts.layout_output import (
    hierarchy_rows as hierarchy_rows,
    layout_rows as layout_rows,
)
from massprops_cli.tables.layouts.levels import (
    level_columns as level_columns,
)
from massprops_cli.tables.layouts.tree_file import (
    attach_tree as attach_tree,
)
from massprops_cli.tables.options import (
    DEFAULT_ALLOWED_MISSING as DEFAULT_ALLOWED_MISSING,
    MADE_ROOT as MADE_ROOT,
    OPTIONAL_SETS as OPTIONAL_SETS,
    TableOptions as TableOptions,
    combine_allowed_missing as combine_allowed_missing,
    parse_allowed_missing as parse_allowed_missing,
)
from massprops_cli.tables.rows.excluded_rows import (
    downgrade_excluded_row_findings as downgrade_excluded_row_findings,
    exclude_non_item_rows as exclude_non_item_rows,
)
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT as NO_PARENT,
    Hierarchy as Hierarchy,
    empty_hierarchy as empty_hierarchy,
    folded_text as folded_text,
    unused_id as unused_id,
)
from massprops_cli.tables.rows.row_filter import (
    filter_hierarchy as filter_hierarchy,
    read_row_condition as read_row_condition,
)
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS as FULL_SCAN_ROWS,
    TotalRow as TotalRow,
    label_word_positions as label_word_positions,
)
