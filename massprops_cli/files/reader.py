"""Reading a table from a file of any format; which program's report a file is."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from massprops_cli._front import room_function
from massprops_cli.files import options as file_options
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    Place,
    Severity,
    TableError,
    nearest_name_hint,
    rule_finding,
)

if TYPE_CHECKING:
    from massprops_cli.files.parts_report import ReportTable

    Reader = Callable[[str, bytes, file_options.FileOptions, bool, Findings], ReportTable]
    from massprops_cli.files.delimited_records import FileBytes

    _Content = bytes | memoryview | FileBytes

_COMMENTS = rb"(?s)<!--.*?-->|<\?.*?\?>"  # "<!-- … -->" and "<?xml … ?>"
_DOCUMENT_TYPE = rb"(?s)<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>"  # "<!DOCTYPE … [ … ]>"
_ROOT = rb"\s*<(?:\w+:)?([^\W\d]\w*)"  # "<robot", "<ns:cpacs": the name without prefix
_ROBOT = rb"<(robot|sdf|gazebo)[\s/>]"  # the same after other text
_TITLE = re.compile(rb"^[ \t]*Mass properties of[ \t]+\S", re.MULTILINE)
"""Title of SolidWorks: "Mass properties of bracket"."""
_MASS = rb"(?m)^[ \t]*Mass[^=\n]{0,40}=[ \t]*[\d.]"  # its mass: "Mass = 1.5", "Mass (user-overridden) = 1.5"
_ROOTS = {
    b"fdm_config": "jsbsim", b"mass_balance": "jsbsim", b"FASTOAD_model": "fastoad", b"cpacs": "cpacs",
    b"openrocket": "openrocket", b"robot": "urdf", b"sdf": "sdf", b"gazebo": "sdf", b"mujoco": "mjcf",
}  # fmt: skip
_AVL_UNIT = re.compile(rb"^[ \t]*[LM]unit[ \t]*=[ \t]*[\d.]", re.MULTILINE)  # "Lunit = 0.0254"
_OPENVSP_TITLE = re.compile(rb"^\.\.\.Mass Properties\.\.\.", re.MULTILINE)  # "...Mass Properties..."
_NAMES_COMPARED = 2_000  # names of a folder that are compared with that of a missing file
_FOREIGN_REMEDIES = {
    "a SQLite database": "export the table as csv, for instance with sqlite3 -header -csv",
    "a STEP file": "export a list of parts with their masses from the CAD program, as csv or xlsx",
}
_MESHES = (".stl", ".obj", ".ply", ".off", ".3mf", ".glb", ".gltf", ".dae")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_DIRECTORY_BYTES = 2**20  # end of an archive that is searched for names of its directory


def _report_format(head: bytes, expected: str = "") -> str:
    """Recognise another program's report by its first bytes; AVL and OpenRocket only where they are expected."""
    if head.startswith((b"#usda", b"PXR-USDC")):
        return "usd"
    if (text := _plain_head(head)).lstrip()[:1] == b"<" or expected in ("sdf", "urdf"):
        # a file with a document type is rejected by its reader
        elements = re.sub(_DOCUMENT_TYPE, b"", re.sub(_COMMENTS, b"", text))
        root = re.match(_ROOT, elements) or (re.search(_ROBOT, elements) if expected in ("sdf", "urdf") else None)
        return _ROOTS.get(root.group(1), "") if root else ""
    if expected == "openrocket" and text.startswith(b"PK"):
        return expected
    if _OPENVSP_TITLE.search(text):
        return "openvsp"
    if _AVL_UNIT.search(text) or (expected == "avl" and b"\0" not in text):
        return "avl"
    return "solidworks-report" if _TITLE.search(text) and re.search(_MASS, text) else ""


def _unread_xml_reason(head: bytes) -> str:
    """Return why XML is not read."""
    if (text := _plain_head(head)).lstrip()[:1] != b"<" or _report_format(head) or re.search(_MARKDOWN_RULE, text):
        return ""
    if (root := re.match(_ROOT, re.sub(_DOCUMENT_TYPE, b"", re.sub(_COMMENTS, b"", text)))) is None:
        return "XML without a root element" if text.lstrip()[:2] in (b"<?", b"<!") else ""
    return f"XML of an unknown kind: its root element is {root.group(1).decode('utf-8', 'replace')}"


