"""What is fuzzed: a function of bytes for each input format and each text of an option.

A target may raise the errors that the package documents. Any other exception is a fault, and so is an input that needs
more time or memory than the caps below.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import massprops_cli as mp
from massprops_cli.bom import configuration_file as location
from massprops_cli.files.meshes import mesh_file
from tests.fuzz.archives import archive_of_text
from tests.mesh_examples import parsed_here
from tests.unit import test_files_workbook_read_xlsb as xlsb_parts

Run = Callable[[bytes], None]

CPU_SECONDS = 10.0
"""Most processor time of one input, under instrumentation; a rejection without it has half of this."""

LONGEST_INPUT = 16_384
"""Most bytes of an input that the fuzzer makes; the caps below are far under what such an input could ask for."""

CAPS = mp.ReadCaps(inflated=2**24, cells=200_000, columns=2_000, characters=2**20, depth=2_000, items=50_000)

MESHES = (".stl", ".obj", ".ply", ".off", ".gltf", ".glb", ".dae", ".3mf")
"""Suffixes of mesh files; a tetrahedron of each is a seed."""

_BOM = (
    "id;parent;name;mass [kg];Cx [mm];Cy [mm];Cz [mm];Ixx;Iyy;Izz;Ixy;Ixz;Iyz;qty;sigma_mass;material;cost\n"
    "SAT;;Satellite;;;;;;;;;;;1;;;\n"
    "P.1;SAT;Panel;2.5;1;2;3;0.1;0.1;0.1;0;0;0;2;0.1;steel;5\n"
    "P.2;SAT;Box, small;1.25;-1;0;0.5;0.2;0.3;0.4;0.01;0;0;1;0.05;Al 6061;7\n"
)


@dataclass(frozen=True)
class Target:
    """A target: what it runs, and texts or files to start from."""

    run: Run
    seeds: tuple[bytes, ...]


@cache
def _folder() -> Path:
    """A folder of files that a target writes and reads; memory if there is a file system in memory."""
    memory = Path("/dev/shm")
    holder = tempfile.TemporaryDirectory(prefix="massprops-fuzz-", dir=memory if memory.is_dir() else None)
    _KEPT.append(holder)
    return Path(holder.name)


_KEPT: list[Any] = []


def _computed(bom: mp.Bom) -> mp.Result:
    """Roll up a table, and make everything that is printed of its findings."""
    result = mp.rollup(bom, keep_going=True, progress=False)
    for finding in [*bom.findings, *result.findings]:
        str(finding)
        finding.to_dict()
    result.to_dict()
    return result


def _read_bytes(data: bytes, format: str, name: str = "-", **options: Any) -> mp.Bom:
    return mp.read_bom(name, stdin=io.BytesIO(data), format=format or None, caps=CAPS, config=False, **options)


def _table(format: str, written: str = "") -> Run:
    """Read a file of a format, compute it, and write it."""

    def run(data: bytes) -> None:
        try:
            result = _computed(_read_bytes(data, format))
            if written:
                result.save(_folder() / f"out.{written}", add=("sigma", "principal"))
        except mp.MasspropsError as error:
            str(error)

    return run


def _archive(kind: str, written: str = "") -> Run:
    """Read an archive: its bytes, or the text of its parts, so that the fuzzer meets no checksum."""
    table = _table("" if kind == "openrocket" else kind, written)

    def run(data: bytes) -> None:
        table(data if data[:2] in (b"PK", b"\xd0\xcf") else archive_of_text(kind, data))

    return run


def _side_file(keyword: str, suffix: str) -> Run:
    """Read the sample table together with a file that an option names."""

    def run(data: bytes) -> None:
        path = _folder() / f"side.{suffix}"
        path.write_bytes(data)
        options: dict[str, Any] = {keyword: path if keyword == "config" else str(path)}
        if keyword != "config":
            options["config"] = False
        try:
            _computed(mp.read_bom("-", stdin=io.BytesIO(_BOM.encode()), caps=CAPS, **options))
        except mp.MasspropsError as error:
            str(error)

    return run


@cache
def _sample() -> mp.Bom:
    return _read_bytes(_BOM.encode(), "csv")


@cache
def _sample_result() -> mp.Result:
    return mp.rollup(_sample(), progress=False)


def _correlations(data: bytes) -> None:
    path = _folder() / "correlations.csv"
    path.write_bytes(data)
    try:
        mp.rollup(_sample(), correlate="part", correlations=str(path), keep_going=True, progress=False)
    except mp.MasspropsError as error:
        str(error)


def _budget(data: bytes) -> None:
    path = _folder() / "budget.toml"
    path.write_bytes(data)
    try:
        checked = mp.check(_sample_result(), mp.read_budget(path))
        [str(one) for one in checked.findings]
    except mp.MasspropsError as error:
        str(error)


def _mechanism(data: bytes) -> None:
    try:
        mp.read_mechanism(data)
    except mp.MasspropsError as error:
        str(error)


def _robot_mechanism(data: bytes) -> None:
    """Read a robot as a mechanism with a fixed and with a free base, and compute its mass matrix."""
    for base in ("fixed", "free"):
        try:
            model = mp.SpatialModel.read(data, reading=mp.RobotReading(base=base))  # type: ignore[arg-type] # of two words
            model.at().mass_matrix()
        except mp.MasspropsError as error:
            str(error)


def _robot(name: str) -> Run:
    """Read a robot, compute its inertials, and read the file that is written."""

    def run(data: bytes) -> None:
        for options in ({}, {"on_failure": "default"}, {"replace": True, "source": "visual"}):
            try:
                made = mp.resolve_inertials(name, content=data, **options)
                for finding in made.findings:
                    str(finding)
                mp.resolve_inertials(name, content=made.content)
            except mp.MasspropsError as error:
                str(error)
        _table("")(data)

    return run


def _mesh(suffix: str) -> Run:
    """Read a mesh file as the volume, as the surface and as the voxels of a part, and check it."""

    def run(data: bytes) -> None:
        path = _folder() / f"body{suffix}"
        path.write_bytes(data)
        for head, cell in (("wall", ""), ("wall", "1 mm"), ("voxel_size", "5 mm")):
            table = f"id,parent,mesh,mesh_units,density,{head}\nS,,,,,\nA,S,{path.name},mm,1 kg/m3,{cell}\n".encode()
            (_folder() / "parts.csv").write_bytes(table)
            try:
                with mock.patch.object(mesh_file, "_answer", parsed_here):
                    _computed(mp.read_bom(_folder() / "parts.csv", caps=CAPS, config=False))
            except mp.MasspropsError as error:
                str(error)

    return run


def _option(keyword: str, as_value: Callable[[str], Any] = lambda text: text, bom: str = _BOM) -> Run:
    """Read the sample table with one option, whose text is the input."""

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        try:
            _computed(_read_bytes(bom.encode(), "csv", **{keyword: as_value(text)}))
        except mp.MasspropsError as error:
            str(error)

    return run


def _mapping(text: str) -> Mapping[str, str]:
    """``quantity=text``, a pair a line."""
    return {line.partition("=")[0].strip(): line.partition("=")[2] for line in text.split("\n")}


def _caps_of_text(text: str) -> mp.ReadCaps:
    from massprops_cli.files.options import resolve_caps

    return resolve_caps(text.split("\n"))


def _cap(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        mp.read_bom("-", stdin=io.BytesIO(_BOM.encode()), format="csv", caps=_caps_of_text(text), config=False)
    except mp.MasspropsError as error:
        str(error)


def _rollup_option(keyword: str) -> Run:
    def run(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        try:
            result = mp.rollup(_sample(), keep_going=True, progress=False, **{keyword: text})
            str(result.probabilities), str(result.intervals)
        except mp.MasspropsError as error:
            str(error)

    return run


def _threshold(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        mp.diff(_sample(), _sample(), thresholds=[text])
    except mp.MasspropsError as error:
        str(error)


def _whatif(data: bytes) -> None:
    """``ID.quantity=value``, a pair a line; ``+`` before a line adds an item, ``-`` removes one."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    values = _mapping("\n".join(line for line in lines if line[:1] not in ("+", "-")))
    try:
        changed = mp.whatif(
            _sample(),
            set={key: value for key, value in values.items() if key},
            new=[line[1:] for line in lines if line[:1] == "+"],
            drop=[line[1:] for line in lines if line[:1] == "-"],
            keep_going=True,
        )
        str(changed.to_dict())
    except mp.MasspropsError as error:
        str(error)


