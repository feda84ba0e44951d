from massprops_cli.tables.layouts.levels import (
    top_level_rows as top_level_rows,
)
