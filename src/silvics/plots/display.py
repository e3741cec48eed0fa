"""What ``plot`` methods return."""

from __future__ import annotations

from typing import Any


class Display:
    """A plot that has been drawn, as the displays of scikit-learn.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes with the plot.
    figure_ : matplotlib figure
        The figure that contains the axes.
    """

    def __init__(self, ax: Any) -> None:
        self.ax_ = ax
        self.figure_ = ax.figure
