"""One header cell → the quantity it names and the unit it states; its words on reference points and sigmas."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from massprops_cli.files.table import Table
from massprops_cli.tables import options
from massprops_cli.tables.cells.cell_words import counted_in_heading
from massprops_cli.tables.cells.number_text import WIDE_BRACKETS, visible_text, words
from massprops_cli.tables.cells.units import FORCE, MASS, quantity_dimension, unit_of_dimension

ORIGIN, OWN = "origin", "own"
"""The points that headers name: the origin of the table's frame, each item's own centre of mass."""


@lru_cache(maxsize=1)
def _reference_point_words() -> dict[str, str]:
    """Load the words for points, in lower case: words → ORIGIN or OWN."""
    return {text.lower(): point for point, texts in words("points").items() for text in texts}


@lru_cache(maxsize=1)
def _reference_point_pattern() -> re.Pattern[str]:
    """Compile the pattern of a known reference point in a header: ``about the origin``, ``(@ CG)``."""
    named = "|".join(re.escape(text) for text in sorted(_reference_point_words(), key=len, reverse=True))
    before = r"(?:\b(?:taken\s+)?(?:about|at|around|through|wrt|with\s+respect\s+to|relative\s+to)\s+|@\s*)"
    aligned = r"(?:,?\s*(?:and\s+)?aligned\s+with\s+the\s+output\s+coordinate\s+system)?"
    phrase = rf"{before}(?:(?:the|its|their|own)\s+)*(?P<{{}}>{named})(?![^\W_]){aligned}"
    whole = rf"\s*[\[(]\s*{phrase.format('a')}\s*[\])]|[\s,;:/_-]*{phrase.format('b')}"
    return re.compile(whole, re.IGNORECASE)


def _split_reference_point(text: str) -> tuple[str, str]:
    """Split the words for a reference point from a header: the rest, and ORIGIN, OWN or nothing."""
    if (match := _reference_point_pattern().search(text)) is None:  # unknown points remain
        return text, ""
    rest = f"{text[: match.start()].rstrip()} {text[match.end() :].lstrip()}".strip()
    point = _reference_point_words()[re.sub(r"\s+", " ", (match["a"] or match["b"])).lower()]
    return re.sub(r"\s+([\])])", r"\1", rest), point


def has_reference_point(text: str) -> bool:
    """Return whether a header states a reference point, known or not."""
    return re.search(r"(?:about|around|wrt|with\s+respect\s+to|relative\s+to)\s|@", text, re.IGNORECASE) is not None


def inertia_reference(text: str) -> str:
    """Find the reference point in a header of inertia; SolidWorks calls the tensor at the centre of mass Lxx."""
    own = OWN if re.match(r"\s*l[xyz]{2}(?![^\W_])", text, re.IGNORECASE) else ""
    return _split_reference_point(text)[1] or own


PERCENT = "%"  # the unit of a column whose numbers are percentages of the values that they belong to

_PERCENT_TEXTS = ("%", "percent", "pct", "% of value", "rel. %", "relative %")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"  # 2, 2.5
_SIGMA_LEVEL = rf"(?:k\s*=\s*(?P<k>{_NUMBER})|(?:(?P<n>{_NUMBER})\s*-?\s*)?(?:σ|sigma))"  # k = 2, 2σ
_COVERAGE = rf"[\s,;]+k\s*=\s*({_NUMBER})()(?![\w.])"  # mass, k = 2
_SIGMA_COUNT = rf"(?<![\w.])({_NUMBER})\s*-?\s*(σ|sigma(?![a-z]))"  # 2-sigma mass
_BRACKET = r"[\s_,]*(?:\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)|\{(?P<curly>[^{}]*)\})"  # mass [kg, 2σ]
_EXPANDED_UNCERTAINTY = r"U\s*\(|expanded uncertainty"  # U(mass)


def split_sigma_level(text: str) -> tuple[str, tuple[float, ...]]:
    """Split the words on sigmas from a header: the rest, and the standard deviations per cell that they state."""
    levels: list[float] = []

    def without(match: re.Match[str]) -> str:
        content = next(part for part in match.groups() if part is not None)
        parts = [part.strip() for part in re.split("[,;]", content)]
        read = [re.fullmatch(_SIGMA_LEVEL, part, re.IGNORECASE) for part in parts]
        if not any(read):
            return match[0]
        levels.extend(float(found["k"] or found["n"] or 1) for found in read if found)
        kept = ", ".join(part for part, found in zip(parts, read, strict=True) if not found)
        opening, closing = match[0].lstrip(" \t_,")[0], match[0][-1]
        return f" {opening}{kept}{closing}" if kept else ""

    def counted(match: re.Match[str]) -> str:
        levels.append(float(match[1]))
        return match[2]

    # a name of the form σ(mass) keeps its brackets, since mass is not a level
    bare = re.sub(_BRACKET, without, text)
    for form in (_SIGMA_COUNT, _COVERAGE):
        bare = re.sub(form, counted, bare, flags=re.IGNORECASE)
    return bare.strip(), tuple(levels)


def is_percent_unit(text: str) -> bool:
    """Return whether a unit text means percent."""
    return text.strip().casefold() in _PERCENT_TEXTS


EXACT_MATCH, SYNONYM_MATCH, REMARK_MATCH = 0, 1, 2
"""How near a heading is to the canonical name: the name, a synonym, a name with a remark in brackets."""


class Heading(NamedTuple):
    """A header cell as read."""

    quantity: str  # empty when none that is read
    unit: str = ""  # empty when not stated
    rank: int = EXACT_MATCH
    order: int = 0  # the synonym's place in its list
    levels: tuple[float, ...] = ()  # stated standard deviations, 0 for an expanded uncertainty without k
    source: str = ""  # who calls the quantity so; of a name that is known and not read too


UNREAD_HEADING = Heading("")
_SIGNIFICANT_CHARACTERS = "#%\"'′°±+<>≤≥=~$€£¥₹₩₽"
"""Marks that change what a header means: a count, a share, a unit, a tolerance, a limit, a price."""
_AXIS_VARIANTS = {"x": ("x", "y", "z"), "xy": ("xx", "yy", "zz", "xy", "xz", "yz"), "yx": ("yx", "zx", "zy")}
_BRACKETED_HEADING = r"(?P<base>.*?)\s*(?P<bracket>\[[^\[\]]*\]|\((?:[^()]|\([^()]*\))*\)|\{[^{}]*\})\s*"  # Mass (kg)
_SIGMA_WORDS = r"(?:sigma|σ|1σ|1sigma|std|stdev|std\.?\s*dev\.?|standard deviation|sd)"  # std. dev.
# u(mass), sigma of mass, mass std, σm
_SIGMA_FORMS = (
    r"(?:u|σ|sigma|std|stdev|sd)\s*\((?P<rest>[^()]+)\)",
    rf"{_SIGMA_WORDS}(?:\s+of)?[\s_.:-]+(?P<rest>.+)",
    rf"(?P<rest>.+?)[\s_.:-]+{_SIGMA_WORDS}",
    r"σ(?P<rest>[A-Za-z]+)",
)
_BOUND_FORM = r"(?P<rest>.+?)[\s_.:-]+(?P<end>min|likely|max)(?:imum)?"  # mass_min, Ixx maximum
_SEPARATORS = r"[\s_/,:;|-]+"  # between name and unit: mass_kg, mass / kg
MAX_HEADING_LENGTH = 200  # a longer header names nothing
_PLURAL_RANK = 1000  # the place of a plural in the list of names: after every other one
_REQUIRED_UNIT_SUFFIX = " [unit]"
"""How a synonym ends that is one with a unit only: a Total is of anything, a Total (kg) of masses, a Unit (kg) too."""


@lru_cache(maxsize=8_192)
def squeeze_text(text: str) -> str:
    """Convert a header into the form in which synonyms are compared: no case, blanks or mere punctuation."""
    if text.isascii():
        plain = text.lower()
        return plain if plain.isalnum() else "".join([c for c in plain if c.isalnum() or c in _SIGNIFICANT_CHARACTERS])
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum() or c in _SIGNIFICANT_CHARACTERS)


@lru_cache(maxsize=1)
def _heading_synonyms() -> dict[str, Heading]:
    """Load what headers mean: squeezed text → its heading, without a quantity where none is read."""
    known: dict[str, Heading] = {}
    for quantity, headers in words("synonyms").items():
        for order, (header, source) in enumerate(headers.items(), 1):
            for quantity_here, header_here in _axis_synonyms(quantity, header):
                bare = header_here.removesuffix(_REQUIRED_UNIT_SUFFIX)
                suffix = _REQUIRED_UNIT_SUFFIX * (bare != header_here)
                heading = Heading(quantity_here, "", SYNONYM_MATCH, order, source=source)
                known.setdefault(squeeze_text(bare) + suffix, heading)
    for texts in words("plurals")["name"].values():
        for header in texts:
            known.setdefault(squeeze_text(header), Heading("name", "", SYNONYM_MATCH, _PLURAL_RANK))
    for quantity in options.QUANTITIES:
        known[squeeze_text(quantity)] = Heading(quantity)
    return known


def _axis_synonyms(quantity: str, header: str) -> list[tuple[str, str]]:
    """Expand a synonym for every axis of its quantity."""
    if quantity == "not_read":
        return [("", header)]
    if "{" not in quantity or (mark := re.search(r"\{(\w+)\}", quantity)) is None:
        return [(quantity, header)]
    return [
        (quantity.replace(mark[0], "".join(sorted(axis))), header.replace(mark[0], axis))
        for axis in _AXIS_VARIANTS[mark[1]]
    ]


@lru_cache(maxsize=4_096)
def read_heading(text: str) -> Heading:
    """Parse a header cell into quantity, unit and number of standard deviations."""
    if (bare := visible_text(text).strip()) in options.QUANTITIES:
        return Heading(bare)
    if not bare or len(bare) > MAX_HEADING_LENGTH or options.is_output_heading(bare):
        return UNREAD_HEADING
    rest, about = _split_reference_point(bare)
    if about and options.base_quantity((heading := read_heading(rest)).quantity) in options.INERTIA_COLUMNS:
        return heading._replace(rank=REMARK_MATCH)
    without_level, levels = split_sigma_level(bare)
    heading = _read_without_sigma_level(without_level)
    if heading.quantity in options.SIGMA_QUANTITIES:
        return heading._replace(levels=heading_sigma_levels(bare, heading.quantity))
    if heading.quantity in _WITHOUT_UNITS:
        unit = heading_unit(bare, "mass")
        return UNREAD_HEADING if is_unit_of(unit, "mass") or is_unit_of(unit, "Cx") else heading
    return _read_without_sigma_level(bare) if levels else heading


_WITHOUT_UNITS = ("weighed", "Ipoint", "id", "item", "part")
"""Truth values and numbers of items: a unit in the header shows that its numbers are masses, or inner diameters."""


def read_headings(texts: Sequence[str]) -> list[Heading]:
    """Parse a row of header cells (n,), also those of solids and poses, which are read in a table of such only."""
    return _with_pose_headings(texts, _with_solid_headings(texts, [read_heading(text) for text in texts]))


def _with_solid_headings(texts: Sequence[str], headings: list[Heading]) -> list[Heading]:
    """Add the headings that describe solids, where a shape and its dimensions, or a mesh and its use, have columns."""
    names = [squeeze_text(re.split(r"[\[(]", text)[0]) for text in texts]
    known: dict[str, str] = {}
    if "shape" in names and "dims" in names:
        known |= {name: name for name in options.SHAPE_QUANTITIES}
    if "mesh" in names and any(squeeze_text(name) in names for name in options.MESH_MARKS):
        known |= {squeeze_text(name): name for name in options.MESH_QUANTITIES}
        if "wall" not in names:
            known["thickness"] = "wall"
    return [
        Heading(known[name]) if name in known and not heading.quantity else heading
        for name, heading in zip(names, headings, strict=True)
    ]


def _read_without_sigma_level(bare: str) -> Heading:
    """Read a header without a sigma level."""
    return _read_quantity_name(bare) or _read_with_bracket(bare) or _read_with_unit_suffix(bare) or UNREAD_HEADING


def is_variant_heading(text: str) -> bool:
    """Return whether a heading ends with the letter of a variant: Mass A is not the Italian massa."""
    return text[-1:] in {*"ABCDEF"} and text[-2:-1].isspace() and any(map(str.isalpha, text[:-2]))


def _read_quantity_name(bare: str) -> Heading | None:
    """Read a header without a unit: a name, a synonym, the sigma or a bound of one; None when it is not known."""
    if bare in options.QUANTITIES:
        return Heading(bare)
    if is_variant_heading(bare):
        return None
    counted = counted_in_heading(bare)
    of_words = Heading(counted, "", SYNONYM_MATCH, _PLURAL_RANK) if counted else None
    if (known := _heading_synonyms().get(squeeze_text(bare), of_words)) is not None:
        return known
    for form in (*_SIGMA_FORMS, _BOUND_FORM):
        match = re.fullmatch(form, bare, re.IGNORECASE)
        of = _heading_synonyms().get(squeeze_text(match["rest"]), UNREAD_HEADING) if match else UNREAD_HEADING
        further = of._replace(rank=SYNONYM_MATCH, order=of.order + 1)
        if match and form != _BOUND_FORM and of.quantity in options.NUMBER_QUANTITIES:
            return further._replace(quantity=f"sigma_{of.quantity}")
        if match and form == _BOUND_FORM and of.quantity in options.NUMBER_QUANTITIES[:10]:
            return further._replace(quantity=f"{of.quantity}_{match['end'].lower()}")
    return None


def _read_with_bracket(bare: str) -> Heading | None:
    """Read ``name [unit]`` or ``name (remark)``; a number column's brackets hold a unit, known or not."""
    match = re.fullmatch(_BRACKETED_HEADING, bare.translate(WIDE_BRACKETS), re.DOTALL)
    if match is None or not match["base"]:
        return None
    content = re.sub(r"^in\s+", "", match["bracket"][1:-1].strip())
    if by_unit := _read_by_unit(match["base"], content):
        return by_unit
    heading = _read_quantity_name(match["base"])
    if heading is None or not heading.quantity:
        of = _read_with_unit_suffix(match["base"]) if heading is None else None  # Weight / g (bare)
        return of._replace(rank=REMARK_MATCH) if of and not is_unit_of(content, of.quantity) else heading
    sample = options.UNIT_COLUMNS.get(heading.quantity)
    if sample is not None and is_unit_of(content, sample):
        # Mass unit (kg) is the mass of a unit, no column of units
        return heading._replace(quantity=sample, unit=content, rank=SYNONYM_MATCH)
    if quantity_dimension(heading.quantity) is None:
        return heading._replace(rank=REMARK_MATCH)
    percent = heading.quantity in options.SIGMA_QUANTITIES and is_percent_unit(content)
    parts = re.split(r"\s*[,;]\s*", content)  # oz, with packaging
    unit = next((part for part in parts if is_unit_of(part, heading.quantity)), content)
    return heading._replace(unit=PERCENT if percent else unit)


