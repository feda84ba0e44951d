from massprops_cli.trees.tree import (
    ItemQuantity as ItemQuantity,
)
from massprops_cli.trees.tree import (
    LevelRun as LevelRun,
)
from massprops_cli.trees.tree import (
    Tree as Tree,
)
from massprops_cli.trees.tree import (
    is_at_or_below as is_at_or_below,
)
from massprops_cli.trees.tree import (
    level_runs as level_runs,
)
from massprops_cli.trees.tree import (
    preorder_items as preorder_items,
)
from massprops_cli.trees.tree import (
    subtree_extremes as subtree_extremes,
)
from massprops_cli.trees.tree import (
    subtree_sums as subtree_sums,
)
from massprops_cli.trees.tree import (
    tree_faults as tree_faults,
)
