"""Twelve equipment lists of different trades: ``python -m tests.tables.writers.trades`` writes them.

The numbers are invented. Text of a cell: a leading ' keeps it text, else a plain number becomes a number.
"""

import csv
import io
import re
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font

FILES = Path(__file__).parents[1] / "trades"
NUMBER = re.compile(r"-?\d+(\.\d+)?")


def cell_value(text):
    text = text.rstrip()
    bare = text.strip()
    if bare.startswith("'"):
        return bare[1:]
    if NUMBER.fullmatch(bare):
        return float(bare) if "." in bare else int(bare)
    return bare or None


def block(text):
    """List the rows of a text block, cells separated by |."""
    return [[cell_value(cell) for cell in line.split("|")] for line in text.strip("\n").splitlines()]


def save_workbook(name, title, rows, merged=(), hidden=(), side=(), bold=(), other=None):
    book = Workbook()
    sheet = book.active
    sheet.title = title
    for r, row in enumerate(rows, 1):
        for c, value in enumerate(row, 1):
            if value is not None:
                sheet.cell(r, c, value)
    for address, value in side:
        sheet[address] = value
    for address in merged:
        sheet.merge_cells(address)
    for column in hidden:
        sheet.column_dimensions[column].hidden = True
    for r in bold:
        for cell in sheet[r]:
            cell.font = Font(bold=True)
    if other:
        extra = book.create_sheet(other[0])
        for row in other[1]:
            extra.append(row)
    book.save(FILES / name)


def save_csv(name, rows, delimiter=",", encoding="utf-8", pad=False):
    """Write rows; with `pad`, every row gets the width of the widest, as a spreadsheet exports it."""
    width = max(len(row) for row in rows) if pad else 0
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(
        [["" if value is None else value for value in row] for row in rows]
    )
    (FILES / name).write_bytes(text.getvalue().encode(encoding))


# 1 spacecraft ---------------------------------------------------------------------------------------------------------

SPACECRAFT = """
1|Structure
1.1|Central cylinder (CFRP)|1|38.60|10|PDR model
1.2|Shear panel|4|4.35|10|
1.3|Top / bottom deck|2|7.90|10|
1.4|Launch adapter ring, s/c side|1|6.25|5|off the shelf
2|Thermal
2.1|MLI, complete set|1|5.40|20|
2.2|Radiator panel|2|2.15|20|incl. OSR
2.3|Heater and thermistor set|1|0.85|20|
3|AOCS
3.1|Reaction wheel|4|5.10|5|flight proven
3.2|Star tracker OH|3|1.35|5|
3.3|Star tracker EU|1|1.80|5|
3.4|Magnetic torquer|3|1.95|5|
3.5|Coarse sun sensor|6|0.04|5|
3.6|GNSS receiver|2|TBD|20|supplier selection open
4|Power
4.1|Solar array wing|2|14.70|10|
4.2|SADM|2|4.60|10|
4.3|Battery module (Li-ion)|2|9.85|5|
4.4|PCDU|1|13.20|10|
5|Data handling & communication
5.1|OBC, redundant|1|7.40|10|
5.2|Mass memory|1|9.10|20|
5.3|S-band transponder|2|3.25|5|
5.4|X-band antenna assembly|1|4.05|10|
6|Harness
6.1|Harness, bus|1|24.00|20|5 % of dry, see note 1
7|Payload
7.1|Telescope|1|61.50|20|
7.2|Front-end electronics|2|5.75|20|
7.3|Payload data processor|1|8.30|20|
"""


def write_spacecraft():
    rows = block("""
PHOENIX-EO  Master Equipment List (dry)
PHX-SYS-MEL-004  Issue C|||||||| status PDR

WBS|Equipment|Qty|CBE mass [kg]||Contingency||MEV [kg]|Remarks
|||Unit|Total|[%]|[kg]
""")
    bold, group, grand = [1, 4, 5], None, [0.0, 0.0]

    def close(group):
        rows.append([None, f"Subtotal {group[0]}", None, None, group[1], None, group[2] - group[1], group[2]])
        for i in (4, 6, 7):
            rows[-1][i] = round(rows[-1][i], 2)
        bold.append(len(rows))
        grand[0] += group[1]
        grand[1] += group[2]

    for wbs, name, *rest in [line.split("|") for line in SPACECRAFT.strip().splitlines()]:
        if not rest:
            if group:
                close(group)
            group = [name, 0.0, 0.0]
            rows.append([wbs, name])
            bold.append(len(rows))
            continue
        qty, unit, percent, remark = int(rest[0]), cell_value(rest[1]), int(rest[2]), rest[3] or None
        if unit == "TBD":
            rows.append([wbs, name, qty, "TBD", None, percent, None, None, remark])
            continue
        cbe = qty * unit
        group[1] += cbe
        group[2] += cbe * (1 + percent / 100)
        rows.append(
            [
                wbs,
                name,
                qty,
                unit,
                round(cbe, 2),
                percent,
                round(cbe * percent / 100, 3),
                round(cbe * (1 + percent / 100), 3),
                remark,
            ]
        )
    close(group)
    cbe, mev = grand
    rows += [
        [],
        [None, "TOTAL DRY MASS", None, None, round(cbe, 1), None, round(mev - cbe, 1), round(mev, 1)],
        [None, "System margin", None, None, None, 20, None, round(0.2 * mev, 1)],
        [None, "Dry mass incl. system margin", None, None, None, None, None, round(1.2 * mev, 1)],
        [],
        ["Note 1: harness mass is an allocation until the first routing is available."],
        ["Note 2: contingency acc. to maturity: 5 % off the shelf, 10 % modified, 20 % new design."],
    ]
    log = [
        ["Issue", "Date", "Change"],
        ["A", "2023-05-02", "first issue"],
        ["B", "2023-11-20", "wheels 4 x 5.1 kg"],
        ["C", "2024-03-12", "payload updated after PDR"],
    ]
    merged = ["A1:I1", "A4:A5", "B4:B5", "C4:C5", "D4:E4", "F4:G4", "H4:H5", "I4:I5"]
    save_workbook("spacecraft_mel.xlsx", "MEL", rows, merged, bold=bold, other=("Change log", log))


