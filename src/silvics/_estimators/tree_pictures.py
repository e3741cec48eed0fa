"""Methods of fitted trees that show them."""

from __future__ import annotations

from typing import Any

from silvics.plots.display import Display
from silvics.plots.tree_plot import plot_tree
from silvics.plots.tree_text import tree_to_dot, tree_to_text


class ShowsTree:
    """``to_text``, ``to_dot`` and ``plot``, for trees of every kind of split."""

    def to_text(self, max_depth: int | None = 10) -> str:
        """The tree as text, a line for each node.

        Parameters
        ----------
        max_depth : int or None, default=10
            Depth down to which nodes are shown; None shows all.

        Returns
        -------
        text : str
            The condition of each node, what it predicts, and its number of training rows. "or
            missing" is on the side of missing values.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [["ash", 12.0], ["oak", 30.0], ["oak", 8.0], ["ash", 9.0]], [0, 1, 0, 0]
        >>> print(DecisionTreeClassifier(random_state=0).fit(X, y).to_text(), end="")
        all samples: 0 (75%), 4 samples
        |-- x1 <= 21 or missing -> 0 (100%), 3 samples
        |-- x1 > 21 -> 1 (100%), 1 sample
        """
        return tree_to_text(self, max_depth)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in the language of Graphviz, which draws it: ``dot -Tsvg``.

        Parameters
        ----------
        max_depth : int or None, default=None
            Depth down to which nodes are shown; None shows all.

        Returns
        -------
        dot : str
        """
        return tree_to_dot(self, max_depth)

    def plot(self, max_depth: int | None = 3, ax: Any = None) -> Display:
        """Draw the tree. Needs the package matplotlib.

        Parameters
        ----------
        max_depth : int or None, default=3
            Depth down to which nodes are shown; None shows all.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure, as large as the tree needs.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.
        """
        return Display(plot_tree(self, max_depth, ax))
