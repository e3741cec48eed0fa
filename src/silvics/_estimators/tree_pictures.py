"""Methods that print and draw fitted trees."""

from __future__ import annotations

from typing import Any

from silvics.plots.display import Display
from silvics.plots.tree_plot import plot_tree
from silvics.plots.tree_text import tree_to_dot, tree_to_text


class ShowsTree:
    """Mixin with ``to_text``, ``to_dot`` and ``plot``, for every kind of split."""

    def to_text(self, max_depth: int | None = 10) -> str:
        """Return the tree as text, with one line for each node.

        Parameters
        ----------
        max_depth : int or None, default=10
            Depth of the deepest nodes that are shown. None shows all nodes.

        Returns
        -------
        text : str
            The condition of each node, its prediction and its number of training rows. "or missing"
            marks the child that missing values go to.

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
        """Return the tree in the DOT language of Graphviz, which ``dot -Tsvg`` draws.

        Parameters
        ----------
        max_depth : int or None, default=None
            Depth of the deepest nodes that are shown. None shows all nodes.

        Returns
        -------
        dot : str
            A directed graph.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"])
        >>> print(tree.to_dot().splitlines()[0])
        digraph tree {
        """
        return tree_to_dot(self, max_depth)

    def plot(self, max_depth: int | None = 3, ax: Any = None) -> Display:
        """Draw the tree. Needs the package matplotlib.

        Parameters
        ----------
        max_depth : int or None, default=3
            Depth of the deepest nodes that are shown. None shows all nodes.
        ax : matplotlib axes or None, default=None
            Axes to draw on. None creates a figure that is large enough for the tree.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"])
        >>> display = tree.plot()
        >>> len(display.ax_.texts) > 0
        True
        """
        return Display(plot_tree(self, max_depth, ax))