# 2 CubeSat ------------------------------------------------------------------------------------------------------------

CUBESAT = """
Structure|3U frame, anodised|1|312|datasheet|2
|Separation springs + switches|1|18|weighed|1
|Fasteners (set)|1|46|estimate|20
EPS|EPS board|1|148|datasheet|5
|Battery pack 40 Wh|1|268|weighed|1
|Body panel, 3U side|3|129|CAD|5
|Body panel, with sun sensor|1|134|CAD|5
|Deployable panel|2|171|CAD|10
ADCS|ADCS unit (3 wheels, 3 rods)|1|506|datasheet|5
|Fine sun sensor|2|6.5|weighed|1
|GPS patch antenna|1|21|weighed|1
OBC|On-board computer|1|94|weighed|1
COM|UHF transceiver|1|85|datasheet|5
|UHF antenna module|1|89|datasheet|5
|S-band transmitter|1|132|datasheet|5
|S-band patch|1|49|datasheet|5
Payload|Camera with lens|1|412|CAD|15
|Baffle|1|TBD|-|-
|Payload interface board|1|78|estimate|20
Harness|Cable harness|1|110|estimate|25
Thermal|Tape, straps|1|34|estimate|25
"""


def write_cubesat():
    lines = [
        "# LYRA-3U mass budget",
        "",
        "Status: CDR-1. All masses in grams; *source* is how the mass is known.",
        "",
        "| Subsystem | Component | Qty | Unit mass (g) | Total (g) | Source | Margin | With margin (g) |",
        "|---|---|---:|---:|---:|---|---:|---:|",
    ]
    total = with_margin = 0.0
    for line in CUBESAT.strip("\n").splitlines():
        subsystem, name, qty, unit, source, margin = line.split("|")
        if unit == "TBD":
            lines.append(f"| {subsystem} | {name} | {qty} | TBD | | {source} | {margin} | |")
            continue
        mass = int(qty) * float(unit)
        total += mass
        with_margin += mass * (1 + int(margin) / 100)
        lines.append(
            f"| {subsystem} | {name} | {qty} | {unit} | {mass:g} | {source} | {margin} % "
            f"| {mass * (1 + int(margin) / 100):.1f} |"
        )
    lines += [
        f"| **Total** | | | | **{total:.0f}** | | | **{with_margin:.0f}** |",
        "",
        f"Limit of the deployer: 4000 g. Remaining: {4000 - round(with_margin)} g.",
        "",
        "Baffle: the design is not frozen, a mass follows with the next issue.",
        "",
    ]
    (FILES / "cubesat_budget.md").write_text("\n".join(lines), encoding="utf-8")


# 3 launcher -----------------------------------------------------------------------------------------------------------

LAUNCHER = """
Stage 1
Engine bay incl. 9 engines|5480||1.35|1.12|0.95
Aft skirt|1120||2.20|1.68|0.74
RP-1 tank|2360||7.10|1.66|2.35
Intertank|740||11.25|1.69|0.52
LOX tank|3315||18.40|1.66|3.60
Forward skirt|690||25.15|1.69|0.55
Avionics and cabling, stage 1|415||13.00|1.50|6.20
RP-1||38900|6.80|1.15|2.02
LOX||91200|17.60|1.15|3.31
Interstage
Interstage structure|1240||28.60|1.69|1.70
Separation system|185||26.40|1.60|1.10
Stage 2
Engine, vacuum|610||29.10|0.42|0.78
Thrust frame|235||30.65|0.88|0.60
RP-1 tank|540||32.30|1.60|0.95
LOX tank|815||34.90|1.60|1.30
Avionics bay|390||37.05|1.35|0.90
RP-1||7150|32.20|1.12|0.88
LOX||16750|34.75|1.12|1.14
Upper part
Payload adapter|145||38.20|0.70|0.51
Payload (reference)|2800||40.10|0.85|1.05
Fairing, two halves|1460||41.30|1.58|2.62
"""