def is_unit_of(text: str, quantity: str) -> bool:
    """Return whether a text is a common unit of a quantity."""
    dimension = quantity_dimension(quantity)
    return dimension is not None and unit_of_dimension(text.strip(), dimension, common_only=True) is not None


def _read_with_unit_suffix(bare: str) -> Heading | None:
    """Read ``name/unit``, ``name, unit``, ``name_unit``, ``name in unit``; the longest name counts."""
    for cut in reversed(list(re.finditer(_SEPARATORS, bare))):
        rest = bare[cut.end() :]
        if by_unit := _read_by_unit(bare[: cut.start()], rest):
            return by_unit
        if (heading := _read_quantity_name(bare[: cut.start()])) is None:
            continue
        if heading.quantity in options.SIGMA_QUANTITIES and is_percent_unit(rest):
            return heading._replace(unit=PERCENT)
        for unit in (rest, re.sub(r"^in\s+", "", rest)):
            if is_unit_of(unit, heading.quantity):
                return heading._replace(unit=unit)
    return None


def _read_by_unit(bare: str, unit: str) -> Heading | None:
    """Read a word that names a quantity only together with a unit of it."""
    heading = _heading_synonyms().get(squeeze_text(bare) + _REQUIRED_UNIT_SUFFIX, UNREAD_HEADING)
    return heading._replace(unit=unit) if is_unit_of(unit, heading.quantity) else None


