from massprops_cli.tables.cells.flags import (
    read_truth_values as read_truth_values,
)
from massprops_cli.tables.cells.flags import (
    text_codes as text_codes,
)
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS as BLANK_CHARACTERS,
)
from massprops_cli.tables.cells.number_text import (
    DEFAULT_CELL_RULES as DEFAULT_CELL_RULES,
)
from massprops_cli.tables.cells.number_text import (
    CellRules as CellRules,
)
from massprops_cli.tables.cells.number_text import (
    half_unit_of_last_digit as half_unit_of_last_digit,
)
from massprops_cli.tables.cells.number_text import (
    is_number as is_number,
)
from massprops_cli.tables.cells.number_text import (
    is_piece_unit as is_piece_unit,
)
from massprops_cli.tables.cells.number_text import (
    read_number as read_number,
)
from massprops_cli.tables.cells.number_text import (
    split_unit_ratio as split_unit_ratio,
)
from massprops_cli.tables.cells.number_text import (
    visible_text as visible_text,
)
from massprops_cli.tables.cells.numbers import (
    NumberCell as NumberCell,
)
from massprops_cli.tables.cells.numbers import (
    ParsedColumn as ParsedColumn,
)
from massprops_cli.tables.cells.numbers import (
    half_unit_of_cell as half_unit_of_cell,
)
from massprops_cli.tables.cells.numbers import (
    is_filled_text as is_filled_text,
)
from massprops_cli.tables.cells.numbers import (
    parse_column as parse_column,
)
from massprops_cli.tables.cells.numbers import (
    read_number_cells as read_number_cells,
)
from massprops_cli.tables.cells.numbers import (
    sample_row_texts as sample_row_texts,
)
from massprops_cli.tables.cells.numbers import (
    shared_cell_unit as shared_cell_unit,
)
from massprops_cli.tables.cells.total_labels import (
    doubtful_label_kind as doubtful_label_kind,
)
from massprops_cli.tables.cells.total_labels import (
    is_combined_name as is_combined_name,
)
from massprops_cli.tables.cells.total_labels import (
    label_first_words as label_first_words,
)
from massprops_cli.tables.cells.total_labels import (
    label_kind as label_kind,
)
from massprops_cli.tables.cells.total_labels import (
    leading_label_words as leading_label_words,
)
from massprops_cli.tables.cells.unit_text import (
    FORCE as FORCE,
)
from massprops_cli.tables.cells.unit_text import (
    INERTIA as INERTIA,
)
from massprops_cli.tables.cells.unit_text import (
    KILOGRAM as KILOGRAM,
)
from massprops_cli.tables.cells.unit_text import (
    LENGTH as LENGTH,
)
from massprops_cli.tables.cells.unit_text import (
    MASS as MASS,
)
from massprops_cli.tables.cells.unit_text import (
    MASS_UNITS as MASS_UNITS,
)
from massprops_cli.tables.cells.unit_text import (
    STANDARD_GRAVITY as STANDARD_GRAVITY,
)
from massprops_cli.tables.cells.unit_text import (
    ambiguous_unit as ambiguous_unit,
)
from massprops_cli.tables.cells.unit_text import (
    read_unit as read_unit,
)
from massprops_cli.tables.cells.unit_text import (
    unit_of_dimension as unit_of_dimension,
)
from massprops_cli.tables.cells.units import (
    BOUND_QUANTITIES as BOUND_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    BOUNDS as BOUNDS,
)
from massprops_cli.tables.cells.units import (
    CENTER_COLUMNS as CENTER_COLUMNS,
)
from massprops_cli.tables.cells.units import (
    GROWTH_MASSES as GROWTH_MASSES,
)
from massprops_cli.tables.cells.units import (
    INERTIA_COLUMNS as INERTIA_COLUMNS,
)
from massprops_cli.tables.cells.units import (
    MASS_QUANTITIES as MASS_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    NUMBER_QUANTITIES as NUMBER_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    NUMERIC_TEXT_QUANTITIES as NUMERIC_TEXT_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    OUTPUT_PREFIXES as OUTPUT_PREFIXES,
)
from massprops_cli.tables.cells.units import (
    QUANTITIES as QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    RADII_COLUMNS as RADII_COLUMNS,
)
from massprops_cli.tables.cells.units import (
    ROW_TOTAL_QUANTITIES as ROW_TOTAL_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    SIGMA_QUANTITIES as SIGMA_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    TEXT_QUANTITIES as TEXT_QUANTITIES,
)
from massprops_cli.tables.cells.units import (
    UNIT_COLUMNS as UNIT_COLUMNS,
)
from massprops_cli.tables.cells.units import (
    StatedUnit as StatedUnit,
)
from massprops_cli.tables.cells.units import (
    Units as Units,
)
from massprops_cli.tables.cells.units import (
    UnitSystem as UnitSystem,
)
from massprops_cli.tables.cells.units import (
    base_quantity as base_quantity,
)
from massprops_cli.tables.cells.units import (
    choose_unit_system as choose_unit_system,
)
from massprops_cli.tables.cells.units import (
    coherent_mass_unit as coherent_mass_unit,
)
from massprops_cli.tables.cells.units import (
    has_mixed_systems as has_mixed_systems,
)
from massprops_cli.tables.cells.units import (
    mass_unit_of_weight as mass_unit_of_weight,
)
from massprops_cli.tables.cells.units import (
    parse_unit_system as parse_unit_system,
)
from massprops_cli.tables.cells.units import (
    quantity_dimension as quantity_dimension,
)
