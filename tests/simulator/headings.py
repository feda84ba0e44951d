"""Headings as engineers write them, as data: sets for lists of parts and sets for mass budgets."""

# ruff: noqa: E501 (one line for each author keeps the table readable)

from __future__ import annotations

from typing import NamedTuple


class HeadingSet(NamedTuple):
    """Headings of one author: name, quantity, mass of a piece, mass of the row, mass of unstated kind."""

    language: str
    name: str
    quantity: str
    piece: str
    row: str
    mass: str

    @property
    def row_is_stated(self) -> bool:
        """Whether the heading of the row mass says that it is of the row, without the other headings."""
        return self.row != self.mass


class BudgetSet(NamedTuple):
    """Headings of a budget: basic mass, growth share, growth, predicted mass, allocation, margin, margin share."""

    language: str
    basic: str
    share: str
    growth: str
    predicted: str
    allocation: str
    margin: str
    margin_share: str

    @property
    def share_needs_predicted(self) -> bool:
        """Whether the share is called a margin, so that only the predicted mass shows that it is growth."""
        return any(
            word in self.share.lower() for word in ("margin", "marge", "margen", "reserve", "余量", "マージン", "마진")
        )


SETS = tuple(
    HeadingSet(*(cell.strip() for cell in line.split("|")))
    for line in """
en | Part | Qty | Unit mass ({u}) | Total mass ({u}) | Mass ({u})
en | Part | # | {u} each | {u} | {u}
en | Description | No. | Wt each ({u}) | Wt total ({u}) | Wt ({u})
en | Component | Nos | Mass/pc [{u}] | Total mass [{u}] | Mass [{u}]
en | PART NAME | EA | UNIT WT ({u}) | EXT WT ({u}) | WEIGHT ({u})
en | Item | x | Weight each, {u} | Weight total, {u} | Weight, {u}
en | Part description | No. off | Mass each ({u}) | Line mass ({u}) | Mass ({u})
en | Equipment | Qty per aircraft | Unit weight [{u}] | Total weight [{u}] | Weight [{u}]
en | Item | Units | Mass per unit ({u}) | Mass of all units ({u}) | Mass ({u})
en | Element | Count | Mass per piece [{u}] | Total mass [{u}] | Mass [{u}]
en | Item description | QTY REQD | Wt/ea ({u}) | Extended wt ({u}) | Wt. ({u})
en | Name | Pcs | Piece weight, {u} | Total weight, {u} | Weight, {u}
en | Nomenclature | Off | Unit ({u}) | Total ({u}) | Mass ({u})
en | Part | How many | Each ({u}) | All ({u}) | Mass {u}
en | Component | Quantity | m_unit [{u}] | m_total [{u}] | m [{u}]
en | what | n | {u}/pc | total {u} | {u}
en | Component | per aircraft | Weight per item ({u}) | Weight per aircraft ({u}) | Weight ({u})
en | Hardware | Per vehicle | Mass ea. ({u}) | Mass tot. ({u}) | Mass ({u})
en | Part name | Nos. | Single mass ({u}) | Total mass ({u}) | Mass ({u})
en | Item | Quan. | Individual mass ({u}) | Combined mass ({u}) | Mass ({u})
en | component | qty | mass_each_{u} | mass_total_{u} | mass_{u}
en | Unit name | Number of units | Unit mass, {u} | Line total, {u} | Mass, {u}
en | Part | No. req'd | Weight each [{u}] | Total weight [{u}] | Weight [{u}]
en | Product | Times | Net weight/pc ({u}) | Net weight total ({u}) | Net weight ({u})
en | Component | # req | Item weight ({u}) | Subtotal ({u}) | Weight ({u})
en | Object | Number | Mass, each ({u}) | Mass, total ({u}) | Mass ({u})
de | Bezeichnung | Stk | Einzelgewicht [{u}] | Gesamtgewicht [{u}] | Gewicht [{u}]
de | Benennung | Menge | Gewicht/Stück ({u}) | Gewicht gesamt ({u}) | Gewicht ({u})
de | Bauteil | Anzahl | Einzelmasse in {u} | Gesamtmasse in {u} | Masse in {u}
de | Teil | Anz. | {u}/Stk | {u} gesamt | {u}
de | Komponente | Stück | Masse je Stück [{u}] | Masse gesamt [{u}] | Masse [{u}]
de | Artikel | Stckz. | Stückgewicht {u} | Summengewicht {u} | Gewicht {u}
de | Baugruppe | n | m einzeln [{u}] | m gesamt [{u}] | m [{u}]
de | Bezeichnung | Stückzahl | Gew. einzeln ({u}) | Gew. ges. ({u}) | Gew. ({u})
de | Gegenstand | Anz | Einzel ({u}) | Gesamt ({u}) | Gewicht ({u})
fr | Désignation | Qté | Masse unitaire ({u}) | Masse totale ({u}) | Masse ({u})
fr | Pièce | Nb | Masse unit. [{u}] | Masse tot. [{u}] | Masse [{u}]
fr | Composant | Quantité | Poids unitaire ({u}) | Poids total ({u}) | Poids ({u})
fr | Équipement | Nombre | Masse par pièce ({u}) | Masse de l'ensemble ({u}) | Masse ({u})
fr | Élément | Nbre | {u}/u | {u} total | {u}
fr | Article | Qte | Poids à l'unité, {u} | Poids total, {u} | Poids, {u}
fr | Objet | Nb. | Poids pièce ({u}) | Total ({u}) | Poids ({u})
es | Componente | Cant. | Masa unitaria ({u}) | Masa total ({u}) | Masa ({u})
es | Descripción | Cantidad | Peso unitario [{u}] | Peso total [{u}] | Peso [{u}]
es | Pieza | Uds. | Peso por unidad ({u}) | Peso total ({u}) | Peso ({u})
es | Elemento | Nº | Peso ud. ({u}) | Peso tot. ({u}) | Peso ({u})
es | Artículo | Unidades | {u}/ud | {u} total | {u}
es | Denominación | Ctd. | Masa/pieza ({u}) | Masa total ({u}) | Masa ({u})
it | Componente | Q.tà | Massa unitaria ({u}) | Massa totale ({u}) | Massa ({u})
it | Descrizione | Quantità | Peso unitario [{u}] | Peso totale [{u}] | Peso [{u}]
it | Particolare | N. | Peso cad. ({u}) | Peso tot. ({u}) | Peso ({u})
it | Elemento | Pezzi | Massa al pezzo ({u}) | Massa totale ({u}) | Massa ({u})
it | Voce | Nr. pezzi | Peso singolo, {u} | Peso complessivo, {u} | Peso, {u}
pt | Componente | Qtd. | Massa unitária ({u}) | Massa total ({u}) | Massa ({u})
pt | Descrição | Quantidade | Peso unitário [{u}] | Peso total [{u}] | Peso [{u}]
pt | Peça | Quant. | Peso unit. ({u}) | Peso total ({u}) | Peso ({u})
pt | Item | Nº de peças | Massa por peça ({u}) | Massa total ({u}) | Massa ({u})
pt | Elemento | Unid. | Peso cada ({u}) | Peso total ({u}) | Peso ({u})
zh | 名称 | 数量 | 单重({u}) | 总重({u}) | 重量({u})
zh | 零件名称 | 件数 | 单件质量({u}) | 总质量({u}) | 质量({u})
zh | 部件 | 个数 | 单机质量/{u} | 合计质量/{u} | 质量/{u}
zh | 设备名称 | 台数 | 单台重量({u}) | 总重量({u}) | 重量({u})
zh | 品名 | 数量(件) | 单个重量 {u} | 总重量 {u} | 重量 {u}
ja | 部品名 | 数量 | 単体質量[{u}] | 合計質量[{u}] | 質量[{u}]
ja | 品名 | 個数 | 単重({u}) | 総重量({u}) | 重量({u})
ja | 名称 | 員数 | 1個あたり質量({u}) | 合計({u}) | 質量({u})
ja | コンポーネント | 台数 | 単品重量 [{u}] | 総質量 [{u}] | 重量 [{u}]
ja | 機器名 | 数 | 単体重量({u}) | 合計重量({u}) | 重量({u})
ko | 부품명 | 수량 | 단위질량({u}) | 총질량({u}) | 질량({u})
ko | 품명 | 개수 | 단위 중량({u}) | 총 중량({u}) | 중량({u})
ko | 명칭 | 소요량 | 개당 무게({u}) | 합계 무게({u}) | 무게({u})
ko | 구성품 | EA | 단품 중량 [{u}] | 총중량 [{u}] | 중량 [{u}]
ko | 항목 | 수량(개) | 개별 질량({u}) | 전체 질량({u}) | 질량({u})
""".strip().splitlines()
)

