from massprops_cli.tables.rows.excluded_rows import (
    grand_total_row as grand_total_row,
    is_within_last_digit as is_within_last_digit,
    list_sum_rows as list_sum_rows,
    quantity_values as quantity_values,
    row_masses as row_masses,
)
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT as NO_PARENT,
    UNKNOWN_PARENT as UNKNOWN_PARENT,
    Hierarchy as Hierarchy,
    Index as Index,
    ItemIds as ItemIds,
    Rows as Rows,
    cell_place as cell_place,
    column_texts as column_texts,
    data_rows as data_rows,
    duplicate_id_findings as duplicate_id_findings,
    empty_hierarchy as empty_hierarchy,
    first_positions as first_positions,
    label_items as label_items,
    limited_findings as limited_findings,
    look_alike_findings as look_alike_findings,
    match_parents as match_parents,
    read_ids as read_ids,
    texts_of_rows as texts_of_rows,
    trim_ids as trim_ids,
    unused_id as unused_id,
)
from massprops_cli.tables.rows.indentation import (
    indentation_widths as indentation_widths,
    indented_column as indented_column,
)
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS as FULL_SCAN_ROWS,
    TotalRow as TotalRow,
    find_total_rows as find_total_rows,
    is_side_label as is_side_label,
    row_reference as row_reference,
    rows_named_by_options as rows_named_by_options,
)