def write_launcher():
    rows = block("""
Mass and inertia data sheet, lift-off configuration
Datum: gimbal plane of stage 1, X positive to the nose. All elements are centred on the vehicle axis (Y = Z = 0).
k: radii of gyration about the own CG of the element

Element|Dry mass|Propellant|Gross mass|X CG|kx|ky = kz
|[kg]|[kg]|[kg]|[m]|[m]|[m]
""")
    bold, stage, total = [1, 5, 6], None, [0, 0, 0.0]

    def close(stage):
        gross = stage[1] + stage[2]
        rows.append([f"Total {stage[0]}", stage[1], stage[2] or None, gross, round(stage[3] / gross, 2)])
        bold.append(len(rows))
        total[0] += stage[1]
        total[1] += stage[2]
        total[2] += stage[3]

    for name, *rest in block(LAUNCHER):
        if not rest:
            if stage:
                close(stage)
            stage = [name, 0, 0, 0.0]
            rows.append([name])
            bold.append(len(rows))
            continue
        dry, propellant, x, kx, ky = rest
        gross = (dry or 0) + (propellant or 0)
        stage[1] += dry or 0
        stage[2] += propellant or 0
        stage[3] += gross * x
        rows.append([name, dry, propellant, gross, x, kx, ky])
    close(stage)
    gross = total[0] + total[1]
    rows += [
        ["VEHICLE AT LIFT-OFF", total[0], total[1], gross, round(total[2] / gross, 2)],
        [],
        ["Remark: propellant incl. residuals; pressurant gas not yet included."],
    ]
    save_workbook("launcher_stages.xlsx", "Stages", rows, ["A1:G1", "A2:G2", "A5:A6"], bold=bold)


# 4 ship ---------------------------------------------------------------------------------------------------------------

SHIP = """
100|HULL STRUCTURE
110|Shell and supporting structure|482.6|3.42|1.85A|
120|Hull structural bulkheads|116.4|4.10|0.60F|
130|Hull decks|148.9|6.85|2.10A|0.04P
150|Deck house structure|96.2|11.30|4.40F|
160|Special structures|24.7|5.20|21.30F|0.10S
180|Foundations|51.3|2.75|11.60A|0.06S
200|PROPULSION PLANT
230|Propulsion units|118.5|2.95|13.20A|
240|Transmission and propulsors|64.8|1.90|26.45A|
250|Support systems|29.4|4.35|12.80A|0.22P
300|ELECTRIC PLANT
310|Electric power generation|58.7|3.60|4.15A|0.35S
320|Power distribution|37.2|6.15|1.10F|
330|Lighting system|8.9|8.40|0.85F|
400|COMMAND AND SURVEILLANCE
410|Command and control|6.4|12.85|7.70F|
420|Navigation systems|4.1|15.60|6.95F|0.30P
440|Exterior communications|5.3|17.25|5.20F|0.45S
500|AUXILIARY SYSTEMS
510|Climate control|42.8|7.95|1.75F|0.15P
520|Sea water systems|35.6|3.05|3.40A|0.05S
550|Air, gas and misc. fluids|19.9|4.80|6.10A|0.25P
560|Steering and manoeuvring|27.3|2.60|31.75A|
580|Mooring, anchor, boat handling|46.1|8.20|19.60F|0.40S
600|OUTFIT AND FURNISHINGS
620|Hull compartmentation|33.5|8.05|2.30F|
630|Preservatives and coverings|41.0|5.55|0.40A|
640|Living spaces|28.6|9.70|6.20F|0.12P
700|ARMAMENT
710|Guns and ammunition handling|17.8|10.60|22.10F|
"""
DEADWEIGHT = """
F10|Crew and effects|6.2|9.40|3.10F|
F30|Stores and provisions|14.5|5.90|8.25F|0.60P
F41|Diesel fuel|165.0|1.95|3.75A|0.08S
F46|Lubricating oil|7.6|2.30|14.20A|0.90P
F52|Fresh water|28.0|2.15|11.90F|0.35P
"""


def signed(text, positive):
    """Return the position written with a letter, positive for the letter `positive`."""
    if not text:
        return 0.0
    return float(text[:-1]) * (1 if text[-1] == positive else -1)


def lettered(value, positive, negative):
    return f"{abs(value):.2f}{positive if value >= 0 else negative}"