@lru_cache(maxsize=4_096)
def heading_unit(text: str, quantity: str) -> str:
    """Find the unit in the header of a column chosen by ``--map``, independent of its name."""
    if quantity_dimension(quantity) is None:
        return ""
    bare = visible_text(text).strip()[-MAX_HEADING_LENGTH:]
    if quantity in options.SIGMA_QUANTITIES or quantity in options.POSE_SIGMAS:
        bare = split_sigma_level(bare)[0]
    elif quantity in options.INERTIA_COLUMNS:
        bare = _split_reference_point(bare)[0]
    if (match := re.fullmatch(_BRACKETED_HEADING, bare.translate(WIDE_BRACKETS), re.DOTALL)) is not None:
        return match["bracket"][1:-1].strip()
    cuts = [cut for cut in re.finditer(_SEPARATORS, bare) if not _is_per_length(bare[: cut.start()], cut[0])]
    last = next((rest for cut in cuts if is_unit_of(rest := bare[cut.end() :], quantity)), "")
    within = re.findall(r"(?<=[\s_(\[])[^\W\d_]+(?=[\s_)\]])", bare)  # mass_g_each, Mass (g) est
    return last or next((one for one in within if one != "in" and is_unit_of(one, quantity)), "")


def _is_per_length(before: str, separator: str) -> bool:
    """Return whether a unit of length behind a separator is that of kg/m or N/m."""
    word = re.split(_SEPARATORS, before)[-1]
    return separator.strip() == "/" and any(unit_of_dimension(word, one, common_only=True) for one in (MASS, FORCE))


