from massprops_cli.partitions.aggregation import (
    aggregate as aggregate,
)
from massprops_cli.partitions.partition import (
    partition as partition,
)
from massprops_cli.partitions.reassembly import (
    assemble as assemble,
)
