"""Conditions of ``massprops.toml``, of a call, and of a sheet with a row an item and a column a condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from massprops_cli.bom import configuration_file
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.changed_table import find_named_item
from massprops_cli.bom.whatif_draft import split_assignment
from massprops_cli.files.options import SPREADSHEET_FORMATS, FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Findings, Place, UsageError, nearest_name_hint
from massprops_cli.loadings.model import CHANGE_KINDS, Change, Condition
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.units import unit_of_dimension
from massprops_cli.tables.options import StatedCondition, StatedKeys

ConditionSource = str | PathLike[str] | Mapping[str, Any] | None
"""A file or a sheet of conditions, conditions of a call as ``[condition.NAME]`` has them, or those of the table."""
EnvelopeSource = Sequence[str | PathLike[str] | Mapping[str, Any]]
"""Files with ``[[envelope]]``, and envelopes of a call as these have them."""
_MEASURED_NUMBER = re.compile(r"([^\s%]+)\s*(%|\S+)?")  # ``12 kg``, ``60 %``, ``3``
_HEADING = re.compile(
    r"(?P<name>.*?)(?:\s+(?P<word>qty|quantity|pieces|mass|fill))?\s*(?:[\[(](?P<unit>[^\])]*)[\])])?"
)
_KINDS_OF_WORDS = {"qty": "qty", "quantity": "qty", "pieces": "qty", "mass": "mass", "fill": "fill"}
_ID_HEADINGS = ("id", "item", "name", "part", "part number")
_ASSIGNMENTS = {"set": "ID.mass=2 kg", "scale": "ID.mass=1.1", "burn": "ID=12 kg", "move": "ID=PARENT"}
"""Kinds of changes that are texts with a value."""
_OFF, _ON = ("off", "x"), ("on",)  # words of cells


def read_conditions(bom: Bom, source: ConditionSource, findings: Findings) -> list[Condition]:
    """Read the conditions of a source, in its order; what is wrong with their values is in the findings."""
    if source is None:
        stated = bom.options.conditions
    elif isinstance(source, Mapping):
        stated = configuration_file.conditions_of_mapping(source)
    elif (name := fspath(source)).lower().endswith(".toml"):
        parts = configuration_file.configuration_parts(configuration_file.read_configuration_file(name))
        stated = {key: one for part in parts if not part.at for key, one in part.tables["condition"].items()}
    else:
        return _conditions_of_sheet(_sheet(bom, name, findings), bom, findings)
    return [_stated_condition(name, one, findings) for name, one in stated.items()]


def stated_envelopes(bom: Bom, source: ConditionSource, given: EnvelopeSource) -> list[StatedKeys]:
    """Return the envelopes of a call, files or mappings, of a toml file of conditions, else of the configuration."""
    found = [*configuration_file.envelopes_of_mappings([one for one in given if isinstance(one, Mapping)])]
    names = [fspath(one) for one in given if not isinstance(one, Mapping)]
    if isinstance(source, str | PathLike) and fspath(source).lower().endswith(".toml"):
        names.append(fspath(source))
    for name in dict.fromkeys(names):
        parts = configuration_file.configuration_parts(configuration_file.read_configuration_file(name))
        found += [one for part in parts if not part.at for one in part.tables["envelope"]]
    return found or [*bom.options.envelopes]


def _stated_condition(name: str, stated: StatedCondition, findings: Findings) -> Condition:
    """Read the values of a condition of a configuration file."""
    place = _toml_places(stated)
    changes = []
    for key, texts in stated.texts.items():
        for text in texts:
            at, kind = place(key, text), CHANGE_KINDS[key]
            try:
                item, value = _split_text(kind, text)
            except UsageError:
                message = f"{key} of condition {name} is not {_ASSIGNMENTS[kind]}: {text}"
                findings.report("MP632", message, at, value=text, remedy=f"write {_ASSIGNMENTS[kind]}")
                continue
            changes.append(Change(kind, item, value, at))
    for key, table in stated.tables.items():
        for item, value in table.items():
            changes.append(Change(CHANGE_KINDS[key], item, value, place(key, item)))
    order = list(dict.fromkeys(CHANGE_KINDS.values()))
    order = [
        *(kind for kind in order if kind not in ("off", "on")),
        "off",
        "on",
    ]  # a burned item may be dropped after it
    changes.sort(key=lambda one: order.index(one.kind))
    fills = [_read_fill(name, one, findings) if one.kind == "fill" else one for one in changes]
    own = tuple(one for one in fills if one is not None)
    return Condition(name, stated.base, own, place("base" if stated.base else "", stated.base), stated.step > 0)


def _split_text(kind: str, text: str) -> tuple[str, float | str | None]:
    """Split a change into the item, or the name of a cell, and its value, None for a kind without one."""
    if kind in ("set", "scale"):
        return split_assignment(text, kind)
    if kind not in _ASSIGNMENTS:
        return text.strip(), None
    item, _, value = (part.strip() for part in text.rpartition("="))
    if not item or not value:
        raise UsageError(text)
    number = read_number(value) if kind == "burn" else None
    return item, value if number is None else float(number)


def _read_fill(condition: str, change: Change, findings: Findings) -> Change | None:
    """Read a fill in percent of 0 to 100; anything else is a finding."""
    value = change.value
    text = str(value).strip()
    number = read_number(text.removesuffix("%").strip()) if isinstance(value, str | int | float) else None
    if number is None or not 0 <= float(number) <= 100 or isinstance(value, bool):
        message = f"fill of {change.item} in condition {condition} is not between 0 and 100 %: {text}"
        findings.report(
            "MP632", message, change.place, item=change.item, value=text, remedy="write a percentage from 0 to 100"
        )
        return None
    return change._replace(value=float(number))


def _toml_places(stated: StatedCondition) -> Callable[[str, str], Place]:
    """Return a function that finds the place of a text under a key of a condition, of the whole without a key."""
    if not Path(stated.path).is_file():  # of a call
        return lambda key, text: Place(stated.path)
    source = Path(stated.path).read_text(encoding="utf-8-sig")
    lines, found, step = source.splitlines(), dict[str, int](), 0
    starts: list[int] = []
    for line in configuration_file.toml_lines(source):
        starts.append(line.number)
        step += line.is_entry and line.table == stated.keys
        whole, n = (*line.table, *line.key), len(stated.keys)
        if whole[:n] == stated.keys and (not stated.step or step == stated.step):
            found.setdefault("".join(whole[n : n + 1]), line.number)

    def place(key: str, text: str) -> Place:
        """Find the first line with a text, from that of its key to the next key."""
        first = found.get(key) or found.get("", 0)
        ends = [number for number in starts if number > first] or [len(lines) + 1]
        last = len(lines) if key in ("pose", "deploy", "fill") else ends[0] - 1
        at = next((k for k in range(first, last + 1) if text and text in lines[k - 1]), first)
        return Place(stated.path, line=at or None)

    return place


def _sheet(bom: Bom, name: str, findings: Findings) -> Table:
    """Read a file of conditions, or a sheet of the workbook that the table is in."""
    source = bom.table.source
    if Path(name).is_file():
        return read_file_table(name, FileOptions(), None, findings)
    if source.format in SPREADSHEET_FORMATS and Path(source.name).is_file():
        return read_file_table(source.name, FileOptions(sheet=name), None, findings)
    raise UsageError(f"conditions are not a file, and not a sheet of {source.name}: {name}")


def _conditions_of_sheet(table: Table, bom: Bom, findings: Findings) -> list[Condition]:
    """Read a row an item and a column a condition, below the first row with two texts; ``base`` names bases."""
    # a blank cell is the table's state; other cells: _read_cell
    filled = (i for i in range(table.n_rows) if sum(bool(text.strip()) for text in table.row(i)) > 1)
    top = next(filled, None)
    if top is None:
        raise UsageError(
            f"sheet of conditions has no heading: {table.source.name} (expected id, and a column a condition)"
        )
    header = [text.strip() for text in table.row(top)]
    of_ids = next((j for j, text in enumerate(header) if text.lower() in _ID_HEADINGS), 0)
    columns = {j: _heading(text) for j, text in enumerate(header) if text and j != of_ids}
    changes: dict[str, list[Change]] = {name: [] for name, _, _ in columns.values()}
    for j in [j for j, one in columns.items() if one[:2] in [columns[i][:2] for i in columns if i < j]]:
        message = f"condition has two columns of one kind: {header[j]}"
        findings.report("MP633", message, table.place(top, j, header[j]), value=header[j])
    bases, rows = dict.fromkeys(changes, ("", Place())), dict[int, int]()
    for i in range(top + 1, table.n_rows):
        cells = [_shown_percentage(table, i, j, text.strip()) for j, text in enumerate(table.row(i))]
        label = cells[of_ids]
        if not label:
            continue
        if label.lower() == "base" and not bom.named_items(label) and label not in bom.ids:
            bases |= {columns[j][0]: (cells[j], table.place(i, j, header[j])) for j in columns if cells[j]}
            continue
        try:
            item = find_named_item(bom, label)
        except UsageError as error:
            findings.report("MP630", f"row of conditions: {error}", table.place(i, of_ids, header[of_ids]), value=label)
            continue
        if item in rows:
            message = f"item has two rows of conditions: {label} (first in row {rows[item] + 1})"
            findings.report("MP633", message, table.place(i, of_ids, header[of_ids]), item=bom.ids[item])
            continue
        rows[item] = i
        for j, (name, kind, unit) in columns.items():
            if cells[j]:
                place = table.place(i, j, header[j])
                change = _read_cell(bom, item, name, (cells[j], kind, unit), place, findings)
                changes[name] += [] if change is None else [change]
    first = {name: table.place(top, j, header[j]) for j, (name, _, _) in reversed(columns.items())}
    return [
        Condition(name, bases[name][0], tuple(own), bases[name][1] if bases[name][0] else first[name])
        for name, own in changes.items()
    ]


def _shown_percentage(table: Table, row: int, column: int, text: str) -> str:
    """Return a cell as a worksheet shows it: 60 % for 0.6 in the format of percentages."""
    code = "" if table.sheet_info is None else table.sheet_info.number_formats.get((row, column), "")
    number = read_number(text) if "%" in code else None
    return text if number is None else f"{100 * number:.12g} %"


def _heading(text: str) -> tuple[str, str, str]:
    """Return the condition of a heading, and what its numbers are: kind and unit."""
    match = _HEADING.fullmatch(text)
    assert match is not None
    unit = (match["unit"] or "").strip()
    kind = _KINDS_OF_WORDS.get((match["word"] or "").lower(), "")
    if unit == "%":
        kind = "fill"
    elif unit and unit_of_dimension(unit, (1, 0, 0)) is not None:
        kind = "mass"
    elif unit:
        return text, "", ""
    return match["name"].strip() or text, kind, unit


def _read_cell(
    bom: Bom, item: int, condition: str, cell: tuple[str, str, str], place: Place, findings: Findings
) -> Change | None:
    """Read a cell, with the kind and the unit of its heading; a finding where it has two meanings or none."""
    text, kind, unit = cell
    name, match = bom.ids[item], _MEASURED_NUMBER.fullmatch(text)
    number = None if match is None else read_number(match[1])
    own = "" if match is None else match[2] or ""
    if text.lower() in (*_OFF, *_ON) or (number == 0 and own != "%"):
        return Change("on" if text.lower() in _ON else "off", name, None, place, is_state=True)
    if number is None:
        words = nearest_name_hint(text.lower(), (*_OFF, *_ON))
        message = f"cell of {name} in condition {condition} is not a state or a number: {text}{words}"
        findings.report("MP632", message, place, item=name, value=text, remedy="write on, off, or a number")
        return None
    value, pieces = float(number), float(bom.quantity.count[item])
    if own == "%" or (kind == "fill" and not own):
        return _read_fill(condition, Change("fill", name, value, place), findings)
    if own or kind == "mass":
        with_unit = text if own else f"{text} {unit}" if unit else value
        return Change("set", f"{name}.mass", with_unit, place, is_state=True)
    if kind == "qty" or (value == 1 and pieces in (0.0, 1.0)):
        counted = Change("set", f"{name}.qty", value, place, is_state=True)
        return counted if kind else Change("on", name, None, place, is_state=True)
    readings = f"on, or 1 of its {pieces:g} pieces" if value == 1 else "a quantity or a mass"
    message = f"cell of {name} in condition {condition} has two meanings: {text} ({readings})"
    remedy = f'name the column "{condition} qty" or "{condition} [kg]", or write on'
    findings.report("MP635", message, place, item=name, value=text, remedy=remedy)
    return None
