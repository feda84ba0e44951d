from massprops_cli.bom.checks.assembly_values import (
    assembly_value_findings as assembly_value_findings,
)
from massprops_cli.bom.checks.assembly_values import (
    output_product_signs as output_product_signs,
)
from massprops_cli.bom.checks.consistency import (
    CheckedItems as CheckedItems,
)
from massprops_cli.bom.checks.consistency import (
    check_item_sigmas as check_item_sigmas,
)
from massprops_cli.bom.checks.consistency import (
    check_masses as check_masses,
)
from massprops_cli.bom.checks.consistency import (
    check_part_numbers as check_part_numbers,
)
from massprops_cli.bom.checks.consistency import (
    check_pieces as check_pieces,
)
from massprops_cli.bom.checks.consistency import (
    check_tensors as check_tensors,
)
from massprops_cli.bom.checks.consistency import (
    check_uses as check_uses,
)
from massprops_cli.bom.checks.excluded_mass import (
    excluded_mass_findings as excluded_mass_findings,
)
from massprops_cli.bom.checks.excluded_mass import (
    low_coverage_findings as low_coverage_findings,
)
from massprops_cli.bom.checks.excluded_mass import (
    zero_quantity_findings as zero_quantity_findings,
)
from massprops_cli.bom.checks.interpretation import (
    apply_stated_meanings as apply_stated_meanings,
)
from massprops_cli.bom.checks.interpretation import (
    quantities_per_parent as quantities_per_parent,
)
from massprops_cli.bom.checks.interpretation import (
    resolve_interpretation as resolve_interpretation,
)
from massprops_cli.bom.checks.outliers import (
    mass_outlier_findings as mass_outlier_findings,
)
from massprops_cli.bom.checks.totals import (
    ReconciledTotal as ReconciledTotal,
)
from massprops_cli.bom.checks.totals import (
    center_total_findings as center_total_findings,
)
from massprops_cli.bom.checks.totals import (
    counted_total_findings as counted_total_findings,
)
from massprops_cli.bom.checks.totals import (
    product_column_findings as product_column_findings,
)
from massprops_cli.bom.checks.totals import (
    reconcile_assemblies as reconcile_assemblies,
)
from massprops_cli.bom.checks.totals import (
    reconcile_totals as reconcile_totals,
)
