from massprops_cli.rollups.combination import (
    centers_extent as centers_extent,
)
from massprops_cli.rollups.covariance import (
    NO_GROUP as NO_GROUP,
)
from massprops_cli.rollups.covariance import (
    PAIR_INDEX as PAIR_INDEX,
)
from massprops_cli.rollups.covariance import (
    PARAMETER_NAMES as PARAMETER_NAMES,
)
from massprops_cli.rollups.covariance import (
    PARAMETER_PAIRS as PARAMETER_PAIRS,
)
from massprops_cli.rollups.covariance import (
    Correlation as Correlation,
)
from massprops_cli.rollups.covariance import (
    Covariances as Covariances,
)
from massprops_cli.rollups.covariance import (
    full_covariances as full_covariances,
)
from massprops_cli.rollups.coverage import (
    Coverage as Coverage,
)
from massprops_cli.rollups.coverage import (
    LeafCounts as LeafCounts,
)
from massprops_cli.rollups.leaf_sums import (
    PRINCIPAL_MOMENT_NAMES as PRINCIPAL_MOMENT_NAMES,
)
from massprops_cli.rollups.leaf_sums import (
    ROUNDING_OF_TERMS as ROUNDING_OF_TERMS,
)
from massprops_cli.rollups.leaf_sums import (
    ItemMagnitudes as ItemMagnitudes,
)
from massprops_cli.rollups.leaf_sums import (
    MissingError as MissingError,
)
from massprops_cli.rollups.leaf_sums import (
    branch_tree as branch_tree,
)
from massprops_cli.rollups.leaf_sums import (
    expected_shifts as expected_shifts,
)
from massprops_cli.rollups.leaf_sums import (
    flat_item as flat_item,
)
from massprops_cli.rollups.leaf_sums import (
    item_magnitudes as item_magnitudes,
)
from massprops_cli.rollups.montecarlo.agreement import (
    Agreement as Agreement,
)
from massprops_cli.rollups.montecarlo.agreement import (
    SampleDifference as SampleDifference,
)
from massprops_cli.rollups.montecarlo.agreement import (
    sample_agreement as sample_agreement,
)
from massprops_cli.rollups.montecarlo.samples import (
    DISTRIBUTION_KINDS as DISTRIBUTION_KINDS,
)
from massprops_cli.rollups.montecarlo.samples import (
    KIND_NOT_STATED as KIND_NOT_STATED,
)
from massprops_cli.rollups.montecarlo.samples import (
    PERCENTILES as PERCENTILES,
)
from massprops_cli.rollups.montecarlo.samples import (
    SAMPLED_RESULTS as SAMPLED_RESULTS,
)
from massprops_cli.rollups.montecarlo.samples import (
    InputBounds as InputBounds,
)
from massprops_cli.rollups.montecarlo.samples import (
    InputShapes as InputShapes,
)
from massprops_cli.rollups.montecarlo.samples import (
    SampledDistribution as SampledDistribution,
)
from massprops_cli.rollups.montecarlo.samples import (
    SampledRollup as SampledRollup,
)
from massprops_cli.rollups.montecarlo.samples import (
    SampleOptions as SampleOptions,
)
from massprops_cli.rollups.montecarlo.simulation import (
    simulate_tree as simulate_tree,
)
from massprops_cli.rollups.normal_distribution import (
    normal_interval as normal_interval,
)
from massprops_cli.rollups.normal_distribution import (
    probability_between as probability_between,
)
from massprops_cli.rollups.recomputation import (
    EditedItems as EditedItems,
)
from massprops_cli.rollups.recomputation import (
    recompute_rollup as recompute_rollup,
)
from massprops_cli.rollups.regions import (
    CENTER_RESULTS as CENTER_RESULTS,
)
from massprops_cli.rollups.regions import (
    CenterBox as CenterBox,
)
from massprops_cli.rollups.regions import (
    CenterEllipsoid as CenterEllipsoid,
)
from massprops_cli.rollups.regions import (
    NormalResults as NormalResults,
)
from massprops_cli.rollups.regions import (
    Point as Point,
)
from massprops_cli.rollups.regions import (
    ResultRange as ResultRange,
)
from massprops_cli.rollups.regions import (
    ResultRegion as ResultRegion,
)
from massprops_cli.rollups.regions import (
    crossing_edges as crossing_edges,
)
from massprops_cli.rollups.regions import (
    edge_abscissas as edge_abscissas,
)
from massprops_cli.rollups.regions import (
    is_flat_polygon as is_flat_polygon,
)
from massprops_cli.rollups.regions import (
    is_inside_polygon as is_inside_polygon,
)
from massprops_cli.rollups.regions import (
    polygon_probability as polygon_probability,
)
from massprops_cli.rollups.rollup import (
    Rollup as Rollup,
)
from massprops_cli.rollups.rollup import (
    roll_up as roll_up,
)
from massprops_cli.rollups.subtotals import (
    ColumnRollup as ColumnRollup,
)
from massprops_cli.rollups.subtotals import (
    LabelSubtotals as LabelSubtotals,
)
from massprops_cli.rollups.subtotals import (
    bodies_at_items as bodies_at_items,
)
from massprops_cli.rollups.subtotals import (
    end_items as end_items,
)
from massprops_cli.rollups.subtotals import (
    label_subtotals as label_subtotals,
)
from massprops_cli.rollups.subtotals import (
    path_quantities as path_quantities,
)
from massprops_cli.rollups.subtotals import (
    roll_up_column as roll_up_column,
)
from massprops_cli.rollups.subtotals import (
    sigmas_at_items as sigmas_at_items,
)
from massprops_cli.rollups.variance_budget import (
    GROUP_PART as GROUP_PART,
)
from massprops_cli.rollups.variance_budget import (
    JOINT_PART as JOINT_PART,
)
from massprops_cli.rollups.variance_budget import (
    LEAF_PART as LEAF_PART,
)
from massprops_cli.rollups.variance_budget import (
    VarianceBudget as VarianceBudget,
)
from massprops_cli.rollups.variance_budget import (
    result_variance_budget as result_variance_budget,
)
