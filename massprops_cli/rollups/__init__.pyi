from massprops_cli.rollups.combination import (
    centers_extent as centers_extent,
)
from massprops_cli.rollups.covariance import (
    PAIR_INDEX as PAIR_INDEX,
    PARAMETER_PAIRS as PARAMETER_PAIRS,
    VARIANCE_INDEX as VARIANCE_INDEX,
    Covariances as Covariances,
    SharedFactors as SharedFactors,
    branch_terms as branch_terms,
    full_covariances as full_covariances,
    moved_parameters as moved_parameters,
    packed_covariances as packed_covariances,
)
from massprops_cli.rollups.coverage import (
    Coverage as Coverage,
    LeafCounts as LeafCounts,
)
from massprops_cli.rollups.division import (
    PartRunner as PartRunner,
    roll_up_in_parts as roll_up_in_parts,
    run_parts_here as run_parts_here,
)
from massprops_cli.rollups.inputs import (
    NO_GROUP as NO_GROUP,
    NO_LOT as NO_LOT,
    PARAMETER_NAMES as PARAMETER_NAMES,
    Correlation as Correlation,
    Placement as Placement,
    RollupInputs as RollupInputs,
    ShapeDeviations as ShapeDeviations,
)
from massprops_cli.rollups.leaf_sums import (
    PRINCIPAL_MOMENT_NAMES as PRINCIPAL_MOMENT_NAMES,
    ROUNDING_OF_TERMS as ROUNDING_OF_TERMS,
    ItemMagnitudes as ItemMagnitudes,
    MissingError as MissingError,
    branch_tree as branch_tree,
    expected_shifts as expected_shifts,
    flat_item as flat_item,
    item_magnitudes as item_magnitudes,
)
from massprops_cli.rollups.montecarlo.agreement import (
    Agreement as Agreement,
    SampleDifference as SampleDifference,
    sample_agreement as sample_agreement,
)
from massprops_cli.rollups.montecarlo.samples import (
    DISTRIBUTION_KINDS as DISTRIBUTION_KINDS,
    KIND_NOT_STATED as KIND_NOT_STATED,
    PERCENTILES as PERCENTILES,
    SAMPLED_RESULTS as SAMPLED_RESULTS,
    InputBounds as InputBounds,
    InputShapes as InputShapes,
    SampledDistribution as SampledDistribution,
    SampledRollup as SampledRollup,
    SampleOptions as SampleOptions,
)
from massprops_cli.rollups.montecarlo.simulation import (
    simulate_tree as simulate_tree,
)
from massprops_cli.rollups.normal_distribution import (
    normal_interval as normal_interval,
    probability_between as probability_between,
)
from massprops_cli.rollups.poses.pose_parts import (
    POSE_INPUT_NAMES as POSE_INPUT_NAMES,
)
from massprops_cli.rollups.recomputation import (
    ChangedAssemblies as ChangedAssemblies,
    recompute_rollup as recompute_rollup,
)
from massprops_cli.rollups.regions import (
    CENTER_RESULTS as CENTER_RESULTS,
    CenterBox as CenterBox,
    CenterEllipsoid as CenterEllipsoid,
    NormalResults as NormalResults,
    Point as Point,
    ResultRange as ResultRange,
    ResultRegion as ResultRegion,
    crossing_edges as crossing_edges,
    edge_abscissas as edge_abscissas,
    is_flat_polygon as is_flat_polygon,
    is_inside_polygon as is_inside_polygon,
    polygon_probability as polygon_probability,
)
from massprops_cli.rollups.rollup import (
    Rollup as Rollup,
    roll_up as roll_up,
)
from massprops_cli.rollups.subtotals import (
    ColumnRollup as ColumnRollup,
    LabelSubtotals as LabelSubtotals,
    bodies_at_items as bodies_at_items,
    end_items as end_items,
    label_subtotals as label_subtotals,
    path_quantities as path_quantities,
    roll_up_column as roll_up_column,
    sigmas_at_items as sigmas_at_items,
)
from massprops_cli.rollups.variance_budget import (
    GROUP_PART as GROUP_PART,
    JOINT_PART as JOINT_PART,
    LEAF_PART as LEAF_PART,
    POSE_PART as POSE_PART,
    VarianceBudget as VarianceBudget,
)
