from massprops_cli.partitions.aggregation import (
    Aggregation as Aggregation,
    aggregate as aggregate,
)
from massprops_cli.partitions.reassembly import (
    assemble as assemble,
)
from massprops_cli.partitions.tree_partition import (
    Partition as Partition,
    partition as partition,
)
