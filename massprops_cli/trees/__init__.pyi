from massprops_cli.trees.tree import (
    ItemQuantity as ItemQuantity,
    LevelRun as LevelRun,
    Tree as Tree,
    is_at_or_below as is_at_or_below,
    level_runs as level_runs,
    preorder_items as preorder_items,
    subtree_extremes as subtree_extremes,
    subtree_sums as subtree_sums,
    tree_faults as tree_faults,
)