def write_ship():
    rows = [
        ["OPV 62 - WEIGHT ESTIMATE (SWBS), CONTRACT DESIGN"],
        ["VCG above baseline; LCG from midships, F = forward, A = aft; TCG from centreline, P = port, S = starboard"],
        [],
        [
            "SWBS",
            "Description",
            "Weight (t)",
            "VCG (m)",
            "V-Mom (t.m)",
            "LCG (m)",
            "L-Mom (t.m)",
            "TCG (m)",
            "T-Mom (t.m)",
        ],
    ]

    def moments(line):
        weight, vcg = float(line[2]), float(line[3])
        return [weight, weight * vcg, weight * signed(line[4], "F"), weight * signed(line[5], "P")]

    def sum_row(name, sums, code=""):
        w, v, el, t = sums
        return [
            code,
            name,
            f"{w:,.1f}",
            f"{v / w:.2f}",
            f"{v:,.1f}",
            lettered(el / w, "F", "A"),
            f"{el:,.1f}",
            lettered(t / w, "P", "S"),
            f"{t:,.1f}",
        ]

    def item(line):
        _, v, el, t = moments(line)
        return [
            line[0],
            line[1],
            line[2],
            line[3],
            f"{v:,.1f}",
            line[4],
            f"{el:,.1f}",
            line[5],
            f"{t:,.1f}" if t else "",
        ]

    group, light = None, [0.0] * 4
    for line in [line.split("|") for line in SHIP.strip().splitlines()]:
        if len(line) == 2:
            if group:
                rows.append(sum_row(f"TOTAL GROUP {group[0]}", group[1]))
            group = (line[0], [0.0] * 4)
            rows.append(line)
            continue
        for i, value in enumerate(moments(line)):
            group[1][i] += value
            light[i] += value
        rows.append(item(line))
    rows.append(sum_row(f"TOTAL GROUP {group[0]}", group[1]))
    rows += [[], sum_row("LIGHTSHIP W/O MARGIN", light)]
    margin = ["M", "Design and building margin (4 %)", "62.0", "5.40", "0.50A", ""]
    rows.append(item(margin))
    light = [a + b for a, b in zip(light, moments(margin), strict=True)]
    rows += [sum_row("LIGHTSHIP", light), [], ["", "DEADWEIGHT"]]
    load = [0.0] * 4
    for line in [line.split("|") for line in DEADWEIGHT.strip().splitlines()]:
        load = [a + b for a, b in zip(load, moments(line), strict=True)]
        rows.append(item(line))
    rows += [
        sum_row("TOTAL DEADWEIGHT", load),
        sum_row("FULL LOAD DISPLACEMENT", [a + b for a, b in zip(light, load, strict=True)]),
        [],
        ["Remark: group 700 without ammunition, weight of mission modules TBD"],
    ]
    save_csv("ship_swbs.csv", rows, pad=True)


# 5 offshore module ----------------------------------------------------------------------------------------------------

OFFSHORE = """
STRUCTURAL
S-001|Main trusses, row A/B|412.5|412.5|1.05|14.250|11.800|29.600
S-002|Deck plating and girders, cellar deck|286.0|286.0|1.05|14.900|12.050|25.150
S-003|Deck plating and girders, main deck|301.4|301.4|1.05|15.100|12.000|33.200
S-004|Pedestal, crane|58.2|58.2|1.05|4.600|21.300|35.900
S-005|Secondary steel, stairs, handrails|74.8|74.8|1.15|15.600|11.400|30.400
MECHANICAL
V-2001|HP separator|86.4|128.9|1.03|9.850|7.450|28.300
V-2002|LP separator|64.1|101.5|1.03|9.850|13.600|28.100
K-2301|Export compressor package|142.0|147.3|1.08|22.400|16.250|35.400
E-2302A/B|Gas coolers (2 off)|37.6|44.2|1.08|24.900|9.300|34.850
P-2101A/B|Crude booster pumps (2 off)|18.8|19.9|1.03|19.700|5.150|26.200
T-4401|Diesel day tank|7.9|31.4|1.05|27.150|19.800|35.050
PIPING
L-100|Process piping, cellar deck|96.3|118.7|1.12|13.700|10.900|27.350
L-200|Process piping, main deck|71.5|80.6|1.12|18.300|13.100|35.100
L-300|Valves, actuated|43.2|44.0|1.10|14.450|11.250|29.700
ELECTRICAL & INSTRUMENTS
EL-01|Switchboards, LER|22.7|22.7|1.05|28.300|6.200|34.300
EL-02|Cables and trays|39.5|39.5|1.20|17.400|11.900|30.600
IN-01|Instruments and panels|14.6|14.6|1.15|17.900|12.700|30.200
SAFETY / HVAC / ARCHITECTURAL
SA-01|Deluge and fire water|16.9|27.8|1.12|14.100|12.300|31.500
HV-01|HVAC units and ducts|12.3|12.3|1.15|28.100|7.900|36.450
AR-01|LER walls, doors, insulation|28.5|28.5|1.10|28.250|7.050|34.600
"""


def write_offshore():
    rows = block("""
WEIGHT REPORT  Module M20 Process
Rev. 05|||||Coordinates: platform grid, EL above LAT

Item / Tag|Description|Weight [t]||WCF|Factored dry weight [t]|Centre of gravity [m]
||Dry|Operating|[-]||E|N|EL
""")
    bold, group = [1, 4, 5], None
    grand = [[0.0] * 6, [0.0] * 6]

    def sum_row(name, sums):
        dry, oper, factored, *moments = sums
        return [
            name,
            None,
            round(dry, 1),
            round(oper, 1),
            None,
            round(factored, 1),
            *[round(m / dry, 2) for m in moments],
        ]

    for tag, *rest in block(OFFSHORE):
        if not rest:
            if group:
                rows.append(sum_row(f"Total {group[0]}", group[1]))
                bold.append(len(rows))
            group = (tag, [0.0] * 6)
            rows.append([tag])
            bold.append(len(rows))
            continue
        name, dry, oper, wcf, *center = rest
        rows.append([tag, name, dry, oper, wcf, round(dry * wcf, 2), *center])
        for i, value in enumerate([dry, oper, dry * wcf, *[dry * c for c in center]]):
            group[1][i] += value
            grand[0][i] += value
        for i in range(3):
            grand[1][i] += oper * center[i]
    rows.append(sum_row(f"Total {group[0]}", group[1]))
    bold.append(len(rows))
    oper = grand[0][1]
    rows += [[], sum_row("TOTAL MODULE M20 - DRY", grand[0])]
    rows.append(
        [
            "TOTAL MODULE M20 - OPERATING",
            None,
            None,
            round(oper, 1),
            None,
            None,
            *[round(m / oper, 2) for m in grand[1][:3]],
        ]
    )
    rows += [
        [],
        ["WCF = weight contingency factor. CoG of item assumed identical for dry and operating condition."],
        ["Temporary lifting aids: TBC by yard"],
    ]
    merged = ["A1:I1", "A4:A5", "B4:B5", "C4:D4", "F4:F5", "G4:I4"]
    save_workbook("offshore_module.xlsx", "M20", rows, merged, bold=bold)


