"""Words of lists by language, as data: names of parts and groups, sums, totals, limits, notes, and other columns."""

# ruff: noqa: E501 (one line for each list of words keeps the table readable)

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """Words of one language; ``{g}`` stands for the name of a group."""

    parts: tuple[str, ...]
    groups: tuple[str, ...]
    subtotals: tuple[str, ...]
    bare_subtotals: tuple[str, ...]
    totals: tuple[str, ...]
    margin_rows: tuple[str, ...]
    totals_with_margin: tuple[str, ...]
    limits: tuple[str, ...]
    empty: tuple[str, ...]
    gross: tuple[str, ...]
    useful: tuple[str, ...]
    group_heading: tuple[str, ...]
    numbers: tuple[str, ...]
    dotted: tuple[str, ...]
    ids: tuple[str, ...]
    parents: tuple[str, ...]
    levels: tuple[str, ...]
    titles: tuple[str, ...]
    notes: tuple[str, ...]


def words(text: str) -> tuple[str, ...]:
    """Words of a line, separated by bars."""
    return tuple(word.strip() for word in text.split("|"))


LANGUAGES: dict[str, Language] = {
    "en": Language(
        words(
            "Bracket|Side panel|Battery|Star tracker|Reaction wheel|Harness|Solar array|Thruster|Tank|Antenna|Radiator|Motor|Propeller|Spar|Rib|Skin|Rudder|Seat|Landing gear|Camera|Receiver|Pump|Valve|Heater|Hinge|Servo|Gearbox|Cover|Frame|Floor|Door|Radio"
        ),
        words(
            "Structure|Power|Propulsion|Avionics|Thermal|Payload|Wing|Fuselage|Communications|Furnishings|Electrical|Mechanisms"
        ),
        words("Subtotal {g}|{g} total|Total {g}|Sum {g}|{g} subtotal|Sub-total {g}|Total, {g}"),
        words("Subtotal|Sub-total|Sum|Total group|SUBTOTAL"),
        words(
            "Total|TOTAL|Grand total|Total mass|Sum|AUW|All-up weight|Overall total|Total:|Total weight|Launch mass|Sum total|TOTAL MASS|Gross mass"
        ),
        words("System margin|Contingency|Margin|Growth allowance|Reserve"),
        words("Total with margin|Total incl. margin|Total including margin|TOTAL WITH MARGIN"),
        words("Mass limit|Allocation|Maximum permissible mass|Requirement|Launcher capability|MTOW limit|Target"),
        words("Empty weight|EMPTY WEIGHT|Operating empty weight|Dry mass"),
        words("Gross weight|TAKE-OFF WEIGHT|Take-off gross weight|Wet mass"),
        words("Crew|Fuel|Passengers|Baggage|Oil|Cargo"),
        words("Subsystem|Group|System|Category|Assembly"),
        words("Item no.|Line|Pos|Ref|S/N|Row"),
        words("WBS|Item No.|Item|Item number|No.|Ref.|Index"),
        words("Part No.|ID|P/N|Part number|Item ID|Code"),
        words("Parent|Next assembly|NHA|Parent ID|Belongs to|Used on"),
        words("Level|Lvl|LV|Indent|BOM level|Lev."),
        words("Mass budget, phase B|Mass list Rev C|Weight breakdown - demonstrator|Master equipment list"),
        words("Note: masses as of the design review|Prepared by: J. Miller|* estimated|Source: CAD model"),
    ),
    "de": Language(
        words(
            "Halter|Seitenwand|Batterie|Rahmen|Antrieb|Kabelbaum|Deckel|Welle|Lager|Pumpe|Ventil|Motor|Getriebe|Tank|Sitz|Fahrwerk|Ruder|Holm|Rippe|Haube|Kühler|Antenne|Sensor|Steuergerät"
        ),
        words("Struktur|Antrieb|Elektrik|Rumpf|Tragwerk|Ausbau|Fahrwerk|Nutzlast"),
        words("Summe {g}|Zwischensumme {g}|{g} gesamt|Gesamt {g}"),
        words("Summe|Zwischensumme|Zw.-Summe"),
        words("Gesamt|Summe|Gesamtgewicht|Gesamtmasse|Gesamtsumme|SUMME|Total|Summe gesamt|Abfluggewicht"),
        words("Reserve|Marge|Zuschlag|Systemmarge"),
        words("Gesamt mit Marge|Summe inkl. Marge|Gesamtmasse mit Reserve"),
        words("Zulässiges Gesamtgewicht|Grenzwert|Massenlimit|Zul. Höchstmasse|Vorgabe"),
        words("Leergewicht|Leermasse|Rüstmasse"),
        words("Abfluggewicht|Startmasse|Gesamtgewicht"),
        words("Pilot|Kraftstoff|Gepäck|Zuladung Fracht|Öl"),
        words("Baugruppe|Gruppe|System|Kategorie"),
        words("Pos.|Lfd. Nr.|Zeile|Pos"),
        words("Pos.|Positionsnummer|Gliederung|Nr."),
        words("Teilenummer|Sachnummer|Teile-Nr.|Artikelnummer"),
        words("Übergeordnet|Gehört zu|Oberteil|Übergeordnete Baugruppe"),
        words("Stufe|Ebene|Level"),
        words("Massenbilanz Stand 12.03.|Stückliste Versuchsträger|Gewichtsaufstellung"),
        words("Bearbeiter: Huber|* geschätzt|Quelle: CAD"),
    ),
    "fr": Language(
        words(
            "Support|Panneau|Batterie|Cadre|Moteur|Câblage|Capot|Réservoir|Pompe|Vanne|Antenne|Roue|Longeron|Nervure|Siège|Train|Radiateur|Capteur"
        ),
        words("Structure|Propulsion|Énergie|Fuselage|Voilure|Charge utile|Thermique"),
        words("Sous-total {g}|Total {g}|Somme {g}"),
        words("Sous-total|Somme|Sous total"),
        words("Total|TOTAL|Total général|Masse totale|Somme|Poids total"),
        words("Marge système|Marge|Aléas"),
        words("Total avec marge|TOTAL AVEC MARGE|Total marge comprise"),
        words("Masse maximale autorisée|Limite|Masse allouée|Exigence"),
        words("Masse à vide|Masse à vide équipée"),
        words("Masse au décollage|Masse totale au décollage"),
        words("Pilote|Carburant|Bagages|Huile"),
        words("Sous-système|Groupe|Ensemble|Catégorie"),
        words("N°|Ligne|Rep.|Repère"),
        words("N°|Repère|Poste|Rep."),
        words("Référence|Réf.|Code article"),
        words("Parent|Ensemble supérieur|Appartient à"),
        words("Niveau|Niv."),
        words("Bilan de masse, version 3|Devis de masse|Nomenclature"),
        words("Rédacteur : Durand|* estimé"),
    ),
    "es": Language(
        words(
            "Soporte|Panel|Batería|Bastidor|Motor|Cableado|Tapa|Depósito|Bomba|Válvula|Antena|Rueda|Larguero|Costilla|Asiento|Radiador|Sensor"
        ),
        words("Estructura|Propulsión|Energía|Fuselaje|Ala|Carga útil"),
        words("Subtotal {g}|Total {g}|Suma {g}"),
        words("Subtotal|Suma"),
        words("Total|TOTAL|Total general|Masa total|Suma|Peso total"),
        words("Margen de sistema|Margen|Contingencia"),
        words("Total con margen|TOTAL CON MARGEN"),
        words("Masa máxima permitida|Límite|Asignación"),
        words("Peso en vacío|Masa en vacío"),
        words("Peso al despegue|Masa al despegue"),
        words("Piloto|Combustible|Equipaje|Aceite"),
        words("Subsistema|Grupo|Sistema|Categoría"),
        words("Línea|Pos.|Ítem"),
        words("Ítem|Pos.|Partida"),
        words("Referencia|Código|Código de pieza"),
        words("Padre|Conjunto superior|Pertenece a"),
        words("Nivel"),
        words("Presupuesto de masa|Lista de materiales rev. 2"),
        words("Preparado por: García|* estimado"),
    ),
    "it": Language(
        words(
            "Staffa|Pannello|Batteria|Telaio|Motore|Cablaggio|Coperchio|Serbatoio|Pompa|Valvola|Antenna|Ruota|Longherone|Centina|Sedile|Radiatore"
        ),
        words("Struttura|Propulsione|Energia|Fusoliera|Ala|Carico utile"),
        words("Subtotale {g}|Totale {g}|Somma {g}"),
        words("Subtotale|Somma|Parziale"),
        words("Totale|TOTALE|Totale generale|Massa totale|Somma|Peso totale"),
        words("Margine di sistema|Margine"),
        words("Totale con margine|TOTALE CON MARGINE"),
        words("Massa massima ammessa|Limite|Requisito"),
        words("Peso a vuoto|Massa a vuoto"),
        words("Peso al decollo|Massa al decollo"),
        words("Pilota|Carburante|Bagaglio|Olio"),
        words("Sottosistema|Gruppo|Sistema|Categoria"),
        words("Riga|Pos."),
        words("Pos.|Voce n."),
        words("Codice|Part number|Cod. articolo"),
        words("Padre|Assieme superiore|Appartiene a"),
        words("Livello"),
        words("Bilancio di massa|Distinta base"),
        words("Redatto da: Rossi|* stimato"),
    ),
    "pt": Language(
        words(
            "Suporte|Painel|Bateria|Quadro|Motor|Cablagem|Tampa|Tanque|Bomba|Válvula|Antena|Roda|Longarina|Nervura|Assento|Radiador"
        ),
        words("Estrutura|Propulsão|Energia|Fuselagem|Asa|Carga útil"),
        words("Subtotal {g}|Total {g}|Soma {g}"),
        words("Subtotal|Soma"),
        words("Total|TOTAL|Total geral|Massa total|Soma|Peso total"),
        words("Margem do sistema|Margem"),
        words("Total com margem|TOTAL COM MARGEM"),
        words("Massa máxima permitida|Limite|Requisito"),
        words("Peso vazio|Massa vazia"),
        words("Peso de decolagem|Massa de decolagem"),
        words("Piloto|Combustível|Bagagem|Óleo"),
        words("Subsistema|Grupo|Sistema|Categoria"),
        words("Linha|Pos."),
        words("Item|Pos."),
        words("Código|Referência|Código da peça"),
        words("Pai|Conjunto superior|Pertence a"),
        words("Nível"),
        words("Orçamento de massa|Lista de materiais"),
        words("Elaborado por: Silva|* estimado"),
    ),
    "zh": Language(
        words("支架|侧板|蓄电池|框架|电机|电缆|盖板|贮箱|泵|阀门|天线|飞轮|机翼|尾翼|座椅|散热器|传感器|接收机"),
        words("结构|电源|推进|热控|载荷|测控"),
        words("{g}小计|小计 {g}|{g}合计"),
        words("小计|分计"),
        words("合计|总计|总重|总质量|共计"),
        words("系统余量|余量"),
        words("含余量总质量|总计(含余量)"),
        words("质量上限|指标要求|最大允许质量"),
        words("空重|干质量"),
        words("起飞重量|起飞总重"),
        words("驾驶员|燃油|行李|滑油"),
        words("分系统|系统|类别|组"),
        words("序号|编号"),
        words("序号|编号|项目编号"),
        words("图号|物料编码|零件号"),
        words("父级|上级|所属部件"),
        words("层级|级别"),
        words("质量预算表|整机重量清单"),
        words("编制:张伟|* 估算"),
    ),
    "ja": Language(
        words(
            "ブラケット|側板|電池|フレーム|モータ|配線|カバー|タンク|ポンプ|バルブ|アンテナ|ホイール|主翼|尾翼|座席|ラジエータ|センサ|受信機"
        ),
        words("構造系|電源系|推進系|熱制御系|通信系|ミッション系"),
        words("{g} 小計|小計 {g}|{g}合計"),
        words("小計"),
        words("合計|総計|総質量|全備質量|計"),
        words("システムマージン|マージン"),
        words("マージン込み合計|合計(マージン込み)"),
        words("質量上限|要求値|許容質量"),
        words("空虚重量|乾燥質量"),
        words("離陸重量|全備重量"),
        words("乗員|燃料|荷物|オイル"),
        words("系|サブシステム|分類"),
        words("番号|行|No"),
        words("項番|番号"),
        words("部品番号|品番|図番"),
        words("親部品|親番号|上位"),
        words("階層|レベル"),
        words("質量配分表|部品表 改訂2"),
        words("作成:田中|* 推定値"),
    ),
    "ko": Language(
        words(
            "브래킷|측판|배터리|프레임|모터|하네스|커버|탱크|펌프|밸브|안테나|휠|주익|미익|좌석|라디에이터|센서|수신기"
        ),
        words("구조계|전력계|추진계|열제어계|통신계|탑재체"),
        words("{g} 소계|소계 {g}|{g} 합계"),
        words("소계"),
        words("합계|총계|총질량|총 중량|계"),
        words("시스템 마진|마진"),
        words("마진 포함 합계|합계(마진 포함)"),
        words("질량 한계|요구 조건|최대 허용 질량"),
        words("공허중량|건조 질량"),
        words("이륙중량|총이륙중량"),
        words("승무원|연료|수하물|오일"),
        words("계통|서브시스템|분류"),
        words("번호|순번|No"),
        words("항목번호|순번"),
        words("품번|부품번호|도번"),
        words("상위품|모품번|상위"),
        words("레벨|단계"),
        words("질량 예산|부품표"),
        words("작성: 김철수|* 추정"),
    ),
}

