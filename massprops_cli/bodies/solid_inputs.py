"""The inputs of solids as text: dimensions with tolerances and units, the table of materials, whole solids."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import computed_body_faults
from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.solid_shapes import enclosing_box, find_shape
from massprops_cli.bodies.solids import canonical_dims, solid_faults, unchecked_solids
from massprops_cli.findings.finding import ConfigError, UsageError, checked_type, nearest_name_hint

_Floats = NDArray[np.float64]
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DIMENSION = re.compile(
    rf"\s*(?P<name>[A-Za-zØ⌀][A-Za-z0-9_]*)\s*[=:]\s*(?P<value>{_NUMBER})\s*(?P<unit>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*"
    rf"(?:(?:±|\+/-|\+-)\s*(?P<tolerance>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%)?\s*)?"
    r"(?P<late>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*(?:\(\s*(?P<level>[^)]*?)\s*\)\s*)?(?P<last>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*"
)  # such as "r = 5 ± 0.1 mm (k=2)"; the unit before or after the tolerance, or last
_LEVEL = re.compile(rf"(?:k\s*=\s*)?({_NUMBER})?\s*(?:σ|s|sigma)?", re.IGNORECASE)  # such as "k=2", "3σ", "sigma"
_MASS_INPUTS = ("mass", "density", "material")  # what states the mass of a solid, by precedence
_POWERS = {"mass": (1, 0, 0), "density": (1, -3, 0), "A": (0, 2, 0)}
"""Powers of mass, length and time of the inputs that are not lengths."""
_UnitFactor = Callable[[str, str, tuple[int, int, int]], float]
"""Name of an input, unit as written, powers of mass, length and time → factor to coherent units; it may raise."""
_SolidFault = tuple[int, str, str]  # number of the solid, name of the input, message
_SolidSource = tuple[int, str, _Floats]  # number of the solid, input with a sigma, deviations (10,) for one sigma


@dataclass(frozen=True, slots=True)
class DimensionText:
    """One dimension as it is written.

    Attributes
    ----------
    name : str
        Name, such as ``r``.
    value : float, ``unit``
        Value.
    tolerance : float, ``unit``, or None
        Half width after ``±``; None if there is none. A percentage is a share of the value.
    level : float, "uniform" or None
        Meaning of the tolerance: so many sigmas, or the half width of a uniform distribution; None if not stated.
    unit : str
        Unit as written; empty if not stated.
    """

    name: str
    value: float
    tolerance: float | None = None
    level: float | Literal["uniform"] | None = None
    unit: str = ""

    def sigma(self, unstated: float | Literal["uniform"] | None = None) -> float | None:
        """Return one standard deviation.

        Parameters
        ----------
        unstated : float or "uniform", optional
            Level of a tolerance that states none.

        Returns
        -------
        float or None
            In ``unit``; None without a tolerance.

        Raises
        ------
        UsageError
            The level is stated neither in the text nor by ``unstated``.

        Notes
        -----
        A uniform distribution of half width w has σ = w/√3; docs/formulas.md, section 12.

        Examples
        --------
        >>> [one.sigma() for one in parse_dims("r=50±0.6 mm (3σ); L=300 mm")]
        [0.19999999999999998, None]
        """
        if self.tolerance is None:
            return None
        level = self.level if self.level is not None else unstated
        if level is None:
            missing = f"level of ±{self.tolerance:g} of {self.name} is not stated"
            raise UsageError(f"{missing}: write (uniform), or how many sigmas it is, such as (2σ)")
        return self.tolerance / (3**0.5 if level == "uniform" else level)


def parse_dims(text: str) -> tuple[DimensionText, ...]:
    """Parse dimensions such as ``r=50±0.5 mm; L=300 mm``.

    Parameters
    ----------
    text : str
        ``name = value ± tolerance unit (level)``, separated by ``;`` or line ends, or by commas that are not decimal.
        The unit may follow the value, the tolerance or the level. A level is ``2σ``, ``k=2`` or ``uniform``.

    Returns
    -------
    tuple of DimensionText
        The dimensions in their order.

    Raises
    ------
    UsageError
        A part of the text is not a dimension, or a name occurs twice.

    Notes
    -----
    Nothing is inferred: a dimension without a unit has none, a tolerance without a level has none.

    Examples
    --------
    >>> [(one.name, one.value, one.tolerance, one.unit) for one in parse_dims("r=50±0.5 mm; L=300 mm")]
    [('r', 50.0, 0.5, 'mm'), ('L', 300.0, None, 'mm')]
    >>> parse_dims("a = 20 mm ±1% (uniform)")[0]
    DimensionText(name='a', value=20.0, tolerance=0.2, level='uniform', unit='mm')
    """
    parts = [part for part in re.split(r"[;\n]", checked_type("text", text, str)) if part.strip()]
    if len(parts) == 1 and parts[0].count("=") > 1:
        parts = parts[0].split(",")
    found = tuple(_dimension(part) for part in parts)
    names = [one.name for one in found]
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        raise UsageError(f"dimension {twice} is given twice in {text!r}")
    if not found:
        raise UsageError("no dimensions are given; write them as r=50 mm; L=300 mm")
    return found


def _dimension(text: str) -> DimensionText:
    """Parse one dimension, or raise."""
    if (match := _DIMENSION.fullmatch(text.replace("−", "-").replace("\u00a0", " "))) is None:
        hint = "use a decimal point" if re.search(r"\d,\d", text) else "write name = value ± tolerance unit"
        raise UsageError(f"{text.strip()!r} is not a dimension; {hint}")
    written = [match[key] for key in ("unit", "late", "last") if match[key] is not None]
    units = set(written)
    tolerance = None if match["tolerance"] is None else float(match["tolerance"])
    if len(units) > 1 or (tolerance is None and len(written) > 1):
        raise UsageError(f"{text.strip()!r} has two units, {' and '.join(sorted(written))}; write one")
    value = float(match["value"])
    if tolerance is not None and match["percent"]:
        tolerance *= abs(value) / 100
    if match["level"] is not None and tolerance is None:
        raise UsageError(f"{text.strip()!r} has a level without a tolerance")
    level = None if match["level"] is None else _tolerance_level(match["level"], text)
    return DimensionText(match["name"], value, tolerance, level, next(iter(units), ""))


def _tolerance_level(level: str, text: str) -> float | Literal["uniform"]:
    """Return what a tolerance means, or raise."""
    if level.lower() in ("uniform", "rectangular"):
        return "uniform"
    match = _LEVEL.fullmatch(level)
    sigmas = float(match[1] or 1.0) if match is not None and level else 0.0
    if not sigmas > 0:
        raise UsageError(f"level {level!r} of {text.strip()!r} is not known; write (2σ), (k=2) or (uniform)")
    return sigmas


@dataclass(frozen=True, slots=True)
class Material:
    """One entry of the table of materials.

    Attributes
    ----------
    name : str
        Name.
    density : float, kg/m³
        Density.
    published, source : str
        The figure as published, and where.
    aliases : tuple of str
        Other names.
    half_range : float, kg/m³, or None
        Half the range of the density where the source states one; a uniform distribution.
    """

    name: str
    density: float
    published: str
    source: str
    aliases: tuple[str, ...] = ()
    half_range: float | None = None


def read_materials(path: str | Path | None = None) -> dict[str, Material]:
    """Read the table of materials.

    Parameters
    ----------
    path : str or Path, optional
        A table of the same form, in TOML; its entries are added, and replace those of the same name.

    Returns
    -------
    dict of str to Material
        Materials by name.

    Raises
    ------
    ConfigError
        The file is not a table of materials; the message names the entry.

    Notes
    -----
    Each entry of the table that is installed quotes the published figure and its source.

    Examples
    --------
    >>> read_materials()["steel"].density
    7850.0
    """
    shipped = _shipped_materials()
    if not isinstance(path, str | Path | None):
        raise UsageError(f"path is not a path: {path!r}")
    return dict(shipped) if path is None else shipped | _materials_of(Path(path))


def find_material(name: str, materials: dict[str, Material] | None = None) -> Material:
    """Look up a material by its name or another name of it.

    Parameters
    ----------
    name : str
        Name; case, spaces, ``_`` and ``-`` do not matter.
    materials : dict of str to Material, optional
        The table; default: the one that is installed.

    Returns
    -------
    Material
        The entry.

    Raises
    ------
    UsageError
        The table has no such material; the message has the nearest name.

    Notes
    -----
    Names are compared whole: ``Al 6061-T6`` is not ``Al 6061``.

    Examples
    --------
    >>> find_material("Ti 6Al 4V").density
    4428.78
    """
    table = _shipped_materials() if materials is None else materials
    found = {_key(word): one for one in table.values() for word in (one.name, *one.aliases)}.get(_key(name))
    if found is None:
        known = [word for one in table.values() for word in (one.name, *one.aliases)]
        if len(key := _key(name)) > 2 and (longer := [word for word in known if _key(word).startswith(key)]):
            raise UsageError(f"unknown material {name!r}; the nearest is {min(longer, key=len)}")
        raise UsageError(f"unknown material {name!r}{nearest_name_hint(name, known)}")
    return found


def _key(name: str) -> str:
    """Return a name as it is compared."""
    return re.sub(r"[\s_-]+", "", checked_type("name", name, str)).casefold()


@cache
def _shipped_materials() -> dict[str, Material]:
    """Return the table of materials that is installed."""
    return _materials_of(Path(__file__).with_name("materials.toml"))


def _materials_of(path: Path) -> dict[str, Material]:
    """Read a file of materials, or raise."""
    import tomllib

    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("material", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except RecursionError:
        raise ConfigError(f"{path}: values are nested too deeply") from None
    except ValueError:  # of int(), which converts no more than 4,300 digits
        raise ConfigError(f"{path}: an integer does not fit in 64 bits") from None
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{path}: no [[material]] entries")
    found = [_material(entry, f"{path}: material {k}") for k, entry in enumerate(entries, 1)]
    return {one.name: one for one in found}


def _material(entry: dict[str, Any], place: str) -> Material:
    """Return one entry of a file of materials, or raise."""
    fields = ("name", "density", "published", "source", "aliases", "half_range")
    for key in entry:
        if key not in fields:
            raise ConfigError(f"{place}: unknown key {key!r}{nearest_name_hint(key, fields)}")
    name, density = entry.get("name"), entry.get("density")
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(f"{place}: no name")
    if not isinstance(density, int | float) or isinstance(density, bool) or not density > 0:
        raise ConfigError(f"{place}: density of {name} is not a positive number in kg/m3: {density!r}")
    half = entry.get("half_range")
    published, source = (str(entry.get(key, "")) for key in ("published", "source"))
    aliases = tuple(str(alias) for alias in entry.get("aliases", ()))
    return Material(name, float(density), published, source, aliases, None if half is None else float(half))


class SolidInputError(UsageError):
    """A cell that does not describe a solid; ``column`` is its name, such as ``dims``."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