_SOLID_COLUMNS = ("shape", "dims", "wall", "axis", "density", "material", "mass [kg]")


def _solid(data: bytes) -> None:
    """A table of one solid: a cell a line, in the order of the columns above."""
    cells = data.decode("utf-8", "replace").replace("\r", "").split("\n")[: len(_SOLID_COLUMNS)]
    cells += [""] * (len(_SOLID_COLUMNS) - len(cells))
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    text = f"id,parent,{','.join(_SOLID_COLUMNS)}\nS,,,,,,,,\nA,S,{quoted}\n"
    try:
        _computed(_read_bytes(text.encode(), "csv"))
    except mp.MasspropsError as error:
        str(error)


def _cells(data: bytes) -> None:
    """Texts of cells of numbers and of headers with units: a text a line."""
    texts = data.decode("utf-8", "replace").replace("\r", "").split("\n")[:8]
    texts += ["1"] * (8 - len(texts))
    shown = ['"' + one.replace('"', '""') + '"' for one in texts]
    head, values = shown[:3], shown[3:]
    text = f"id,parent,{','.join(head)},qty\nS,,,,,\nA,S,{','.join(values[:4])}\nB,S,1,2,3,{values[4]}\n"
    try:
        _computed(_read_bytes(text.encode(), "csv"))
    except mp.MasspropsError as error:
        str(error)