# 6 aircraft group weight statement ------------------------------------------------------------------------------------

AIRCRAFT = """
0|WING GROUP
1|Basic structure|968|182.4
1|Secondary structure|141|196.0
1|Ailerons|62|221.5
1|Flaps|128|218.3
0|TAIL GROUP
1|Horizontal stabilizer and elevator|174|431.2
1|Vertical fin and rudder|133|418.7
0|BODY GROUP
1|Basic structure|1124|214.6
1|Secondary structure - doors, windshield|236|141.9
0|ALIGHTING GEAR GROUP
1|Nose gear|118|72.5
1|Main gear|437|201.8
0|PROPULSION GROUP
1|Engines as installed (2)|936|168.1
1|Air induction and exhaust|84|165.4
1|Fuel system|151|187.6
1|Propellers (2)|312|131.7
0|FLIGHT CONTROLS GROUP
1|Cockpit controls|38|118.0
1|System controls|146|260.3
0|SYSTEMS AND EQUIPMENT
1|Instruments|67|104.2
1|Hydraulic group|59|188.0
1|Electrical group|328|152.7
1|Avionics group|187|88.4
1|Furnishings|412|205.5
1|Air conditioning and anti-ice|154|159.9
"""
USEFUL_LOAD = """
1|Crew (2)|360|124.0
1|Fuel - usable|1840|189.5
1|Fuel - unusable|32|188.0
1|Oil|36|160.5
1|Passengers (6)|1080|212.0
1|Baggage|240|301.0
"""


def write_aircraft():
    rows = [
        ["GROUP WEIGHT STATEMENT", "", "", "", "MODEL T-220"],
        ["WEIGHT EMPTY AND USEFUL LOAD", "", "", "", "DATE 6 MAY"],
        ["", "Fuselage station 0 is 60 in forward of nose"],
        [],
        ["LINE", "ITEM", "WEIGHT", "HORIZ ARM", "MOMENT"],
        ["", "", "LB", "IN", "IN-LB"],
    ]
    number = 0

    def line(name, weight, moment, arm=None):
        nonlocal number
        number += 1
        rows.append([number, name, f"{weight:,d}", f"{moment / weight if arm is None else arm:.1f}", f"{moment:,.0f}"])

    def groups(text):
        found = []
        for level, name, *rest in block(text):
            if level == 0:
                found.append((name, []))
            else:
                found[-1][1].append((name, *rest))
        return found

    empty, moment = 0, 0.0
    for name, items in groups(AIRCRAFT):
        weight, about = sum(w for _, w, _ in items), sum(w * arm for _, w, arm in items)
        line(name, weight, about)
        for part, w, arm in items:
            line("   " + part, w, w * arm, arm)
        empty, moment = empty + weight, moment + about
    number += 1
    rows.append([number, "   Auxiliary power unit", "TBD", "", ""])
    line("WEIGHT EMPTY", empty, moment)
    items = [tuple(row[1:]) for row in block(USEFUL_LOAD)]
    load, about = sum(w for _, w, _ in items), sum(w * arm for _, w, arm in items)
    line("USEFUL LOAD", load, about)
    for part, w, arm in items:
        line("   " + part, w, w * arm, arm)
    line("GROSS WEIGHT", empty + load, moment + about)
    save_csv("aircraft_group_weights.csv", rows, pad=True)


# 7 light aircraft -----------------------------------------------------------------------------------------------------

LIGHT_AIRCRAFT = """
Empty aircraft, weighed 14-Mar|1642.5|88.30
ADF receiver and loop removed|-7.4|79.00
GPS / NAV / COM installed|6.9|61.50
Wheel fairings removed|-16.2|97.40
LED landing light|0.8|20.50
Engine oil, 8 qt|15.0|33.00
Unusable fuel, 3 gal|18.0|95.00
Pilot|185.0|85.50
Front passenger|160.0|85.50
Rear passenger, left|125.0|118.10
Rear passenger, right|
Child seat|14.0|118.10
Baggage, area A|42.0|142.80
Baggage, area B|12.5|160.00
Tow bar and covers|6.5|150.20
Fuel, 42 gal at 6.0 lb/gal|252.0|95.00
"""