class SolidInput(NamedTuple):
    """One solid as it is described, in coherent units."""

    shape: str
    values: dict[str, float]  # dimensions as named, wall, and mass or density
    sigmas: dict[str, float]  # one standard deviation of those with a tolerance
    axis: str | tuple[float, float, float]  # direction of the shape's own z
    source: str  # what states the mass: mass, density or material
    unused: tuple[str, ...] = ()  # cells that also state a mass

    def box(self) -> tuple[_Floats, _Floats, float]:
        """Return the middle (3,) and the half sides (3,) of the box around it, and its farthest point."""
        shape, R = find_shape(self.shape), axis_rotation(self.axis)
        middle, half, farthest = enclosing_box(shape.name, canonical_dims(shape, self.values))
        return R @ middle, np.abs(R) @ half, farthest


def parse_solid(
    cells: Mapping[str, str], factor: _UnitFactor, materials: dict[str, Material] | None = None
) -> SolidInput:
    """Parse the cells of one solid; mass precedes density precedes material; docs/formulas.md, section 12."""
    # factor: input, unit, powers of mass, length, time → to coherent units. SolidInputError names the faulty cell.
    shape = _read_cell("shape", lambda: _cached_shape(cells.get("shape", "").strip()))
    stated, sources = _stated_cells(cells)
    dims = _with_level(_read_cell("dims", lambda: _cached_dims(stated.get("dims", ""))), stated)
    values: dict[str, float] = {}
    sigmas: dict[str, float] = {}
    for one in dims:
        column = one.name if one.name in shape.counts or one.name == "sides" else "dims"
        _add_input(one, "dims", 1.0 if column != "dims" else None, factor, values, sigmas)
    _add_amounts(stated, ("wall", sources[0]), factor, values, sigmas, materials)
    axis = _read_cell("axis", lambda: _solid_axis(stated.get("axis", "z")))
    return SolidInput(shape.name, values, sigmas, axis, sources[0], tuple(sources[1:]))


