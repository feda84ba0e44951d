"""The inputs of solids as text: dimensions with tolerances and units, and the table of materials."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from massprops_cli.findings import ConfigError, UsageError, nearest_name_hint

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DIMENSION = re.compile(
    rf"\s*(?P<name>[A-Za-zØ⌀][A-Za-z0-9_]*)\s*[=:]\s*(?P<value>{_NUMBER})\s*(?P<unit>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*"
    rf"(?:(?:±|\+/-|\+-)\s*(?P<tolerance>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%)?\s*)?"
    r"(?P<late>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*(?:\(\s*(?P<level>[^)]*?)\s*\)\s*)?(?P<last>[^\d\s±+(;%,.=-][^\s±+(;%,=-]*)?\s*"
)
_LEVEL = re.compile(rf"(?:k\s*=\s*)?({_NUMBER})?\s*(?:σ|s|sigma)?", re.IGNORECASE)


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
            raise UsageError(f"level of ±{self.tolerance:g} of {self.name} is not stated: uniform, or how many sigmas")
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
    parts = [part for part in re.split(r"[;\n]", text) if part.strip()]
    if len(parts) == 1 and parts[0].count("=") > 1:
        parts = parts[0].split(",")
    found = tuple(_dimension(part) for part in parts)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"dimension {twice} is given twice in {text!r}")
    if not found:
        raise UsageError("no dimensions are given; write them as r=50 mm; L=300 mm")
    return found


def _dimension(text: str) -> DimensionText:
    """Parse one dimension, or raise."""
    match = _DIMENSION.fullmatch(text.replace("−", "-").replace("\u00a0", " "))
    if match is None:
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
    keys = {_key(word): one for one in table.values() for word in (one.name, *one.aliases)}
    found = keys.get(_key(name))
    if found is None:
        known = [word for one in table.values() for word in (one.name, *one.aliases)]
        raise UsageError(f"unknown material {name!r}{nearest_name_hint(name, known)}")
    return found


def _key(name: str) -> str:
    """Return a name as it is compared."""
    return re.sub(r"[\s_-]+", "", name).casefold()


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
        raise ConfigError(f"{path}: {error}") from error
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
    return Material(
        name,
        float(density),
        str(entry.get("published", "")),
        str(entry.get("source", "")),
        tuple(str(alias) for alias in entry.get("aliases", ())),
        None if half is None else float(half),
    )
