from massprops_cli.files.workbook.reader import (
    read_workbook as read_workbook,
)