def _stated_cells(cells: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the cells that are not blank, and those that state a mass, by precedence; raises without one."""
    stated = {name: text.strip() for name, text in cells.items() if text.strip()}
    if not (sources := [name for name in _MASS_INPUTS if name in stated]):
        raise SolidInputError("density", "mass, density and material are not stated; one of them is needed")
    return stated, sources


class MeshDescription(NamedTuple):
    """One mesh as it is described, in coherent units."""

    path: str  # as written
    unit: float | None  # length of one unit of the file; None: not stated
    scale: float  # factor on all coordinates
    values: dict[str, float]  # mass or density, wall and voxel, where stated
    sigmas: dict[str, float]  # one standard deviation; also of the surface offset, and of the scale as a share
    source: str  # mass, density or material
    unused: tuple[str, ...] = ()  # cells that also state a mass


def parse_mesh(
    cells: Mapping[str, str], factor: _UnitFactor, materials: dict[str, Material] | None = None
) -> MeshDescription:
    """Parse the cells that describe one mesh; mass precedes density precedes material."""
    stated, sources = _stated_cells(cells)
    values: dict[str, float] = {}
    sigmas: dict[str, float] = {}
    _add_amounts(stated, ("wall", "voxel_size", sources[0]), factor, values, sigmas, materials)
    for name, value in values.items():
        if not value > 0:
            raise SolidInputError(name, f"{name} is not positive: {stated.get(name, '')}")
    if "voxel_size" in sigmas:
        raise SolidInputError("voxel_size", f"voxel size has no tolerance: {stated['voxel_size']}")
    if "voxel_size" in values:
        values["voxel"] = values.pop("voxel_size")
    units = stated.get("mesh_units")
    unit = None if units is None else _read_cell("mesh_units", lambda: factor("mesh_units", units, (0, 1, 0)))
    text = stated.get("mesh_scale", "1")
    (one,) = _with_level(_read_cell("mesh_scale", lambda: _parse_amount("mesh_scale", text)), stated)
    if one.unit or not one.value > 0:
        raise SolidInputError("mesh_scale", f"mesh_scale is not a positive number without a unit: {text}")
    if (sigma := _read_cell("mesh_scale", one.sigma)) is not None:
        sigmas["scale"] = sigma / one.value
    scale = float(one.value)
    if "surface_offset" in stated:
        _add_offset(stated, factor, sigmas)
    return MeshDescription(stated.get("mesh", ""), unit, scale, values, sigmas, sources[0], tuple(sources[1:]))


def _with_level(found: Sequence[DimensionText], stated: Mapping[str, str]) -> Sequence[DimensionText]:
    """Return dimensions whose tolerances have the level of ``tolerances`` where they state none."""
    if not (text := stated.get("tolerances", "")):
        return found
    level = _tolerance_level(f"{text}σ" if text.replace(".", "", 1).isdecimal() else text, "tolerances-are")
    return [one if one.level is not None or one.tolerance is None else replace(one, level=level) for one in found]


def _add_offset(stated: Mapping[str, str], factor: _UnitFactor, sigmas: dict[str, float]) -> None:
    """Add the sigma of a uniform offset of the surface."""
    text = stated["surface_offset"]
    whole = text if re.match(r"[+-]?[\d.]", text) else f"0{text}"
    (one,) = _with_level(_read_cell("surface_offset", lambda: _parse_amount("surface_offset", whole)), stated)
    if one.value or one.tolerance is None:
        raise SolidInputError("surface_offset", f"surface offset is a tolerance such as ±0.05 mm (2σ), not {text}")
    size = _read_cell("surface_offset", lambda: factor("surface_offset", one.unit, (0, 1, 0)))
    sigmas["offset"] = _read_cell("surface_offset", one.sigma) * size


def _add_amounts(
    stated: Mapping[str, str],
    names: Sequence[str],
    factor: _UnitFactor,
    values: dict[str, float],
    sigmas: dict[str, float],
    materials: dict[str, Material] | None,
) -> None:
    """Add the amounts that are stated."""
    for name in names:
        if name == "material":
            material = _read_cell("material", lambda: find_material(stated["material"], materials))
            size = _read_cell("material", lambda: factor("density", "kg/m3", _POWERS["density"]))
            values["density"] = material.density * size
            if material.half_range:
                sigmas["density"] = material.half_range * size / 3**0.5
        elif name in stated:
            found = _read_cell(name, lambda name=name: _parse_amount(name, stated[name]))  # type: ignore[misc] # has a default
            (one,) = _with_level(found, stated)
            _add_input(one, name, None, factor, values, sigmas)


_CACHED_TEXTS = 4096  # different texts of a table that are parsed once
_cached_shape = lru_cache(_CACHED_TEXTS)(find_shape)
_cached_dims = lru_cache(_CACHED_TEXTS)(parse_dims)


def _parse_amount(name: str, text: str) -> tuple[DimensionText, ...]:
    """Parse one number with a tolerance and a unit, or raise."""
    try:
        return _cached_dims(f"{name}={text}")
    except UsageError as error:
        if "is not a dimension" not in str(error):
            raise
        raise UsageError(f"{name} is not a number with a unit: {text!r}") from None


def _read_cell(column: str, read: Callable[[], Any]) -> Any:
    """Return what is read of a cell; its faults name the cell."""
    try:
        return read()
    except SolidInputError:
        raise
    except UsageError as error:
        raise SolidInputError(column, str(error)) from None


def _add_input(
    one: DimensionText,
    column: str,
    size: float | None,
    factor: _UnitFactor,
    values: dict[str, float],
    sigmas: dict[str, float],
) -> None:
    """Add the value of one input, and its sigma; ``size`` is the factor of a number without a unit."""
    if size is None:
        size = _read_cell(column, lambda: factor(one.name, one.unit, _POWERS.get(one.name, (0, 1, 0))))
    sigma = _read_cell(column, one.sigma)
    values[one.name] = one.value * size
    if sigma is not None:  # ±0 too is known
        sigmas[one.name] = sigma * size


@lru_cache(_CACHED_TEXTS)
def _solid_axis(text: str) -> str | tuple[float, float, float]:
    """Return an axis by name, or as the three numbers of its direction, or raise."""
    if len(parts := text.replace(";", " ").replace(",", " ").split()) != 3:
        axis_rotation(text)
        return text
    try:
        x, y, z = (float(part) for part in parts)
    except ValueError:
        raise UsageError(f"axis must be x, y, z, -x, -y, -z or three numbers, not {text!r}") from None
    axis_rotation([x, y, z])
    return (x, y, z)


def solid_bodies(inputs: Sequence[SolidInput]) -> tuple[_Floats, _Floats, list[_SolidFault], list[_SolidSource]]:
    """Return ten values (n, 10) of solids, NaN with faults, their covariances (n, 10, 10), faults and sources."""
    # mass, Cx … Cz from the origin, Ixx … Iyz about the own centre; those of one shape in one step:
    # docs/formulas.md, section 12
    n = len(inputs)
    ten, V = np.full((n, 10), np.nan), np.zeros((n, 10, 10))
    faults: list[_SolidFault] = []
    sources: list[_SolidSource] = []
    groups: dict[tuple[str, ...], list[int]] = {}
    for k, one in enumerate(inputs):
        groups.setdefault((one.shape, *one.values), []).append(k)
    for (shape, *names), members in groups.items():
        arrays = {name: np.array([inputs[k].values[name] for k in members]) for name in names}
        amounts = {name: arrays.pop(name, None) for name in ("mass", "density", "wall")}
        try:
            found = solid_faults(shape, arrays, **amounts)
        except UsageError as error:
            faults += [(k, "dims", str(error)) for k in members]
            continue
        faults += [(members[one.row], one.name, one.message) for one in found]
        wrong = {one.row for one in found}
        if not (at := [k for k in range(len(members)) if k not in wrong]):
            continue
        of = [members[k] for k in at]
        density, mass, wall = (
            None if (given := amounts.get(name)) is None else given[at] for name in ("density", "mass", "wall")
        )
        dims = {name: values[at] for name, values in arrays.items()}
        computed, found_ten = unchecked_solids(shape, dims, (density, mass, wall), [inputs[k].axis for k in of])
        impossible = computed_body_faults(found_ten)  # what is not finite is a fault
        faults += [(of[j], "dims", message) for j, message in impossible.items()]
        ten[of] = np.where(np.isin(np.arange(len(of)), [*impossible])[:, None], np.nan, found_ten)
        names_with_sigma = {name for k in of for name in inputs[k].sigmas}
        sigmas = {name: [inputs[k].sigmas.get(name, 0.0) for k in of] for name in sorted(names_with_sigma)}
        for name, values in sigmas.items():
            vectors = computed.deviations(name, values)
            V[of] += vectors[:, :, None] * vectors[:, None, :]
            sources += [(k, name, vectors[j]) for j, k in enumerate(of) if inputs[k].sigmas.get(name)]
    return ten, V, faults, sources
