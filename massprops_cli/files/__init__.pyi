from massprops_cli.files.encoding import (
    escape_formula as escape_formula,
)
from massprops_cli.files.json_records import (
    is_json_number_column as is_json_number_column,
)
from massprops_cli.files.leftovers import collect_leftovers as collect_leftovers
from massprops_cli.files.markdown import escape_markdown as escape_markdown
from massprops_cli.files.meshes.mesh_file import (
    MeshFile as MeshFile,
    find_mesh as find_mesh,
    read_mesh as read_mesh,
)
from massprops_cli.files.options import (
    FILE_FORMATS as FILE_FORMATS,
    MULTI_TABLE_FORMATS as MULTI_TABLE_FORMATS,
    REPORT_FORMATS as REPORT_FORMATS,
    FileOptions as FileOptions,
    ReadCaps as ReadCaps,
    cap_remedy as cap_remedy,
    resolve_caps as resolve_caps,
    suffix_format as suffix_format,
)
from massprops_cli.files.parts_report import (
    is_xml_number as is_xml_number,
)
from massprops_cli.files.reader import (
    read_file_table as read_file_table,
)
from massprops_cli.files.robots.collisions import (
    CollisionShape as CollisionShape,
)
from massprops_cli.files.robots.frames import (
    frame_matrix as frame_matrix,
)
from massprops_cli.files.robots.robot_model import (
    InertialTexts as InertialTexts,
    OriginTexts as OriginTexts,
    RobotJoint as RobotJoint,
    RobotLink as RobotLink,
    RobotModel as RobotModel,
)
from massprops_cli.files.robots.sdf import (
    SdfBody as SdfBody,
    SdfTable as SdfTable,
    read_sdf as read_sdf,
)
from massprops_cli.files.robots.sdf_files import (
    RobotFolders as RobotFolders,
)
from massprops_cli.files.robots.sdf_joints import (
    SdfJoint as SdfJoint,
    sdf_joints as sdf_joints,
)
from massprops_cli.files.robots.sdf_model import (
    RobotGeometry as RobotGeometry,
    SdfModel as SdfModel,
    SdfPose as SdfPose,
)
from massprops_cli.files.robots.sdf_poses import (
    SdfPoses as SdfPoses,
)
from massprops_cli.files.robots.sdf_robot import (
    massless_joints as massless_joints,
    sdf_robot as sdf_robot,
    table_inertial as table_inertial,
)
from massprops_cli.files.robots.urdf import (
    UrdfTable as UrdfTable,
)
from massprops_cli.files.robots.urdf_model import (
    read_urdf_model as read_urdf_model,
)
from massprops_cli.files.robots.xml_source import (
    SourceElement as SourceElement,
    parse_source as parse_source,
    utf8_source as utf8_source,
)
from massprops_cli.files.table import (
    BLANK as BLANK,
    TEXT as TEXT,
    AddedColumn as AddedColumn,
    CodedTexts as CodedTexts,
    ColumnEdit as ColumnEdit,
    ColumnNumbers as ColumnNumbers,
    GridTable as GridTable,
    PrefetchTable as PrefetchTable,
    SheetInfo as SheetInfo,
    Table as Table,
    TableEdit as TableEdit,
    TableSource as TableSource,
    edit_value_texts as edit_value_texts,
    edited_column_texts as edited_column_texts,
    has_filled_numbers as has_filled_numbers,
    shortest_number_text as shortest_number_text,
)
from massprops_cli.files.table_view import (
    EditedTable as EditedTable,
    TableView as TableView,
    edit_of_file as edit_of_file,
    edit_with_file_names as edit_with_file_names,
    file_table as file_table,
)
from massprops_cli.files.text_matching import (
    match_texts as match_texts,
)
from massprops_cli.files.workbook.cells import (
    cell_position as cell_position,
)
from massprops_cli.files.workbook.comments import (
    CellComment as CellComment,
)
from massprops_cli.files.workbook.editor import (
    SheetEdit as SheetEdit,
    edit_workbook as edit_workbook,
    own_sheet_texts as own_sheet_texts,
)
from massprops_cli.files.workbook.sheet_xml import (
    LONGEST_TEXT as LONGEST_TEXT,
    CellLook as CellLook,
    CellValue as CellValue,
    OutputSheet as OutputSheet,
    SheetsFor as SheetsFor,
)
from massprops_cli.files.workbook.sheets import (
    SAMPLES_HEAD as SAMPLES_HEAD,
    SAMPLES_SHEET as SAMPLES_SHEET,
)
from massprops_cli.files.workbook.writer import (
    new_workbook as new_workbook,
    table_sheet as table_sheet,
)
from massprops_cli.files.writer import (
    atomic_file as atomic_file,
    check_writable as check_writable,
    write_table as write_table,
)
