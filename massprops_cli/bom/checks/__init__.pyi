from massprops_cli.bom.checks.assembly_values import (
    check_assembly_values as check_assembly_values,
    output_product_signs as output_product_signs,
)
from massprops_cli.bom.checks.consistency import (
    CheckedItems as CheckedItems,
    check_item_sigmas as check_item_sigmas,
    check_masses as check_masses,
    check_part_numbers as check_part_numbers,
    check_pieces as check_pieces,
    check_product_columns as check_product_columns,
    check_tensors as check_tensors,
    check_uses as check_uses,
    has_suspect_tensors as has_suspect_tensors,
)
from massprops_cli.bom.checks.excluded_mass import (
    TableReading as TableReading,
    check_coverage as check_coverage,
    check_zero_quantities as check_zero_quantities,
    report_excluded_mass as report_excluded_mass,
)
from massprops_cli.bom.checks.interpretation import (
    apply_stated_meanings as apply_stated_meanings,
    quantities_per_parent as quantities_per_parent,
    resolve_interpretation as resolve_interpretation,
)
from massprops_cli.bom.checks.outliers import (
    check_mass_outliers as check_mass_outliers,
)
from massprops_cli.bom.checks.placeholders import (
    check_placeholder_tensors as check_placeholder_tensors,
)
from massprops_cli.bom.checks.robot_checks import (
    check_robot as check_robot,
    robot_findings as robot_findings,
)
from massprops_cli.bom.checks.totals import (
    ReconciledTotal as ReconciledTotal,
    check_center_totals as check_center_totals,
    check_counted_totals as check_counted_totals,
    occurrence_counts as occurrence_counts,
    reconcile_assemblies as reconcile_assemblies,
    reconcile_masses as reconcile_masses,
    reconcile_totals as reconcile_totals,
)
