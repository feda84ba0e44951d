from massprops_cli.tables.columns.columns import (
    QuantityColumn as QuantityColumn,
    TableColumns as TableColumns,
    read_columns as read_columns,
)
from massprops_cli.tables.columns.header import (
    columns_by_reference as columns_by_reference,
)
from massprops_cli.tables.columns.headings import (
    column_command_name as column_command_name,
    column_reference as column_reference,
    group_header_words as group_header_words,
    is_command_text as is_command_text,
    map_option as map_option,
    read_heading as read_heading,
    squeeze_text as squeeze_text,
)
from massprops_cli.tables.columns.mass_roles import (
    is_heading_of_kind as is_heading_of_kind,
)
from massprops_cli.tables.columns.table_location import (
    find_table as find_table,
)
from massprops_cli.tables.columns.unread_columns import (
    layout_map_options as layout_map_options,
    mapping_commands as mapping_commands,
)
