from massprops_cli.bom.checks.assembly_values import (
    assembly_value_findings as assembly_value_findings,
    output_product_signs as output_product_signs,
)
from massprops_cli.bom.checks.consistency import (
    CheckedItems as CheckedItems,
    check_item_sigmas as check_item_sigmas,
    check_masses as check_masses,
    check_part_numbers as check_part_numbers,
    check_pieces as check_pieces,
    check_tensors as check_tensors,
    check_uses as check_uses,
)
from massprops_cli.bom.checks.excluded_mass import (
    excluded_mass_findings as excluded_mass_findings,
    low_coverage_findings as low_coverage_findings,
    zero_quantity_findings as zero_quantity_findings,
)
from massprops_cli.bom.checks.interpretation import (
    apply_stated_meanings as apply_stated_meanings,
    quantities_per_parent as quantities_per_parent,
    resolve_interpretation as resolve_interpretation,
)
from massprops_cli.bom.checks.outliers import (
    mass_outlier_findings as mass_outlier_findings,
)
from massprops_cli.bom.checks.totals import (
    ReconciledTotal as ReconciledTotal,
    center_total_findings as center_total_findings,
    counted_total_findings as counted_total_findings,
    product_column_findings as product_column_findings,
    reconcile_assemblies as reconcile_assemblies,
    reconcile_totals as reconcile_totals,
)
