from massprops_cli.rollups.montecarlo.samples import (
    SampledRollup as SampledRollup,
)