def write_light_aircraft():
    rows = block("""
N482LT   Weight & Balance worksheet

Item|Weight (lb)|Arm (in)|Moment (lb-in)
""")
    weight = moment = 0.0
    for name, *rest in block(LIGHT_AIRCRAFT):
        if len(rest) == 1:
            rows.append([name])
            continue
        w, arm = rest
        weight, moment = weight + w, moment + w * arm
        rows.append([name, w, arm, round(w * arm, 1)])
    rows.append(["Ramp weight", round(weight, 1), round(moment / weight, 2), round(moment, 1)])
    rows.append(["Less taxi and run-up, 1.5 gal", -9.0, 95.0, -855.0])
    weight, moment = weight - 9.0, moment - 855.0
    rows.append(["TAKEOFF WEIGHT", round(weight, 1), round(moment / weight, 2), round(moment, 1)])
    rows += [[], ["Datum 78.4 in ahead of wing leading edge."], ["Signed: ______________"]]
    side = [
        ("G3", "Limits"),
        ("G4", "Max takeoff"),
        ("H4", 2550),
        ("I4", "lb"),
        ("G5", "Max landing"),
        ("H5", 2550),
        ("I5", "lb"),
        ("G6", "Fwd CG at gross"),
        ("H6", 88.6),
        ("I6", "in"),
        ("G7", "Aft CG"),
        ("H7", 93.0),
        ("I7", "in"),
        ("G8", "Baggage A+B"),
        ("H8", 200),
        ("I8", "lb"),
    ]
    save_workbook("light_aircraft_wb.xlsx", "W&B", rows, ["A1:D1"], side=side, bold=[1, 3, 20, 22])


# 8 FSAE car -----------------------------------------------------------------------------------------------------------

CAR = """
Monocoque|1|21,35|1480|0|312
Überrollbügel vorne|1|2,1|1105|0|480
Überrollbügel hinten|1|5,42|2010|0|615
Crashbox|1|0,98|130|0|290
Querlenker vorne links (Satz)|1|0,86|760|520|235
Querlenker vorne rechts (Satz)|1|0,86|760|-520|235
Querlenker hinten links (Satz)|1|0,91|2290|505|240
Querlenker hinten rechts (Satz)|1|0,91|2290|-505|240
Rad mit Reifen vorne links|1|6,75|760|610|229
Rad mit Reifen vorne rechts|1|6,75|760|-610|229
Rad mit Reifen hinten links|1|7,05|2290|590|229
Rad mit Reifen hinten rechts|1|7,05|2290|-590|229
Radträger mit Bremse vorne|2|2,48|760|0|229|Paar, symmetrisch
Radträger mit Nabe hinten|2|2,63|2290|0|229|Paar, symmetrisch
Lenkung komplett|1|2,95|890|12|268
Pedalerie|1|2,27|520|0|240
Sitz und Gurte|1|3,6|1640|0|330
Motor|1|31,2|2085|-35|305|gewogen, trocken
Kette, Differenzial|1|4,85|2290|60|265
Kühler|2|1,15|1870|0|345|links/rechts
Tank, leer|1|1,3|1815|0|285
Batterie LiFePO4|1|1,95|1790|180|150
Kabelbaum|1|4,2|1600|0|300|geschätzt
Datenlogger|1|||||folgt
Frontflügel|1|4,1|-120|0|140
Heckflügel|1|5,35|2640|0|980
Kraftstoff 5,5 l|1|4,1|1815|0|280
Fahrer|1|68|1560|0|420
"""


def comma(value):
    return f"{value:g}".replace(".", ",")


def write_car():
    rows = [
        ["Massenliste FS24 - Stand 17.05."],
        ["Ursprung: Boden, 760 mm vor der Vorderachse; x nach hinten, y nach links, z nach oben"],
        [],
        ["Bauteil", "Anzahl", "Masse [kg]", "Gesamt [kg]", "x [mm]", "y [mm]", "z [mm]", "Bemerkung"],
    ]
    total = 0.0
    for line in CAR.strip("\n").splitlines():
        name, qty, unit, x, y, z, *remark = line.split("|")
        mass = int(qty) * float(unit.replace(",", ".")) if unit else None
        total += mass or 0
        rows.append([name, qty, unit, comma(mass) if mass else "", x, y, z, *(remark or [""])])
    rows += [["Summe", "", "", f"{total:.1f}".replace(".", ",")]]
    save_csv("fsae_massenliste.csv", rows, delimiter=";", encoding="cp1252", pad=True)


# 9 robot --------------------------------------------------------------------------------------------------------------

ROBOT = """
pedestal||fixed|18.40|0.000|0.000|0.210|0.4120|0.0000|0.0000|0.4120|0.0000|0.2050
base_link|pedestal|fixed|9.65|0.002|0.000|0.495|0.0450|0.0000|0.0001|0.0455|0.0000|0.0390
link1|base_link|joint1|8.12|0.001|0.034|0.655|0.0390|0.0000|0.0000|0.0360|-0.0030|0.0270
link2|link1|joint2|14.85|0.212|0.121|0.742|0.0560|0.0004|-0.0021|0.6120|0.0003|0.5980
link3|link2|joint3|6.44|0.561|0.042|0.748|0.0140|0.0002|-0.0018|0.1810|0.0000|0.1790
link4|link3|joint4|2.31|0.783|0.051|0.751|0.0041|0.0000|0.0000|0.0047|0.0001|0.0036
link5|link4|joint5|2.26|0.874|0.012|0.754|0.0033|0.0000|0.0001|0.0039|0.0000|0.0037
link6|link5|joint6|0.74|0.931|0.008|0.756|0.0006|0.0000|0.0000|0.0006|0.0000|0.0009
ft_sensor|link6|fixed|0.38|0.962|0.008|0.756|0.0003|0.0000|0.0000|0.0002|0.0000|0.0002
tool_changer|ft_sensor|fixed|0.52|0.987|0.009|0.757|0.0004|0.0000|0.0000|0.0003|0.0000|0.0003
gripper_body|tool_changer|fixed|1.18|1.044|0.008|0.757|0.0016|0.0000|0.0000|0.0014|0.0000|0.0015
finger_left|gripper_body|joint7|0.12|1.118|0.043|0.757|0.00004|0.0000|0.0000|0.00007|0.0000|0.00006
finger_right|gripper_body|joint8|0.12|1.118|-0.027|0.757|0.00004|0.0000|0.0000|0.00007|0.0000|0.00006
camera|tool_changer|fixed|0.16|0.981|0.008|0.846|-|-|-|-|-|-
dress_pack|link3|fixed|1.90|0.487|0.088|0.861|0.0090|0.0000|-0.0010|0.0920|0.0000|0.0910
"""


