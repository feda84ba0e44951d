"""Plots of a result: ``result.plot.bars()`` and its siblings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli._front import room_function

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from massprops_cli.bom.results.result import Result


@dataclass(frozen=True, slots=True)
class ResultPlots:
    """Plots of a result, each a Matplotlib figure: notebooks show it, ``savefig`` writes it.

    Plots need the extra ``plot`` (``pip install "massprops[plot]"``); without it they raise UsageError.
    """

    result: Result

    def bars(self, of: str = "mass", item: str | None = None, top: int = 12) -> Figure:
        """Draw one result of the children of an assembly as bars, with ±1σ.

        Parameters
        ----------
        of : str, optional
            ``mass`` (of all pieces), ``Cx`` … ``Cz``, or ``Ixx`` … ``Iyz`` (about each child's own centre of mass).
        item : str, optional
            Id of an assembly; default: the root.
        top : int, optional
            Number of bars, at most 60.

        Returns
        -------
        matplotlib.figure.Figure
            Bars by falling size, in coherent units.

        Raises
        ------
        UsageError
            An unknown result or id, an item without children, or no Matplotlib.
        """
        figure: Figure = room_function("massprops_cli.reports", "bars_figure")(self.result, of, item, top)
        return figure

    def tree(self, item: str | None = None, levels: int = 4) -> Figure:
        """Draw the tree below an item: columns are levels, heights are masses.

        Parameters
        ----------
        item : str, optional
            Id of the item on the left; default: the root.
        levels : int, optional
            Number of columns, from 2 to 8.

        Returns
        -------
        matplotlib.figure.Figure
            Items with at least 0.2 % of the mass, in coherent units.

        Raises
        ------
        UsageError
            An unknown id, an item without children, no positive mass, or no Matplotlib.
        """
        figure: Figure = room_function("massprops_cli.reports", "tree_figure")(self.result, item, levels)
        return figure

    def pareto(self, of: str = "mass", item: str | None = None, top: int = 12) -> Figure:
        """Draw the largest contributors to a mass or to an uncertainty.

        Parameters
        ----------
        of : str, optional
            ``mass``: the heaviest leaves; ``sigma_mass``, ``sigma_Cx`` … ``sigma_Iyz``, ``sigma_kx`` … ``sigma_I3``:
            contributors to the variance of the result.
        item : str, optional
            Id; default: the root.
        top : int, optional
            Number of bars, at most 60.

        Returns
        -------
        matplotlib.figure.Figure
            Shares and cumulative shares.

        Raises
        ------
        UsageError
            An unknown result or id, a result without sigmas, or no Matplotlib.

        Notes
        -----
        Shares of a variance: docs/formulas.md, section 6.
        """
        figure: Figure = room_function("massprops_cli.reports", "contributors_figure")(self.result, of, item, top)
        return figure

    def samples(self, item: str | None = None, of: str | Sequence[str] = ()) -> Figure:
        """Draw histograms of Monte Carlo samples with the normal curves of first order.

        Parameters
        ----------
        item : str, optional
            Id of the root or of an item of ``items``; default: the root.
        of : str or sequence of str, optional
            Results: ``mass``, ``Cx`` … ``Iyz``, ``kx`` … ``kz``; default: all that vary. A single one fills the plot.

        Returns
        -------
        matplotlib.figure.Figure
            One panel for each result, in coherent units.

        Raises
        ------
        UsageError
            No samples (``uncertainty="montecarlo"``), an unknown result or id, or no Matplotlib.

        Notes
        -----
        Samples and first order: docs/formulas.md, section 7.
        """
        draw = room_function("massprops_cli.reports", "histogram_figure")
        names = (of,) if isinstance(of, str) else tuple(of)
        figure: Figure = draw(self.result, item, names) if names else draw(self.result, item)
        return figure

    def center(self, item: str | None = None, top: int = 12) -> Figure:
        """Draw the centres of mass of the children of an assembly and its own, in the planes x–y and x–z.

        Parameters
        ----------
        item : str, optional
            Id of an assembly; default: the root.
        top : int, optional
            Number of children with a label, the heaviest first.

        Returns
        -------
        matplotlib.figure.Figure
            Areas of the dots are masses; the cross is the centre of the assembly with ±1σ, in coherent units.

        Raises
        ------
        UsageError
            An unknown id, an item without children, no centres of mass, or no Matplotlib.
        """
        figure: Figure = room_function("massprops_cli.reports", "center_figure")(self.result, item, top)
        return figure
