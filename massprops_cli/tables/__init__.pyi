from massprops_cli.tables.cells.flags import (
    TruthValues as TruthValues,
)
from massprops_cli.tables.cells.flags import (
    read_piece_counts as read_piece_counts,
)
from massprops_cli.tables.cells.flags import (
    read_signs as read_signs,
)
from massprops_cli.tables.cells.flags import (
    read_truth_values as read_truth_values,
)
from massprops_cli.tables.cells.flags import (
    sign_fault as sign_fault,
)
from massprops_cli.tables.cells.flags import (
    truth_value_fault as truth_value_fault,
)
from massprops_cli.tables.cells.number_faults import (
    displayed_text as displayed_text,
)
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS as BLANK_CHARACTERS,
)
from massprops_cli.tables.cells.number_text import (
    NUMBER_PATTERN as NUMBER_PATTERN,
)
from massprops_cli.tables.cells.number_text import (
    CellRules as CellRules,
)
from massprops_cli.tables.cells.number_text import (
    decimal_readings as decimal_readings,
)
from massprops_cli.tables.cells.number_text import (
    is_placeholder as is_placeholder,
)
from massprops_cli.tables.cells.number_text import (
    measure_factor as measure_factor,
)
from massprops_cli.tables.cells.number_text import (
    read_number as read_number,
)
from massprops_cli.tables.cells.number_text import (
    split_cell_text as split_cell_text,
)
from massprops_cli.tables.cells.numbers import (
    SEPARATORS_READ as SEPARATORS_READ,
)
from massprops_cli.tables.cells.numbers import (
    ParsedColumn as ParsedColumn,
)
from massprops_cli.tables.cells.numbers import (
    cell_measure as cell_measure,
)
from massprops_cli.tables.cells.numbers import (
    half_unit_of_cell as half_unit_of_cell,
)
from massprops_cli.tables.cells.numbers import (
    has_decimal_comma as has_decimal_comma,
)
from massprops_cli.tables.cells.numbers import (
    parse_column as parse_column,
)
from massprops_cli.tables.cells.numbers import (
    reject_placeholders as reject_placeholders,
)
from massprops_cli.tables.cells.numbers import (
    rejected_cell_fault as rejected_cell_fault,
)
from massprops_cli.tables.cells.numbers import (
    split_quantity_text as split_quantity_text,
)
from massprops_cli.tables.cells.total_labels import (
    label_kind as label_kind,
)
from massprops_cli.tables.cells.unit_text import (
    INERTIA as INERTIA,
)
from massprops_cli.tables.cells.unit_text import (
    KILOGRAM as KILOGRAM,
)
from massprops_cli.tables.cells.unit_text import (
    LENGTH as LENGTH,
)
from massprops_cli.tables.cells.unit_text import (
    MASS as MASS,
)
from massprops_cli.tables.cells.unit_text import (
    METRE as METRE,
)
from massprops_cli.tables.cells.unit_text import (
    SIMPLE_UNITS as SIMPLE_UNITS,
)
from massprops_cli.tables.cells.unit_text import (
    Unit as Unit,
)
from massprops_cli.tables.cells.unit_text import (
    ambiguous_unit as ambiguous_unit,
)
from massprops_cli.tables.cells.unit_text import (
    read_unit as read_unit,
)
from massprops_cli.tables.cells.unit_text import (
    unit_of_dimension as unit_of_dimension,
)
from massprops_cli.tables.cells.units import (
    BOUNDS as BOUNDS,
)
from massprops_cli.tables.cells.units import (
    CENTER_COLUMNS as CENTER_COLUMNS,
)
from massprops_cli.tables.cells.units import (
    GROWTH_MASSES as GROWTH_MASSES,
)
from massprops_cli.tables.cells.units import (
    NUMBER_QUANTITIES as NUMBER_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    NUMERIC_TEXT_QUANTITIES as NUMERIC_TEXT_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    OUTPUT_PREFIXES as OUTPUT_PREFIXES,
)
from massprops_cli.tables.cells.units import (
    QUANTITIES as QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    ROW_TOTAL_QUANTITIES as ROW_TOTAL_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    SIGMA_QUANTITIES as SIGMA_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    TEXT_QUANTITIES as TEXT_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    Units as Units,
)
from massprops_cli.tables.cells.units import (
    base_quantity as base_quantity,
)
from massprops_cli.tables.cells.units import (
    mass_unit_of_weight as mass_unit_of_weight,
)
from massprops_cli.tables.cells.units import (
    parse_unit_system as parse_unit_system,
)
from massprops_cli.tables.cells.units import (
    quantity_dimension as quantity_dimension,
)
from massprops_cli.tables.columns.column_units import (
    UNIT_GROUPS as UNIT_GROUPS,
)
from massprops_cli.tables.columns.column_units import (
    RowUnits as RowUnits,
)
from massprops_cli.tables.columns.columns import (
    QuantityColumn as QuantityColumn,
)
from massprops_cli.tables.columns.columns import (
    TableColumns as TableColumns,
)
from massprops_cli.tables.columns.columns import (
    UnitRewrite as UnitRewrite,
)
from massprops_cli.tables.columns.columns import (
    converted_cell_edits as converted_cell_edits,
)
from massprops_cli.tables.columns.columns import (
    read_columns as read_columns,
)
from massprops_cli.tables.columns.columns import (
    row_unit_columns as row_unit_columns,
)
from massprops_cli.tables.columns.columns import (
    synonym_source as synonym_source,
)
from massprops_cli.tables.columns.columns import (
    synonym_sources as synonym_sources,
)
from massprops_cli.tables.columns.columns import (
    unit_cell_edits as unit_cell_edits,
)
from massprops_cli.tables.columns.columns import (
    unit_rewrite_edit as unit_rewrite_edit,
)
from massprops_cli.tables.columns.columns import (
    units_row_edits as units_row_edits,
)
from massprops_cli.tables.columns.header import (
    column_by_reference as column_by_reference,
)
from massprops_cli.tables.columns.header import (
    columns_by_reference as columns_by_reference,
)
from massprops_cli.tables.columns.header import (
    find_header_row as find_header_row,
)
from massprops_cli.tables.columns.headings import (
    EXACT_MATCH as EXACT_MATCH,
)
from massprops_cli.tables.columns.headings import (
    heading_unit as heading_unit,
)
from massprops_cli.tables.columns.headings import (
    is_header_like as is_header_like,
)
from massprops_cli.tables.columns.headings import (
    is_percent_unit as is_percent_unit,
)
from massprops_cli.tables.columns.headings import (
    is_quantity_like as is_quantity_like,
)
from massprops_cli.tables.columns.headings import (
    read_heading as read_heading,
)
from massprops_cli.tables.columns.headings import (
    squeeze_text as squeeze_text,
)
from massprops_cli.tables.columns.inferred_columns import (
    MASS_UNIT_SIZES as MASS_UNIT_SIZES,
)
from massprops_cli.tables.columns.inferred_columns import (
    SIZE_TOLERANCE as SIZE_TOLERANCE,
)
from massprops_cli.tables.columns.sigma_columns import (
    UNKNOWN_CODE as UNKNOWN_CODE,
)
from massprops_cli.tables.columns.sigma_columns import (
    distribution_spellings as distribution_spellings,
)
from massprops_cli.tables.columns.sigma_columns import (
    method_percentages as method_percentages,
)
from massprops_cli.tables.columns.sigma_columns import (
    method_spellings as method_spellings,
)
from massprops_cli.tables.columns.sigma_columns import (
    percent_rows as percent_rows,
)
from massprops_cli.tables.columns.sigma_columns import (
    read_percent_column as read_percent_column,
)
from massprops_cli.tables.columns.sigma_columns import (
    word_codes as word_codes,
)
from massprops_cli.tables.columns.table_location import (
    find_table as find_table,
)
from massprops_cli.tables.columns.tuples import (
    columns_sharing_cell as columns_sharing_cell,
)
from massprops_cli.tables.columns.tuples import (
    merge_tuple_parts as merge_tuple_parts,
)
from massprops_cli.tables.columns.tuples import (
    split_tuple_columns as split_tuple_columns,
)
from massprops_cli.tables.columns.tuples import (
    table_without_views as table_without_views,
)
from massprops_cli.tables.columns.unread_columns import (
    mapping_commands as mapping_commands,
)
from massprops_cli.tables.columns.unread_columns import (
    nearest_quantity as nearest_quantity,
)
from massprops_cli.tables.columns.unread_columns import (
    unread_number_findings as unread_number_findings,
)
from massprops_cli.tables.layouts.detection import (
    read_hierarchy as read_hierarchy,
)
from massprops_cli.tables.layouts.layout_output import (
    hierarchy_rows as hierarchy_rows,
)
from massprops_cli.tables.layouts.layout_output import (
    layout_rows as layout_rows,
)
from massprops_cli.tables.layouts.levels import (
    level_columns as level_columns,
)
from massprops_cli.tables.layouts.tree_findings import (
    tree_findings as tree_findings,
)
from massprops_cli.tables.options import (
    DEFAULT_ALLOWED_MISSING as DEFAULT_ALLOWED_MISSING,
)
from massprops_cli.tables.options import (
    LAYOUTS as LAYOUTS,
)
from massprops_cli.tables.options import (
    OPTIONAL_SETS as OPTIONAL_SETS,
)
from massprops_cli.tables.options import (
    TableOptions as TableOptions,
)
from massprops_cli.tables.options import (
    combine_allowed_missing as combine_allowed_missing,
)
from massprops_cli.tables.options import (
    parse_allowed_missing as parse_allowed_missing,
)
from massprops_cli.tables.rows.excluded_rows import (
    downgrade_excluded_row_findings as downgrade_excluded_row_findings,
)
from massprops_cli.tables.rows.excluded_rows import (
    exclude_non_item_rows as exclude_non_item_rows,
)
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT as NO_PARENT,
)
from massprops_cli.tables.rows.hierarchy import (
    Hierarchy as Hierarchy,
)
from massprops_cli.tables.rows.hierarchy import (
    HierarchyReading as HierarchyReading,
)
from massprops_cli.tables.rows.ids import (
    folded_text as folded_text,
)
from massprops_cli.tables.rows.row_filter import (
    filter_hierarchy as filter_hierarchy,
)
from massprops_cli.tables.rows.row_filter import (
    read_row_condition as read_row_condition,
)
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS as FULL_SCAN_ROWS,
)
from massprops_cli.tables.rows.total_rows import (
    TotalRow as TotalRow,
)
from massprops_cli.tables.rows.total_rows import (
    label_word_positions as label_word_positions,
)