def write_robot():
    rows = [
        ["# AR6-12 arm, joints at zero; all frames in base coordinates (origin at floor, z up)"],
        ["# inertia: tensor elements about the com of the link, axes of base; ixy = -integral(x*y dm) as in URDF"],
        [
            "link",
            "parent",
            "joint",
            "mass [kg]",
            "com x [m]",
            "com y [m]",
            "com z [m]",
            "ixx [kg m^2]",
            "ixy",
            "ixz",
            "iyy",
            "iyz",
            "izz",
        ],
    ]
    rows += [line.split("|") for line in ROBOT.strip("\n").splitlines()]
    text = "\n".join(",".join(row) if not row[0].startswith("#") else row[0] for row in rows) + "\n"
    (FILES / "robot_links.csv").write_text(text, encoding="utf-8")


# 10 ERP export --------------------------------------------------------------------------------------------------------

ERP = """
0|900-10400|C|PUMP SKID ASSY, 2 X 50%|EA|1||
.1|710-22010|B|BASE FRAME WELDMENT|EA|1|212.5|KG
.1|720-31500|D|PUMP UNIT ASSY|EA|2||
..2|721-40110|A|PUMP, CENTRIFUGAL 50-200|EA|1|68.4|KG
..2|722-10315|E|MOTOR 11KW 4P|EA|1|92|KG
..2|723-00870|B|COUPLING, SPACER|EA|1|4.35|KG
..2|723-00871|A|GUARD, COUPLING|EA|1|1850|G
..2|505-08020|-|SCREW HEX M12X40 8.8|EA|8|52|G
..2|506-08012|-|WASHER M12|EA|16|6.3|G
.1|730-11200|C|VALVE ASSY, ISOLATION DN80|EA|4||
..2|731-00410|A|VALVE, BUTTERFLY DN80|EA|1|5.7|KG
..2|732-00025|A|GASKET DN80|EA|2|45|G
..2|505-08025|-|STUD M16X90|EA|8|142|G
..2|506-08016|-|NUT M16|EA|16|33|G
.1|740-18800|A|PIPEWORK ASSY, DISCHARGE|EA|1||
..2|741-18810|A|SPOOL 1, DN80|EA|1|18.2|KG
..2|741-18820|A|SPOOL 2, DN80|EA|1|14.6|KG
..2|742-00100|B|CHECK VALVE ASSY|EA|2||
...3|742-00110|B|BODY, CHECK VALVE|EA|1|7.9|KG
...3|742-00120|A|DISC AND SPRING|EA|1|640|G
...3|732-00025|A|GASKET DN80|EA|2|45|G
..2|505-08025|-|STUD M16X90|EA|24|142|G
..2|506-08016|-|NUT M16|EA|48|33|G
.1|750-00300|F|CONTROL PANEL ASSY|EA|1||
..2|751-00310|B|ENCLOSURE 600X800|EA|1|31.5|KG
..2|752-00320|C|PLC AND I/O SET|EA|1|4.8|KG
..2|753-00330|A|SOFT STARTER|EA|2|6.15|KG
..2|754-00012|-|CABLE 4X6 SQMM|M|14|0.48|KG
..2|505-08020|-|SCREW HEX M12X40 8.8|EA|4|52|G
.1|760-00050|A|NAMEPLATE|EA|1|0|KG
.1|761-00055|A|LIFTING LUG, BOLTED|EA|4||KG
.1|770-90010|-|PAINT, EPOXY GREY|L|3.5|1.4|KG
"""


def write_erp():
    rows = [
        ["Report ZBOM_EXPL - Multi-level BOM explosion"],
        ["Material 900-10400", "Plant 1010", "Valid on 02.06."],
        [],
        ["Level", "Part Number", "Rev", "Description", "UoM", "Quantity", "Unit Weight", "Weight UOM"],
    ]
    rows += [
        [*line.split("|")[:5], f"{float(line.split('|')[5]):.3f}", *line.split("|")[6:]]
        for line in ERP.strip("\n").splitlines()
    ]
    rows += [[], ["*** End of report *** 32 records"]]
    save_csv("erp_bom_export.csv", rows)


# 11 wind turbine ------------------------------------------------------------------------------------------------------

