from massprops_cli.reports.formats.code_hosts import (
    escape_comment_cell as escape_comment_cell,
)