def heading_sigma_levels(text: str, quantity: str) -> tuple[float, ...]:
    """Find the standard deviations in a header: 0 for U = k u without k (JCGM 100:2008 (GUM), 6.2)."""
    if quantity not in options.SIGMA_QUANTITIES and quantity not in options.POSE_SIGMAS:
        return ()
    is_expanded = re.match(_EXPANDED_UNCERTAINTY, text.strip()) is not None
    return split_sigma_level(text[:MAX_HEADING_LENGTH])[1] or ((0.0,) if is_expanded else ())


IDENTIFYING_QUANTITIES = frozenset(("id", "parent", "child", "level", "item", "name", "part"))
"""Quantities that identify the item of a row, or its position in the tree."""

# Total weight, qty, Ixx
_QUANTITY_LIKE = (
    r"mass|weight|gewicht|inertia|gyration|quantity|ipoint|poi\s?conv|sigma|center of|centre of"
    r"|(?:^|[^a-z])(?:qty|moi|poi|wt|cg|cog|com|[cijk][xyz]|[ijl][xyz]{2})(?:$|[^a-z])"
)


@lru_cache(maxsize=1)
def group_header_words() -> frozenset[str]:
    """Load the headers of columns that name groups."""
    return frozenset(squeeze_text(text) for entry in words("groups")["group"] for text in entry["texts"])