def _toml(data: bytes) -> None:
    """A text as TOML: the check before the parser, and the parser."""
    try:
        location.toml_tables(data.decode("utf-8", "replace"))
    except (mp.MasspropsError, ValueError) as error:
        str(error)


def _lines(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


_CSV = (
    "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],qty\nWing,,,,,,\nSpar,Wing,12.5,1.2,0,0.1,1\nSkin,Wing,8.1,1.5,0,0.12,2\n"
)
_SEMICOLON = (
    'Nr;Pos;Bezeichnung;Masse (g);Menge\n1;1;Gerät;;1\n2;1.1;Rahmen;"1.234,5";2\n3;1.2;Deckel;350,25;1\n;;Summe;;\n'
)
_LEVELS = "Level,Part,Weight [lb],Qty,CG X\n0,Top,,1,\n1,A,2.5 lb,2,3\n2,B,~4,1,\n1,C,TBD,3,1\nTotal,,9,,\n"
_JSON = (
    '[{"id": "W", "parent": null}, {"id": "a", "parent": "W", "mass [kg]": 1.5, "Cx [m]": [1, 2]}, '
    '{"id": "b", "parent": "W", "mass [kg]": "2"}]'
)
_NESTED = '{"items": [{"id": "W", "children": [{"id": "a", "mass": 2}]}], "n": 1e400}'
_MD = "# List\n\n| id | parent | mass [kg] |\n|---|:-:|--:|\n| W | | |\n| a | W | 1.5 |\n| b\\|c | W | 2 |\n"
_BUDGET = (
    '[[budget]]\nitem = "SAT"\nmass-max = "10 kg"\nmargin-min = "5 %"\nCx = "-5..5 mm"\nbasis = "basic"\n'
    'probability = "95 %"\n\n[[budget]]\nlevel = 1\nmass-min = "1 lb"\n\n'
    '[[waiver]]\nrule = "MP601"\nitem = "SAT"\nreason = "agreed"\nuntil = 2027-01-01\n'
)
_CONFIG = (
    '[columns]\nid = "id"\nmass = "mass [kg]"\n[units]\nmass = "g"\n[read]\nlayout = "parent"\npoi = "-"\n'
    'where = ["mass > 1"]\n'
    'root = "SAT"\ndecimal = "."\n[report]\nabout = "cg"\n[sigma-percent]\nweighed = 1\n'
    '[file."*.csv".read]\nsheet = "BOM"\n'
)
_MECHANISM = (
    '{"dims": {"L": "1/2"}, "gravity": [0, 0, -1], "bodies": [{"id": "1", "p": [0, 0, 0]}],'
    ' "joints": [{"name": "J", "type": "revolute", "i": "0", "j": "1", "pi": [0, "L", "-(L+1)"], "ai": [0, 0, 1]}]}'
)
_MJCF = (
    '<mujoco><compiler angle="radian" boundmass="0.1"/><default><default class="c"><geom type="capsule" size=".1 .2"/>'
    '</default></default><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" inertia="shell"/></asset><worldbody>'
    '<body name="a" childclass="c"><joint name="j" pos="0 0 1"/><geom euler="0 1 0"/><frame pos="1 0 0"><body name="b">'
    '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" quat="1 1 0 0"/></body></frame></body><replicate count="2">'
    '<body><geom class="main" type="mesh" mesh="m"/></body></replicate></worldbody></mujoco>'
)


def targets() -> dict[str, Target]:
    """All targets by name, with small seeds; `file_seeds` adds files of the repository."""
    return {
        "csv": Target(_table("csv", "csv"), _lines(_CSV, _SEMICOLON, _LEVELS, _BOM)),
        "tsv": Target(_table("tsv", "json"), _lines(_CSV.replace(",", "\t"))),
        "json": Target(_table("json", "json"), _lines(_JSON, _NESTED)),
        "jsonl": Target(_table("jsonl", "jsonl"), _lines(_JSON[1:-1].replace("}, {", "}\n{"))),
        "md": Target(_table("md", "md"), _lines(_MD)),
        "xlsx": Target(_archive("xlsx", "xlsx"), ()),
        "ods": Target(_archive("ods"), ()),
        "xls": Target(_table("xls"), ()),
        "xlsb": Target(_archive("xlsb"), ()),
        "parquet": Target(_table("parquet", "parquet"), ()),
        "feather": Target(_table("feather", "feather"), ()),
        "reports": Target(_table(""), ()),
        "sdf": Target(_robot("model.sdf"), ()),
        "urdf": Target(_robot("robot.urdf"), ()),
        "mjcf": Target(_robot("model.xml"), _lines(_MJCF)),
        **{suffix[1:]: Target(_mesh(suffix), ()) for suffix in MESHES},
        "openrocket": Target(_archive("openrocket"), ()),
        "mechanism": Target(_mechanism, _lines(_MECHANISM)),
        "robot-mechanism": Target(_robot_mechanism, ()),
        "configuration": Target(_side_file("config", "toml"), _lines(_CONFIG)),
        "budget": Target(_budget, _lines(_BUDGET)),
        "toml": Target(_toml, _lines(_CONFIG, _BUDGET, 'a.b."c" = [1, {x = 2}]\n')),
        "correlations": Target(_correlations, _lines("a,b,quantity,rho\nP.1,P.2,mass,0.5\nP.1,P.2,Cx,-1\n")),
        "growth-table": Target(_side_file("growth_table", "csv"), _lines("category,E,C\nstructure,25,15\n")),
        "tree": Target(_side_file("tree", "csv"), _lines("child,parent\nP.1,SAT\nP.2,P.1\n", "SAT P.1\nSAT P.2\n")),
        "cells": Target(
            _cells,
            _lines(
                "mass [kg]\nCx [mm]\nIxx (kg·m²)\n1 234,5 kg\n~3\n1.5e3\n2x\n0.5 lb",
                "Masse (g)\nCG (x,y,z) mm\nsigma_mass [%]\n(1.0; 2.0; 3.0)\n1/2\n5 ± 0.1\nTBD\n1,234",
            ),
        ),
        "solid": Target(
            _solid,
            _lines("cylinder\nr=50±0.5 mm (2σ); L=300 mm\n\nz\n7850 kg/m3\nsteel", "box\n1 x 2 x 3 m\n2 mm\n1,0,1"),
        ),
        "where": Target(
            _option("where"), _lines("mass > 1.5 kg", "name = 'Box, small'", "id ~ P.*", "material != steel")
        ),
        "map": Target(_option("map", _mapping), _lines("id=id\nmass=cost", "Cx=col:E\nname=B")),
        "unit": Target(_option("unit", _mapping), _lines("mass=g\nlength=in\ninertia=lb*in^2", "mass=kg/m^3*m3")),
        "units": Target(_option("units"), _lines("SI", "kg,mm", "kg,mm,kg*m^2", "slug,ft")),
        "inertia-about": Target(_option("inertia_about"), _lines("own", "origin", "1,2,3", "item:P.1")),
        "positive": Target(_option("positive"), _lines("F", "A,P")),
        "columns": Target(_option("columns"), _lines("id,parent,mass", '"a b",parent,mass')),
        "labels": Target(_option("skip_rows"), _lines("row:2", "Panel", "P.*")),
        "qty-column": Target(_option("qty_column"), _lines("qty", "Variant B")),
        "encoding": Target(_option("encoding"), _lines("cp1252", "utf-16", "utf-8-sig")),
        "delimiter": Target(_option("delimiter"), _lines(";", "tab", ",")),
        "sheet": Target(_option("sheet"), _lines("1", "BOM")),
        "cap": Target(_cap, _lines("cells=60000000\ndepth=3", "text-cell-characters=4")),
        "probability": Target(
            _rollup_option("probability"), _lines("mass <= 850 kg", "SAT: Cx in -5..5 mm and mass > 1")
        ),
        "interval": Target(_rollup_option("intervals"), _lines("95%", "mass 99.7 %")),
        "threshold": Target(_threshold, _lines("mass 1 kg", "SAT: mass 0.5 %", "Ixx 1 kg*m^2")),
        "whatif": Target(_whatif, _lines("P.1.mass=2.3 lb\nP.2.Cx=4", "+X parent=SAT mass=2 kg\n-P.2", "P.1.growth=5")),
    }


def file_seeds(root: Path) -> dict[str, list[bytes]]:
    """Files of the repository that targets start from."""
    tests, samples = root / "tests", root / "sample_data"
    found: dict[str, list[bytes]] = {
        "csv": [path.read_bytes() for path in sorted(samples.glob("*.csv")) if path.stat().st_size < 4_000],
        "mechanism": [
            (samples / "suspension.json").read_bytes(),
            (tests / "data/mechanism/sla_suspension.json").read_bytes(),
        ],
        "reports": [
            path.read_bytes()
            for path in sorted((tests / "importers").iterdir())
            if path.suffix in (".xml", ".txt", ".mass", ".urdf", ".sdf")
        ],
        "sdf": [
            path.read_bytes()
            for folder in ("importers", "data/robots")
            for path in sorted((tests / folder).glob("*.sdf"))
        ],
        "urdf": [path.read_bytes() for path in sorted((tests / "importers").glob("*.urdf"))],
        "xls": [path.read_bytes() for path in sorted((tests / "tables/traps").glob("*.xls"))],
        "ods": [],
        "budget": [path.read_bytes() for path in sorted(samples.glob("budget/*.toml"))],
        "configuration": [(root / "massprops_cli/cli/templates/massprops.toml").read_bytes()],
    }
    for suffix in MESHES:
        found[suffix[1:]] = _tetrahedra(suffix)
    found["robot-mechanism"] = [*found["sdf"], *found["urdf"]]
    found["budget"] += [re.sub(rb"(?m)^# (?=[a-z\[])", b"", one) for one in found["budget"]]
    found["configuration"] += [re.sub(rb"(?m)^# (?=[a-z])", b"", one) for one in found["configuration"]]
    found["xlsx"] = [_archive_text(samples / "equipment_list.xlsx")]
    found["ods"] = [_archive_text(path) for path in sorted((tests / "tables/traps").glob("*.ods"))]
    found["openrocket"] = [b"==> rocket.ork\n" + (tests / "importers/openrocket_sounding.xml").read_bytes()]
    cells = xlsb_parts.HEAD + xlsb_parts.row(2) + xlsb_parts.text_cell(0, "B") + xlsb_parts.number_cell(2, 1.25)
    found["xlsb"] = [_archive_text(io.BytesIO(xlsb_parts.xlsb(cells)))]
    for format in ("parquet", "feather"):
        path = _folder() / f"seed.{format}"
        _computed(_sample()).save(path)
        found[format] = [path.read_bytes()]
    return found


def _tetrahedra(suffix: str) -> list[bytes]:
    """Files of a tetrahedron and of two, as trimesh writes them: in text and in bytes where a format has both."""
    corners = np.array([[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]])
    import trimesh

    one = trimesh.Trimesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    two = trimesh.util.concatenate([one, one.copy().apply_translation([30, 0, 0])])
    kinds = {".stl": ("stl", "stl_ascii"), ".ply": ("ply",)}.get(suffix, (suffix[1:],))
    made = [mesh.export(file_type=kind) for kind in kinds for mesh in (one, two)]
    if suffix == ".ply":
        made.append(trimesh.exchange.ply.export_ply(one, encoding="ascii"))
    if suffix == ".gltf":
        made = [trimesh.exchange.gltf.export_gltf(one.scene(), merge_buffers=True, embed_buffers=True)["model.gltf"]]
    return [data.encode() if isinstance(data, str) else data for data in made]


def _archive_text(path: Path | io.BytesIO) -> bytes:
    """The parts of an archive as one text, as `archive_of_text` reads it."""
    with zipfile.ZipFile(path) as archive:
        names = [
            name for name in archive.namelist() if name.endswith((".xml", ".rels", ".bin")) and "theme" not in name
        ]
        return b"".join(b"==> " + name.encode() + b"\n" + archive.read(name) + b"\n" for name in names)