TURBINE = """
Tower
Tower section T1 (bottom)|1|67.8|9.1
Tower section T2|1|58.4|28.3
Tower section T3|1|49.6|49.5
Tower section T4|1|41.2|72.4
Tower section T5 (top)|1|33.9|95.6
Flange bolts, set per joint|5|0.62|49.0|mean height
Tower internals, ladder, lift|1|9.7|52.0
Switchgear in tower base|1|4.3|3.2
Power cable|1|6.1|54.0
Nacelle
Main frame and yaw system|1|34.5|109.8
Main shaft and bearings|1|21.7|111.6
Gearbox|1|27.3|111.4
Generator|1|9.8|111.7
Converter|1|3.4|111.2
Transformer|1|8.6|110.9
Nacelle cover|1|5.9|112.1
Crane, cooling, misc.|1|4.4|112.6|approx.
Rotor
Hub casting|1|19.6|111.9
Pitch system|3|2.15|111.9|per blade
Spinner|1|1.3|111.9
Blade 57 m|3|13.85|111.9|one blade
Lightning receptors|3|TBD|111.9
"""


def write_turbine():
    rows = block("""
WTG 3.4-117 / HH 112  Mass summary for transport and foundation

Component|Qty|Mass|Total mass|Distance from tower base|Moment|Check|Remarks
||[t]|[t]|[m]|[t m]
""")
    bold, group, grand = [1, 3, 4], None, [0.0, 0.0]

    def sum_row(name, mass, moment):
        rows.append([name, None, None, round(mass, 1), round(moment / mass, 1), round(moment, 0)])
        bold.append(len(rows))

    for name, *rest in block(TURBINE):
        if not rest:
            if group:
                sum_row(*group)
            group = [f"{name} total", 0.0, 0.0]
            rows.append([name])
            bold.append(len(rows))
            continue
        qty, unit, z, *remark = rest
        if unit == "TBD":
            rows.append([name, qty, unit, None, z])
            continue
        mass = qty * unit
        rows.append([name, qty, unit, round(mass, 2), z, round(mass * z, 2), 1, *remark])
        for i, value in enumerate((mass, mass * z)):
            group[i + 1] += value
            grand[i] += value
    sum_row(*group)
    sum_row("Total above foundation", *grand)
    rows += [[], ["All masses +/- 3 %. Blade roots at hub centre, rotor balanced."]]
    save_workbook("wind_turbine.xlsx", "Masses", rows, ["A1:H1"], hidden=["F", "G"], bold=bold)


# 12 UAV ---------------------------------------------------------------------------------------------------------------

UAV = """
AIRFRAME
Fuselage shell|1|612|540|weighed
Wing, left + right|2|438|585|weighed, incl. servo mounts
V-tail half|2|74|1310
Boom|1|96|1015
Wing joiner tube|1|58|560
Hatch, screws, glue|1|~40|480|guess
PROPULSION
Motor 3508|4|84|565|VTOL
ESC 40A|×4|26|560|
Propeller 13x4.4|4|14|565
Pusher motor|1|148|905
Pusher ESC 60A|1|52|760
Pusher propeller|1|31|945
POWER
Battery 6S 16 Ah|1|1865|410|
Power module|1|28|455
AVIONICS
Autopilot|1|73|500
GNSS + mast|2|34|690
Telemetry radio|1|27|640
Servo, 9 g class|6|13.5|720|mean position
Airspeed sensor|1|~12|60|with tube
Wiring|1|~180|600|estimate
PAYLOAD
Camera gimbal|1|415|215
Downlink|1|TBD|330|not selected
"""


def write_uav():
    rows = block("""
SWIFT-3 VTOL   mass & balance

Item|Qty|Mass each (g)|Mass (g)|x from nose (mm)|Notes
""")
    total = moment = 0.0
    bold = [1, 3]
    for name, *rest in block(UAV):
        if not rest:
            rows.append([name])
            bold.append(len(rows))
            continue
        qty, unit, x, *note = rest
        if unit == "TBD":
            rows.append([name, qty, unit, None, x, *note])
            continue
        mass = int(str(qty).strip("×")) * float(str(unit).strip("~"))
        total, moment = total + mass, moment + mass * x
        rows.append([name, qty, unit, f"~{mass:g}" if str(unit).startswith("~") else mass, x, *note])
    rows.append(["TOTAL", None, None, 10 * round(total / 10), round(moment / total)])
    bold.append(len(rows))
    rows += [[], ["~ = estimated, not weighed"]]
    side = [
        ("H3", "Summary"),
        ("H4", "AUW target"),
        ("I4", 6000),
        ("J4", "g"),
        ("H5", "CG target"),
        ("I5", 545),
        ("J5", "mm"),
        ("H6", "Battery share"),
        ("I6", round(1865 / total, 3)),
    ]
    save_workbook("uav_balance.xlsx", "M&B", rows, ["A1:F1"], side=side, bold=bold)


WRITERS = (
    write_spacecraft,
    write_cubesat,
    write_launcher,
    write_ship,
    write_offshore,
    write_aircraft,
    write_light_aircraft,
    write_car,
    write_robot,
    write_erp,
    write_turbine,
    write_uav,
)


if __name__ == "__main__":
    for write in WRITERS:
        write()