@lru_cache(maxsize=1)
def center_names() -> frozenset[str]:
    """Load what a centre of mass is called, squeezed."""
    return frozenset(map(squeeze_text, words("tuples")))


# words of Italian, Spanish, Portuguese, French and German headings: gr is the gram, and 1.250 may be 1250
_COMMA_LANGUAGES = (
    r"\b(?:pes[oi]|mass[ea]n?|masas?|poids|gewichte?|pezz[oi]|quantità|cantidad|quantité|quantidade|component[ei]|komponente|pieza|pièces?"
    r"|peça|teile?|bauteil|menge|anzahl|stück|stk|descrizione|descripción|descrição|désignation|bezeichnung|benennung)\b"
)


def has_decimal_comma_language(texts: Iterable[str]) -> bool:
    """Return whether headings are in a language that writes decimal commas."""
    return re.search(_COMMA_LANGUAGES, " ".join(texts).casefold()) is not None


def is_quantity_like(text: str) -> bool:
    """Return whether a header that was not read resembles a quantity."""
    words = text.strip().replace("_", " ")[:MAX_HEADING_LENGTH]
    is_output = options.is_output_heading(text)
    return not is_output and re.search(_QUANTITY_LIKE, words, re.IGNORECASE) is not None


def is_header_like(texts: Sequence[str]) -> bool:
    """Return whether a row names a column of items and a quantity to sum."""
    named = {read_heading(text).quantity for text in texts}
    is_group = any(squeeze_text(text) in group_header_words() for text in texts if text.strip())
    return (is_group or bool(named & IDENTIFYING_QUANTITIES)) and bool(
        named & {"mass", "line_mass", "Cx", "Ixx", "sigma_mass"}
    )


def may_head_masses(texts: Sequence[str]) -> bool:
    """Return whether a row names masses, and a column of items or, with a blank cell, what is below it."""
    is_blank = bool(texts) and not texts[0].strip() and any(read_heading(text).quantity == "mass" for text in texts)
    return is_blank or is_header_like(texts)


_COMMAND_NAME_LENGTH = 80  # characters of a name in a command; a longer one is replaced by its place


def column_reference(table: Table, row: int, column: int) -> str:
    """Name a column by place: its letters in a worksheet, its number from 1 in a text."""
    cell = table.place(row, column).cell
    return f"col:{cell.rstrip('0123456789') or column + 1}" if cell else f"col:{column + 1}"


def is_command_text(text: str) -> bool:
    """Return whether a name is short and printable enough for a command."""
    return text.isprintable() and len(text) <= _COMMAND_NAME_LENGTH


