from massprops_cli.reports.graphs.joint_forces import (
    joint_force_blocks as joint_force_blocks,
    joint_force_csv as joint_force_csv,
)
from massprops_cli.reports.graphs.part_reports import (
    aggregation_blocks as aggregation_blocks,
    partition_blocks as partition_blocks,
)
from massprops_cli.reports.graphs.tree_drawing import (
    check_tree_picture as check_tree_picture,
    draw_tree_parts as draw_tree_parts,
)