BUDGETS = tuple(
    BudgetSet(*(cell.strip() for cell in line.split("|")))
    for line in """
en | CBE ({u}) | MGA (%) | MGA ({u}) | MEV ({u}) | Allocation ({u}) | Margin ({u}) | Margin (%)
en | Basic mass [{u}] | Growth [%] | Growth [{u}] | Predicted mass [{u}] | Allocated mass [{u}] | Margin [{u}] | Margin [%]
en | Current best estimate ({u}) | Contingency (%) | Contingency ({u}) | Maximum expected value ({u}) | NTE ({u}) | Margin ({u}) | % Margin
en | Nominal mass ({u}) | Margin (%) | Margin ({u}) | Mass with margin ({u}) | Mass limit ({u}) | Reserve ({u}) | Reserve (%)
en | Mass CBE [{u}] | Cont. % | Cont. [{u}] | CBE + Cont. [{u}] | Limit [{u}] | Margin [{u}] | Margin %
en | Est. mass ({u}) | Maturity margin (%) | Maturity margin ({u}) | Mass incl. margin ({u}) | Budget ({u}) | Left ({u}) | Left (%)
en | Mass ({u}) | Uncertainty margin (%) | MGA ({u}) | CBE+MGA ({u}) | Not to exceed ({u}) | Margin ({u}) | Margin (%)
en | Basic ({u}) | Growth allowance % | Growth allowance ({u}) | Predicted ({u}) | Allocation ({u}) | Margin ({u}) | Margin %
de | Basismasse [{u}] | Zuschlag [%] | Zuschlag [{u}] | Masse mit Zuschlag [{u}] | Zugewiesen [{u}] | Reserve [{u}] | Reserve [%]
de | Masse ohne Marge [{u}] | Marge [%] | Marge [{u}] | Masse mit Marge [{u}] | Limit [{u}] | Rest [{u}] | Rest [%]
fr | Masse de base ({u}) | Marge (%) | Marge ({u}) | Masse avec marge ({u}) | Allocation ({u}) | Réserve ({u}) | Réserve (%)
fr | Masse estimée ({u}) | Aléa (%) | Aléa ({u}) | Masse avec aléa ({u}) | Masse allouée ({u}) | Marge ({u}) | Marge (%)
es | Masa básica ({u}) | Contingencia (%) | Contingencia ({u}) | Masa con contingencia ({u}) | Asignación ({u}) | Margen ({u}) | Margen (%)
es | Masa nominal ({u}) | Margen (%) | Margen ({u}) | Masa con margen ({u}) | Límite ({u}) | Reserva ({u}) | Reserva (%)
it | Massa base ({u}) | Margine (%) | Margine ({u}) | Massa con margine ({u}) | Allocazione ({u}) | Riserva ({u}) | Riserva (%)
pt | Massa básica ({u}) | Margem (%) | Margem ({u}) | Massa com margem ({u}) | Alocação ({u}) | Reserva ({u}) | Reserva (%)
zh | 基本质量({u}) | 增长率(%) | 增长量({u}) | 预计质量({u}) | 分配质量({u}) | 余量({u}) | 余量(%)
ja | 基本質量[{u}] | マージン[%] | マージン[{u}] | マージン込み質量[{u}] | 配分質量[{u}] | 余裕[{u}] | 余裕[%]
ko | 기본 질량({u}) | 마진(%) | 마진({u}) | 마진 포함 질량({u}) | 할당 질량({u}) | 여유({u}) | 여유(%)
""".strip().splitlines()
)