def column_command_name(table: Table, row: int, column: int) -> str:
    """Name a column in a command: by header, or by place where that is blank, long, repeated or unprintable."""
    name = table.text(row, column).strip()
    is_usable = bool(name) and is_command_text(name) and [text.strip() for text in table.row(row)].count(name) < 2
    return name if is_usable else column_reference(table, row, column)


OPERATION_SIGNS = re.compile(r"\s+([*×+/])\s+")  # between the columns of one that ``--map`` computes


def operand_name(table: Table, row: int, column: int) -> str:
    """Name a column in one that is computed."""
    name = column_command_name(table, row, column)
    return column_reference(table, row, column) if OPERATION_SIGNS.search(name) else name


def map_option(table: Table, row: int, column: int, quantity: str) -> str:
    """Write the option that reads a column as a quantity, quoted for a shell."""
    return f"--map {quantity}={shlex.quote(column_command_name(table, row, column))}"


def ignore_option(table: Table, row: int, column: int) -> str:
    """Write the option that leaves out a column, quoted for a shell."""
    return f"--ignore-column {shlex.quote(column_command_name(table, row, column))}"


POSE_ROTATIONS = {
    "roll, pitch and yaw": options.POSE_ANGLES,
    "quaternion": options.POSE_QUATERNION,
    "axis and angle": options.POSE_AXIS_ANGLE,
    "direction cosines": options.POSE_COSINES,
}
"""The forms of a rotation, each with its columns."""
ANGLE_UNITS = {"deg": 1.0, "arcmin": 1 / 60, "arcsec": 1 / 3600, "rad": 1.0, "mrad": 1e-3}
"""Units of angles: degrees and their parts as degrees, the others as radians."""


@lru_cache(maxsize=1)
def _pose_names() -> dict[str, str]:
    """Load what headers mean: squeezed text → quantity."""
    known = {squeeze_text(name): name for name in options.POSE_QUANTITIES}
    for quantity, headers in words("poses")["headings"].items():
        for axis in "xyz" if "{x}" in quantity else ("",):
            for header in headers:
                known[squeeze_text(header.replace("{x}", axis))] = quantity.replace("{x}", axis)
    return known


def angle_unit(text: str) -> str | None:
    """Read a unit of angles."""
    return words("poses")["angles"].get(text.strip().strip("[](){}").strip().lower().rstrip(".")) or None


def _split_heading_unit(text: str) -> tuple[str, str]:
    """Split a header into its name and the unit behind it: in brackets, or a unit of angles as last word."""
    bare = text.strip()
    if (bracket := re.search(r"[\[({]([^\[\](){}]*)[\])}]", bare)) is not None:
        return bare[: bracket.start()], bracket[1].strip()
    if (match := re.fullmatch(r"(.+?)[\s_,/]+(\S+)", bare)) is not None and angle_unit(match[2]):
        return match[1], match[2]
    return bare, ""


def _with_pose_headings(texts: Sequence[str], headings: list[Heading]) -> list[Heading]:
    """Add the headings of poses and patterns to the headings (n,) of a table that has them."""
    parts = [_split_heading_unit(text) for text in texts]
    names = [_pose_names().get(squeeze_text(name), "") for name, _ in parts]
    free = [name if not heading.quantity else "" for name, heading in zip(names, headings, strict=True)]
    present = set(free)
    whole = any(present.issuperset(columns) for columns in POSE_ROTATIONS.values())
    if not present.issuperset(options.POSE_LENGTHS) and not (
        "frame" in present and (whole or options.PATTERN_QUANTITIES[0] in present)
    ):
        return headings
    return [
        Heading(name, unit, levels=heading_sigma_levels(text, name)) if name else heading
        for text, (_, unit), name, heading in zip(texts, parts, free, headings, strict=True)
    ]


def stated_angle_unit(header: str, quantity: str, below: str, requested: Mapping[str, str]) -> tuple[str, str]:
    """Find the unit of a column of angles: by option, in the header, in the row of units."""
    parts = [*re.split(r"[\[\](){},;]+", header)[1:], _split_heading_unit(header)[1]]
    found = [
        (angle_unit(requested.get(quantity) or requested.get("angle") or ""), "--unit"),
        (next((unit for word in parts if (unit := angle_unit(word))), None), "header"),
        (angle_unit(below), "units row"),
    ]
    return next(((unit, source) for unit, source in found if unit), ("", ""))
