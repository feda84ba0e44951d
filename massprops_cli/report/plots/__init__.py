"""Pictures of uncertainties: what makes a sigma, how the two methods differ, how samples are spread.

They need Matplotlib, the extra ``plot``, which is loaded when a picture is drawn.
"""

from massprops_cli.report.plots.canvas import picture_format, require_matplotlib
from massprops_cli.report.plots.histogram import histogram_plot
from massprops_cli.report.plots.methods import methods_plot
from massprops_cli.report.plots.pareto import pareto_plot

__all__ = ["histogram_plot", "methods_plot", "pareto_plot", "picture_format", "require_matplotlib"]
