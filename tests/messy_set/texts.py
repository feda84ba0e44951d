"""Text tables as they are exported and mailed: encodings, delimiters, line ends, decimal commas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.messy_set.sheet_text import visible


@dataclass(frozen=True)
class Text:
    """A drawing whose bars become delimiters; a cell that holds the delimiter is quoted."""

    drawing: str
    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\r\n"
    first_line: str = ""

    def write(self, path: Path) -> None:
        """Write the bytes as the sender's program would."""
        lines = [self._line(line) for line in self.drawing.strip("\n").splitlines()]
        text = self.line_end.join([self.first_line] * bool(self.first_line) + lines) + self.line_end
        path.write_bytes(text.encode(self.encoding))

    def _line(self, line: str) -> str:
        cells = (visible(cell.strip()).removeprefix(".") for cell in line.split("|"))
        return self.delimiter.join(f'"{cell}"' if self.delimiter in cell else cell for cell in cells)


TEXTS = {
    "german_cp1252.csv": Text(
        """
Ebene | Teilenummer | Benennung | Menge | Masse [kg]
0 | PR-0 | Prüfstand | 1 |
1 | PR-1 | Gestell | 1 | 86,5
1 | PR-2 | Führung | 4 | 2,75
1 | PR-3 | Kühlgerät | 1 | 31,2
""",
        delimiter=";",
        encoding="cp1252",
    ),
    "german_points_and_commas.csv": Text(
        """
Ebene | Teilenummer | Benennung | Menge | Masse [kg]
0 | TG-0 | Turmgerüst | 1 |
1 | TG-1 | Mast | 1 | 1.234,5
1 | TG-2 | Ausleger | 2 | 310,25
1 | TG-3 | Seil | 1 | 95
""",
        delimiter=";",
        encoding="cp1252",
    ),
    "french_utf16.txt": Text(
        """
Niveau | Référence | Désignation | Quantité | Masse (kg)
0 | VE-0 | Véhicule | 1 |
1 | VE-1 | Châssis | 1 | 145,8
1 | VE-2 | Roue | 4 | 7,35
1 | VE-3 | Batterie | 2 | 24,6
""",
        delimiter="\t",
        encoding="utf-16",
    ),
    "spanish_semicolons.csv": Text(
        """
Nivel | Número de pieza | Descripción | Cantidad | Masa (kg)
0 | DR-0 | Dron | 1 |
1 | DR-1 | Bastidor | 1 | 2,4
1 | DR-2 | Hélice | 4 | 0,05
1 | DR-3 | Batería | 1 | 1,15
""",
        delimiter=";",
    ),
    "japanese_shift_jis.csv": Text(
        """
レベル | 部品番号 | 名称 | 数量 | 質量(kg)
0 | R-0 | ロボット | 1 |
1 | R-1 | ベース | 1 | 18.4
1 | R-2 | アーム | 2 | 5.3
1 | R-3 | モータ | 3 | 1.2
""",
        encoding="shift_jis",
    ),
    "japanese_utf8_bom.csv": Text(
        """
レベル | 部品番号 | 名称 | 数量 | 質量(kg)
0 | S-0 | 衛星 | 1 |
1 | S-1 | 構体 | 1 | 21.5
1 | S-2 | 太陽電池パネル | 2 | 3.25
1 | S-3 | 電池 | 1 | 4
""",
        encoding="utf-8-sig",
    ),
    "quoted_thousands.csv": Text("""
Level | Part Number | Qty | Mass [kg]
0 | TRAILER | 1 |
1 | BED | 1 | 2,450
1 | AXLE | 2 | 1,125
1 | COUPLING | 1 | 95
"""),
    "quoted_thousands_settled_by_a_point.csv": Text("""
Level | Part Number | Qty | Mass [kg]
0 | TRAILER | 1 |
1 | BED | 1 | 2,450
1 | AXLE | 2 | 412.5
1 | COUPLING | 1 | 95
"""),
    "tabs_title_total.txt": Text(
        """
Mass list of gripper GR-7 | | |
Exported 2024-05-06 | | |
.
Level | Part Number | Qty | Mass (g)
0 | GR-7 | 1 |
1 | GR-7-1 | 1 | 640
1 | GR-7-2 | 2 | 85.5
1 | GR-7-3 | 6 | 4
Total | | | 835
""",
        delimiter="\t",
    ),
    "carriage_returns.csv": Text(
        """
Level | Part Number | Description | Qty | Mass [kg]
0 | K-0 | Kayak | 1 |
1 | K-1 | Hull | 1 | 14.5
1 | K-2 | Seat | 2 | 1.1
""",
        delimiter=";",
        encoding="cp1252",
        line_end="\r",
    ),
    "separator_line.csv": Text(
        """
Level | Part Number | Qty | Mass [kg]
0 | TURBINE | 1 |
1 | BLADE | 3 | 5400
1 | HUB | 1 | 9000
1 | NACELLE | 1 | 51000
""",
        delimiter=";",
        first_line="sep=;",
    ),
    "pounds_and_inches.csv": Text("""
Part Number | Parent | Qty | Weight (lbs) | X (in) | Y (in) | Z (in)
PALLET | | 1 | | | |
RACK | PALLET | 1 | 40 | 10 | 0 | 20
PUMP | PALLET | 1 | 60 | 30 | -5 | 10
"""),
    "levels_in_german_with_stated_assemblies.csv": Text(
        """
Stufe | Teilenummer | Benennung | Menge | Masse [kg]
0 | W-0 | Wagen | 1 | 130
1 | W-1 | Rahmen | 1 | 90
2 | W-2 | Längsträger | 2 | 35
2 | W-3 | Querträger | 4 | 5
1 | W-4 | Rad | 4 | 10
""",
        delimiter=";",
        encoding="cp1252",
    ),
}
