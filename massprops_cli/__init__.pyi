from massprops_cli.ballasts.ballast import (
    Ballast as Ballast,
    BallastEffect as BallastEffect,
    BallastMass as BallastMass,
    ballast as ballast,
)
from massprops_cli.bodies.body import Body as Body
from massprops_cli.bodies.body_array import BodyArray as BodyArray
from massprops_cli.bodies.liquids import shape_container as shape_container
from massprops_cli.bodies.meshes.mesh import Mesh as Mesh
from massprops_cli.bodies.meshes.mesh_bodies import MeshBody as MeshBody, MeshInput as MeshInput, mesh_body as mesh_body
from massprops_cli.bodies.plausibility import (
    geometry_faults as geometry_faults,
    placeholder_faults as placeholder_faults,
)
from massprops_cli.bodies.pose_uncertainty import PoseCovariances as PoseCovariances
from massprops_cli.bodies.poses import Poses as Poses, rotation_faults as rotation_faults
from massprops_cli.bodies.solid_inputs import (
    DimensionText as DimensionText,
    Material as Material,
    find_material as find_material,
    parse_dims as parse_dims,
    read_materials as read_materials,
)
from massprops_cli.bodies.solid_shapes import SHAPES as SHAPES
from massprops_cli.bodies.solids import Solids as Solids, solid_faults as solid_faults, solids as solids
from massprops_cli.bom.account import AccountLine as AccountLine, ExcludedRowGroup as ExcludedRowGroup
from massprops_cli.bom.bom import (
    Bom as Bom,
    BomFile as BomFile,
    BomSource as BomSource,
    ReadKeywords as ReadKeywords,
    TableKeywords as TableKeywords,
    read_bom as read_bom,
)
from massprops_cli.bom.contributions import (
    Contribution as Contribution,
    Contributions as Contributions,
    GroupMember as GroupMember,
    MassPareto as MassPareto,
    MassShare as MassShare,
    WeighingGain as WeighingGain,
    contributions as contributions,
    mass_pareto as mass_pareto,
)
from massprops_cli.bom.inspection import Inspection as Inspection, inspect as inspect
from massprops_cli.bom.results.result import Result as Result
from massprops_cli.bom.rollup import rollup as rollup, validate as validate
from massprops_cli.bom.whatif import WhatIf as WhatIf, whatif as whatif
from massprops_cli.budgets.check import Check as Check, check as check
from massprops_cli.budgets.file import read_budget as read_budget
from massprops_cli.budgets.model import Budget as Budget, Verdict as Verdict
from massprops_cli.files.options import ReadCaps as ReadCaps
from massprops_cli.findings.finding import (
    ConfigError as ConfigError,
    Finding as Finding,
    Findings as Findings,
    FindingsError as FindingsError,
    MasspropsError as MasspropsError,
    OutputError as OutputError,
    Place as Place,
    Severity as Severity,
    TableError as TableError,
    UnknownId as UnknownId,
    UsageError as UsageError,
)
from massprops_cli.identifications.excitation import Excitation as Excitation, design_excitation as design_excitation
from massprops_cli.identifications.identification import Identification as Identification, identify as identify
from massprops_cli.loadings.results import (
    ConditionDifference as ConditionDifference,
    Conditions as Conditions,
    ConditionTotals as ConditionTotals,
    conditions as conditions,
)
from massprops_cli.loadings.travel import EnvelopeCheck as EnvelopeCheck, EnvelopeVerdict as EnvelopeVerdict
from massprops_cli.mechanisms.base_inertia import BaseParameters as BaseParameters, base_parameters as base_parameters
from massprops_cli.mechanisms.mechanism_document import (
    mechanism_document as mechanism_document,
    reduced_mechanism as reduced_mechanism,
)
from massprops_cli.mechanisms.mechanism_file import read_mechanism as read_mechanism
from massprops_cli.mechanisms.model import Mechanism as Mechanism, RobotReading as RobotReading
from massprops_cli.mechanisms.observation.observed_parameters import (
    Observation as Observation,
    ObservationSettings as ObservationSettings,
    observation_matrix as observation_matrix,
)
from massprops_cli.mechanisms.spatial.articulated_bodies import ArticulatedBodies as ArticulatedBodies
from massprops_cli.mechanisms.spatial.operators import (
    AggregatedOperators as AggregatedOperators,
    PartitionedOperators as PartitionedOperators,
    SpatialOperators as SpatialOperators,
)
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel as SpatialModel, SpatialPose as SpatialPose
from massprops_cli.partitions.aggregation import Aggregation as Aggregation, aggregate as aggregate
from massprops_cli.partitions.reassembly import assemble as assemble
from massprops_cli.partitions.tree_partition import (
    Partition as Partition,
    PartSummary as PartSummary,
    partition as partition,
)
from massprops_cli.reconciliations.explanations import (
    Hypothesis as Hypothesis,
    MeasurementPlan as MeasurementPlan,
    NextMeasurement as NextMeasurement,
)
from massprops_cli.reconciliations.reconciliation import (
    MeasuredValue as MeasuredValue,
    Reconciliation as Reconciliation,
    reconcile as reconcile,
)
from massprops_cli.reconciliations.update import ScaleValue as ScaleValue
from massprops_cli.reports.review.report import report as report
from massprops_cli.revisions.attribution import ChangeBreakdown as ChangeBreakdown
from massprops_cli.revisions.comparison import diff as diff
from massprops_cli.revisions.diff import ChangedItem as ChangedItem, Diff as Diff
from massprops_cli.robots.inertial_resolution import (
    ResolvedInertials as ResolvedInertials,
    resolve_inertials as resolve_inertials,
)
from massprops_cli.styles.style import style as style
from massprops_cli.tables.account import ReadColumn as ReadColumn, UnreadColumn as UnreadColumn
from massprops_cli.tanks.schedule import Schedule as Schedule, schedule as schedule, with_liquids as with_liquids
from massprops_cli.tanks.tank import Liquid as Liquid, Tank as Tank, deplete as deplete
from massprops_cli.tanks.tank_file import read_tanks as read_tanks
from massprops_cli.trees.digraph import Digraph as Digraph
from massprops_cli.trends.points import TrendItem as TrendItem, TrendPoint as TrendPoint, TrendStep as TrendStep
from massprops_cli.trends.trend import Trend as Trend, trend as trend
from massprops_cli.verifications.plan import (
    ControlPlan as ControlPlan,
    PlanTask as PlanTask,
    control_plan as control_plan,
)
from massprops_cli.verifications.verification import (
    Difference as Difference,
    FileRecord as FileRecord,
    QuantityCheck as QuantityCheck,
    Verification as Verification,
    verify as verify,
)

__version__: str