def _plain_head(head: bytes) -> bytes:
    """Return the first bytes of a text without byte order mark, and without the zeros of UTF-16."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    return text[2:].replace(b"\0", b"") if text[:2] in (b"\xff\xfe", b"\xfe\xff") else text


_READERS = {
    "avl": ("massprops_cli.files.importers.avl", "read_avl"),
    "cpacs": ("massprops_cli.files.importers.cpacs", "read_cpacs"),
    "fastoad": ("massprops_cli.files.importers.fastoad", "read_fastoad"),
    "jsbsim": ("massprops_cli.files.importers.jsbsim", "read_jsbsim"),
    "mjcf": ("massprops_cli.robots.mjcf.mjcf_model", "read_mjcf"),
    "openrocket": ("massprops_cli.files.importers.openrocket", "read_openrocket"),
    "openvsp": ("massprops_cli.files.importers.openvsp", "read_openvsp"),
    "sdf": ("massprops_cli.robots.sdf.sdf_table", "read_sdf"),
    "solidworks-report": ("massprops_cli.files.importers.solidworks", "read_solidworks"),
    "urdf": ("massprops_cli.robots.urdf", "read_urdf"),
    "usd": ("massprops_cli.robots.usd", "read_usd"),
}
"""Format → module and function of its reader; robots are a room above this one."""

_LooksLikeTable = Callable[[Sequence[str]], bool]
_LARGE_FILE_BYTES = 2**22  # files from here on are opened, and read in parts
_HEAD_BYTES = 2**16  # bytes that identify a format
_MARKDOWN_RULE = rb"(?m)^(?:> ?|\s)*\|(?:\s*:?-{3,}:?\s*\|)+\s*$"  # |---|---:|, > |---|
_PACKED_BLOCK, _INFLATED_BLOCK = 2**20, 2**24  # bytes read, and at most inflated, in one go
_RATIO_BYTES = 2**24  # uncompressed bytes from which on the compression ratio is checked


def read_file_table(
    name: str,
    options: file_options.FileOptions | None,
    stdin: BinaryIO | None,
    findings: Findings,
    *,
    looks_like_table: _LooksLikeTable | None = None,
) -> Table:
    """Read the table of a file."""
    options = options or file_options.FileOptions()
    is_stream = stdin is not None or name == "-" or not Path(name).is_file()
    state = None if is_stream else _file_state(name)
    data = _file_content(name, stdin)
    packed = bytes(data) if is_stream else None
    if compressed := file_options.content_format(bytes(data[:600])) == "gzip":
        data = _inflated_content(name, data, options.caps)
    format = _resolve_format(name, data, options, findings)
    if format in file_options.TEXT_FORMATS and len(data) > options.caps.text_cell_characters:
        from massprops_cli.files.encoding import check_field_lengths

        check_field_lengths(name, data, options.caps.text_cell_characters)
    if format in file_options.SPREADSHEET_FORMATS:
        from massprops_cli.files.workbook.xlsx import read_workbook

        given = bytes(data) if compressed or is_stream else Path(name)
        try:
            table = read_workbook(name, given, format, options, looks_like_table, findings)
        finally:
            _check_unchanged(name, state)
    elif format in ("json", "jsonl"):
        from massprops_cli.files.json_records import read_records

        table = read_records(name, bytes(data), format, options, compressed, findings)
    elif format in file_options.IMPORTED_FORMATS:
        read: Reader = room_function(*_READERS[format])
        table = read(name, bytes(data), options, compressed, findings)
    elif format == "md":
        from massprops_cli.files.json_records import read_markdown

        table = read_markdown(name, bytes(data), options, compressed, looks_like_table, findings)
    elif format in ("parquet", "feather"):
        from massprops_cli.files.arrow import read_arrow

        table = read_arrow(name, bytes(data), format, options, findings)
    else:
        from massprops_cli.files.delimited_text import read_delimited

        table = read_delimited(name, data, format, options, compressed, findings)
    if table.n_columns > options.caps.columns:
        what = f"table has {table.n_columns:,} columns"
        raise file_options.cap_error(name, what, "columns", options.caps.columns, table.source.sheet, table.n_columns)
    if is_stream and table.source.content is None:
        table.source = replace(table.source, content=packed)
    return table


def _check_unchanged(name: str, state: tuple[int, int, int] | None) -> None:
    """Reject a file that was changed since its state; its own faults then mean nothing."""
    if state is not None and _file_state(name) != state:
        message = "file was changed while it was read"
        remedy = "run the command again when the other program has written the file"
        raise TableError([rule_finding("MP101", message, Place(name), remedy=remedy)]) from None


def _file_state(name: str) -> tuple[int, int, int] | None:
    """Return what changes when a file is written; None if it does not exist."""
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _file_content(name: str, stdin: BinaryIO | None) -> _Content:
    """Return the bytes of a file; a large file is opened, and read when its format is known."""
    if stdin is not None:
        data: _Content = stdin.read()
    elif name == "-":
        raise TableError([rule_finding("MP101", "standard input is not available", Place(name))])
    else:
        try:
            with Path(name).open("rb") as file:
                size = file.seek(0, 2) if file.seekable() else 0
                if size >= _LARGE_FILE_BYTES:
                    from massprops_cli.files.delimited_records import FileBytes

                    data = FileBytes(name)
                else:
                    if file.seekable():
                        file.seek(0)
                    data = file.read()
        except FileNotFoundError:
            raise TableError([rule_finding("MP101", _missing_file_text(name), Place(name))]) from None
        except IsADirectoryError:
            raise TableError([rule_finding("MP101", "path is a folder, not a file", Place(name))]) from None
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise TableError([rule_finding("MP101", f"file cannot be read: {reason}", Place(name))]) from None
    if not len(data):
        raise TableError([rule_finding("MP111", "file is empty", Place(name))])
    return data


def _missing_file_text(name: str) -> str:
    """Return the message for a file that does not exist, with the nearest name of its folder."""
    import itertools

    path = Path(name)
    try:
        names = [entry.name for entry in itertools.islice(path.parent.iterdir(), _NAMES_COMPARED) if entry.is_file()]
    except OSError:
        return "file does not exist"
    if not (hint := nearest_name_hint(path.name, names)):
        return "file does not exist"
    head, is_, near = hint.rpartition(" is ")
    return f"file does not exist{head}{is_}{path.parent / near}"


def _inflated_content(name: str, data: _Content, caps: file_options.ReadCaps) -> memoryview:
    """Uncompress all members of a gzip file up to the limit."""
    packed, held, inflated = memoryview(bytes(data)), b"", bytearray()
    at, member = 0, zlib.decompressobj(31)
    try:
        while held or at < len(packed) or not member.eof:
            if not held:
                held, at = bytes(packed[at : at + _PACKED_BLOCK]), at + _PACKED_BLOCK
            if member.eof:
                # zeros may fill up what follows a member
                if not (held := held.lstrip(b"\0")):
                    continue
                member = zlib.decompressobj(31)
            if not (part := member.decompress(held, _INFLATED_BLOCK)) and not held and not member.eof:
                raise TableError([rule_finding("MP104", "gzip file is truncated", Place(name))])
            held = member.unused_data if member.eof else member.unconsumed_tail
            inflated += part
            if (size := len(inflated)) > caps.inflated:
                message = f"uncompressed size is more than {caps.inflated:,} bytes"
                raise TableError([file_options.cap_finding(message, Place(name), "inflated", 2 * caps.inflated)])
            ratio = size // max(min(at, len(packed)) - len(held), 1)
            if size > _RATIO_BYTES and ratio > caps.ratio:
                raise file_options.cap_error(
                    name, f"compression ratio is {ratio}", "ratio", caps.ratio, needed=2 * ratio
                )
    except zlib.error:
        raise TableError([rule_finding("MP104", "gzip file is corrupt", Place(name))]) from None
    if not inflated:
        raise TableError([rule_finding("MP111", "file is empty", Place(name))])
    return memoryview(inflated).toreadonly()


def _resolve_format(name: str, data: _Content, options: file_options.FileOptions, findings: Findings) -> str:
    """Return the format: that of the options, else that of the content, else that of the suffix."""
    head = bytes(data[:_HEAD_BYTES])
    suffix = file_options.suffix_format(name)[0] if name != "-" else ""
    if (expected := options.format or suffix) and expected not in file_options.FILE_FORMATS:
        raise TableError([_unknown_format_finding(f"input format is unknown: {expected}", name, head)])
    if (report := _report_format(head, expected)) and options.format in ("", report):
        return report
    _reject_unread_xml(name, head, expected)
    if not options.format and name.lower().endswith(_MESHES):
        remedy = "massprops parts shape FILE mesh-units=mm 'density=2700 kg/m3' writes its row of a table"
        raise TableError([rule_finding("MP105", "file is a mesh, not a table", Place(name), remedy=remedy)])
    head = head[:4096]
    if (seen := file_options.content_format(head)).startswith(("a ", "an ")):
        contrast = f", not {expected}" if expected else ""
        remedy = _FOREIGN_REMEDIES.get(seen, "export the table as csv or xlsx in the program that wrote the file")
        message = f"file is {seen}{contrast}"
        raise TableError([rule_finding("MP103", message, Place(name), remedy=remedy, severity=Severity.ERROR)])
    if options.format in file_options.IMPORTED_FORMATS:
        message = f"file is not a report of the format {options.format}"
        raise TableError([rule_finding("MP103", message, Place(name), severity=Severity.ERROR)])
    family = {"zip": ("xlsx", "xlsm", "xlsb", "ods"), "cfb": ("xls",), "parquet": ("parquet",), "feather": ("feather",)}
    fits = family.get(seen, file_options.TEXT_FORMATS)
    if expected in fits or (seen == "cfb" and expected in file_options.SPREADSHEET_FORMATS):
        return expected
    if options.format:
        what = {"zip": "a zip archive", "cfb": "an xls workbook"}.get(seen, seen) or "text"
        raise TableError(
            [rule_finding("MP103", f"file is {what}, not {expected}", Place(name), severity=Severity.ERROR)]
        )
    if not seen and not expected and b"\0" in head and not head.startswith(_UTF16_MARKS):
        raise TableError([_unknown_format_finding("format cannot be identified from the content", name, head)])
    actual = _zip_format(data) if seen == "zip" else _text_format(head) if not seen else fits[0]
    if not expected:
        return actual
    # text under a binary name: only content that is clearly a table is read as one
    if not seen and b"\0" in head:
        raise TableError([rule_finding("MP104", f"file is not {expected}; it is truncated or corrupt", Place(name))])
    remedy = f"rename the file, or state the format with --from {actual}"
    findings.report("MP103", f"file is {actual}, not {expected}", Place(name), remedy=remedy)
    return actual


def _reject_unread_xml(name: str, head: bytes, expected: str) -> None:
    """Reject XML that is not read, by its kind, and other text under the name of a robot."""
    reason = _unread_xml_reason(head)
    is_robot = expected in ("sdf", "urdf") and not file_options.content_format(head) and not _report_format(head)
    if is_robot and _plain_head(head).lstrip()[:1] != b"<":
        message = f"file is not {expected}: it does not begin with <"
        remedy = "pass --from csv if the file is a table"
        raise TableError([rule_finding("MP104", message, Place(name), remedy=remedy)])
    if reason and not file_options.content_format(head).endswith("HTML page"):
        remedy = "export the masses as a table in csv or xlsx, with the columns id, parent and mass"
        raise TableError([rule_finding("MP105", reason, Place(name), remedy=remedy)])


def _unknown_format_finding(message: str, name: str, head: bytes) -> Finding:
    """Report an unknown format, with the option for the format that the content resembles."""
    offered = f"state the format with --from {_text_format(head[:4096])}; " if head[:4096].isascii() else ""
    remedy = f"{offered}the formats are {', '.join(file_options.FILE_FORMATS)}"
    return rule_finding("MP105", message, Place(name), remedy=remedy)


def _zip_format(data: _Content) -> str:
    """Return the format of an archive by the names in its directory, which is at its end."""
    directory = bytes(data[-_DIRECTORY_BYTES:])
    head = bytes(data[:4096])
    if b"rocket.ork" in head:
        return "openrocket"
    if b"opendocument" in head:
        return "ods"
    if b"xl/workbook.bin" in directory:
        return "xlsb"
    return "xlsm" if b"xl/vbaProject.bin" in directory else "xlsx"


def _text_format(head: bytes) -> str:
    """Return ``json``, ``jsonl``, ``md``, ``tsv`` or ``csv``; a Markdown table has a rule of pipes and hyphens."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    line, _, rest = start.partition(b"\n")
    if start[:1] == b"{" and line.rstrip().endswith(b"}") and rest.lstrip()[:1] == b"{":
        return "jsonl"
    if start[:1] in (b"[", b"{"):
        return "json"
    if re.search(_MARKDOWN_RULE, head):
        return "md"
    return "tsv" if line.count(b"\t") > max(line.count(b","), line.count(b";")) else "csv"
