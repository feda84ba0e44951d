from massprops_cli.files.atomic_files import (
    atomic_file as atomic_file,
)
from massprops_cli.files.encoding import (
    escape_formula as escape_formula,
)
from massprops_cli.files.json_records import (
    is_json_number_column as is_json_number_column,
)
from massprops_cli.files.options import (
    FILE_FORMATS as FILE_FORMATS,
)
from massprops_cli.files.options import (
    MULTI_TABLE_FORMATS as MULTI_TABLE_FORMATS,
)
from massprops_cli.files.options import (
    REPORT_FORMATS as REPORT_FORMATS,
)
from massprops_cli.files.options import (
    FileOptions as FileOptions,
)
from massprops_cli.files.options import (
    ReadCaps as ReadCaps,
)
from massprops_cli.files.reader import (
    read_file_table as read_file_table,
)
from massprops_cli.files.table import (
    BLANK as BLANK,
)
from massprops_cli.files.table import (
    TEXT as TEXT,
)
from massprops_cli.files.table import (
    CodedTexts as CodedTexts,
)
from massprops_cli.files.table import (
    ColumnNumbers as ColumnNumbers,
)
from massprops_cli.files.table import (
    GridTable as GridTable,
)
from massprops_cli.files.table import (
    PrefetchTable as PrefetchTable,
)
from massprops_cli.files.table import (
    SheetInfo as SheetInfo,
)
from massprops_cli.files.table import (
    Table as Table,
)
from massprops_cli.files.table import (
    TableSource as TableSource,
)
from massprops_cli.files.table_edit import (
    AddedColumn as AddedColumn,
)
from massprops_cli.files.table_edit import (
    ColumnEdit as ColumnEdit,
)
from massprops_cli.files.table_edit import (
    TableEdit as TableEdit,
)
from massprops_cli.files.table_edit import (
    edit_value_texts as edit_value_texts,
)
from massprops_cli.files.table_edit import (
    edited_column_texts as edited_column_texts,
)
from massprops_cli.files.table_edit import (
    has_filled_numbers as has_filled_numbers,
)
from massprops_cli.files.table_edit import (
    shortest_number_text as shortest_number_text,
)
from massprops_cli.files.table_view import (
    EditedTable as EditedTable,
)
from massprops_cli.files.table_view import (
    TableView as TableView,
)
from massprops_cli.files.table_view import (
    edit_with_file_names as edit_with_file_names,
)
from massprops_cli.files.table_view import (
    file_table as file_table,
)
from massprops_cli.files.workbook.cells import (
    cell_position as cell_position,
)
from massprops_cli.files.workbook.editor import (
    SheetEdit as SheetEdit,
)
from massprops_cli.files.workbook.editor import (
    edit_workbook as edit_workbook,
)
from massprops_cli.files.workbook.package import (
    OWN_MARK as OWN_MARK,
)
from massprops_cli.files.workbook.sheet_xml import (
    LONGEST_TEXT as LONGEST_TEXT,
)
from massprops_cli.files.workbook.sheet_xml import (
    CellComment as CellComment,
)
from massprops_cli.files.workbook.sheet_xml import (
    CellLook as CellLook,
)
from massprops_cli.files.workbook.sheet_xml import (
    CellValue as CellValue,
)
from massprops_cli.files.workbook.sheet_xml import (
    OutputSheet as OutputSheet,
)
from massprops_cli.files.workbook.sheet_xml import (
    SheetsFor as SheetsFor,
)
from massprops_cli.files.workbook.sheets import (
    SAMPLES_HEAD as SAMPLES_HEAD,
)
from massprops_cli.files.workbook.sheets import (
    SAMPLES_SHEET as SAMPLES_SHEET,
)
from massprops_cli.files.workbook.writer import (
    new_workbook as new_workbook,
)
from massprops_cli.files.workbook.writer import (
    table_sheet as table_sheet,
)
from massprops_cli.files.writer import (
    write_table as write_table,
)