# headings of columns that are not masses: kind, then English, German, French, Spanish, Italian, Portuguese, Chinese, Japanese, Korean
OTHER_COLUMNS: dict[str, dict[str, str]] = {
    cells[0]: dict(zip(LANGUAGES, cells[1:], strict=True))
    for cells in map(
        words,
        """
power | Power (W) | Leistung [W] | Puissance (W) | Potencia (W) | Potenza (W) | Potência (W) | 功率(W) | 消費電力(W) | 전력(W)
cost | Cost ($) | Preis [€] | Prix (€) | Precio (€) | Prezzo (€) | Preço (€) | 单价(元) | 価格(円) | 가격(원)
length | Length (mm) | Länge [mm] | Longueur (mm) | Longitud (mm) | Lunghezza (mm) | Comprimento (mm) | 长度(mm) | 長さ(mm) | 길이(mm)
date | Date | Datum | Date | Fecha | Data | Data | 日期 | 日付 | 날짜
drawing | Drawing no. | Zeichnungsnr. | N° de plan | N.º de plano | N. disegno | N.º do desenho | 图纸编号 | 図面番号 | 도면번호
trl | TRL | TRL | TRL | TRL | TRL | TRL | TRL | TRL | TRL
lead | Lead time (weeks) | Lieferzeit [Wochen] | Délai (semaines) | Plazo (semanas) | Consegna (settimane) | Prazo (semanas) | 交货期(周) | 納期(週) | 납기(주)
revision | Rev | Rev. | Indice | Rev. | Rev. | Rev. | 版本 | 版 | 개정
material | Material | Werkstoff | Matériau | Material | Materiale | Material | 材料 | 材質 | 재질
remark | Remarks | Bemerkung | Remarques | Notas | Note | Observações | 备注 | 備考 | 비고
voltage | Voltage (V) | Spannung [V] | Tension (V) | Tensión (V) | Tensione (V) | Tensão (V) | 电压(V) | 電圧(V) | 전압(V)
""".strip().splitlines(),
    )
}
