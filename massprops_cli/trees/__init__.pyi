from massprops_cli.trees.balanced_division import divided_labels as divided_labels
from massprops_cli.trees.digraph import (
    Digraph as Digraph,
)
from massprops_cli.trees.tree import (
    Families as Families,
    ItemQuantity as ItemQuantity,
    Tree as Tree,
    family_blocks as family_blocks,
    is_at_or_below as is_at_or_below,
    level_blocks as level_blocks,
    preorder_items as preorder_items,
    subtree_extremes as subtree_extremes,
    subtree_sums as subtree_sums,
    tree_faults as tree_faults,
)
from massprops_cli.trees.tree_regions import (
    aggregation_closure as aggregation_closure,
    items_between as items_between,
    serial_segments as serial_segments,
)