AXES = (
    ("X ({l})", "Y ({l})", "Z ({l})"),
    ("x [{l}]", "y [{l}]", "z [{l}]"),
    ("CG X ({l})", "CG Y ({l})", "CG Z ({l})"),
    ("LCG ({l})", "TCG ({l})", "VCG ({l})"),
    ("x_cg [{l}]", "y_cg [{l}]", "z_cg [{l}]"),
    ("Xcg, {l}", "Ycg, {l}", "Zcg, {l}"),
    ("CoG x / {l}", "CoG y / {l}", "CoG z / {l}"),
)
ONE_AXIS = (
    "LCG ({l})",
    "CG station ({l})",
    "Arm ({l})",
    "CG from nose ({l})",
    "Station ({l})",
    "X ({l})",
    "x cg [{l}]",
)
UNIT_COLUMNS = {
    "en": ("Unit", "UoM", "WUn", "Units", "U/M", "Wt unit", "Mass unit"),
    "de": ("Einheit", "ME", "GEWEI", "Gewichtseinheit", "Einh."),
    "fr": ("Unité", "UM", "U."),
    "es": ("Unidad", "UM"),
    "it": ("Unità", "U.M."),
    "pt": ("Unidade", "UN"),
    "zh": ("单位", "质量单位"),
    "ja": ("単位", "重量単位"),
    "ko": ("단위", "중량 단위"),
}
