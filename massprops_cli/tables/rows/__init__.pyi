from massprops_cli.tables.rows.excluded_rows import (
    grand_total_row as grand_total_row,
)
from massprops_cli.tables.rows.excluded_rows import (
    is_within_last_digit as is_within_last_digit,
)
from massprops_cli.tables.rows.excluded_rows import (
    list_sum_rows as list_sum_rows,
)
from massprops_cli.tables.rows.excluded_rows import (
    quantity_values as quantity_values,
)
from massprops_cli.tables.rows.excluded_rows import (
    row_masses as row_masses,
)
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT as NO_PARENT,
)
from massprops_cli.tables.rows.hierarchy import (
    UNKNOWN_PARENT as UNKNOWN_PARENT,
)
from massprops_cli.tables.rows.hierarchy import (
    Hierarchy as Hierarchy,
)
from massprops_cli.tables.rows.hierarchy import (
    HierarchyReading as HierarchyReading,
)
from massprops_cli.tables.rows.hierarchy import (
    Index as Index,
)
from massprops_cli.tables.rows.hierarchy import (
    Rows as Rows,
)
from massprops_cli.tables.rows.hierarchy import (
    abbreviated_names as abbreviated_names,
)
from massprops_cli.tables.rows.hierarchy import (
    cell_place as cell_place,
)
from massprops_cli.tables.rows.hierarchy import (
    column_texts as column_texts,
)
from massprops_cli.tables.rows.hierarchy import (
    data_rows as data_rows,
)
from massprops_cli.tables.rows.hierarchy import (
    empty_hierarchy as empty_hierarchy,
)
from massprops_cli.tables.rows.hierarchy import (
    texts_of_rows as texts_of_rows,
)
from massprops_cli.tables.rows.ids import (
    ItemIds as ItemIds,
)
from massprops_cli.tables.rows.ids import (
    duplicate_id_findings as duplicate_id_findings,
)
from massprops_cli.tables.rows.ids import (
    first_positions as first_positions,
)
from massprops_cli.tables.rows.ids import (
    label_items as label_items,
)
from massprops_cli.tables.rows.ids import (
    limited_findings as limited_findings,
)
from massprops_cli.tables.rows.ids import (
    look_alike_findings as look_alike_findings,
)
from massprops_cli.tables.rows.ids import (
    match_parents as match_parents,
)
from massprops_cli.tables.rows.ids import (
    read_ids as read_ids,
)
from massprops_cli.tables.rows.ids import (
    trim_ids as trim_ids,
)
from massprops_cli.tables.rows.indentation import (
    indentation_widths as indentation_widths,
)
from massprops_cli.tables.rows.indentation import (
    indented_column as indented_column,
)
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS as FULL_SCAN_ROWS,
)
from massprops_cli.tables.rows.total_rows import (
    TotalRow as TotalRow,
)
from massprops_cli.tables.rows.total_rows import (
    find_total_rows as find_total_rows,
)
from massprops_cli.tables.rows.total_rows import (
    is_side_label as is_side_label,
)
