"""The importances of a forest by context: by the set of variables tested above."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._frames import frame_of
from silvics.importance._checks import checked_top
from silvics.importance.context_frame import frame_of_contexts


class HasContexts:
    """Mixin with the methods that need ``by="context"``."""

    names: np.ndarray
    _library: str | None
    _contexts: dict[str, Any]

    def by_context(self, top: int | None = None) -> Any:
        """Decompose the importances by the set of variables that were tested above.

        Parameters
        ----------
        top : int or None, default=None
            The number of rows, those of the largest importance; None returns all.

        Returns
        -------
        frame : data frame
            Sorted by decreasing importance: ``variable``; ``given``, the names of the variables
            tested above; ``degree``, their number; ``weight``, the share of rows that reach such a
            test, averaged over the trees; ``information``, the mean decrease of impurity there;
            ``importance``, the product of ``weight`` and ``information``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> forest.importances("mdi", by="context").by_context(top=2).columns.tolist()
        ['variable', 'given', 'degree', 'weight', 'information', 'importance']
        """
        found, top = self._checked_contexts(), checked_top(top)
        importance, weight = found["importance"], found["weight"]
        starts, others = found["starts"], found["others"]
        degree = np.diff(starts)
        order = np.lexsort((degree, -importance))[:top]
        given = [
            tuple(str(n) for n in self.names[others[starts[i] : starts[i + 1]]]) for i in order
        ]
        variables = self.names[found["variable"][order]].tolist()
        return frame_of_contexts(variables, given, weight[order], importance[order], self._library)

    def pairs(self, top: int | None = None) -> Any:
        """Rank the pairs of variables by how much more important they are below each other.

        A pair is judged by the tests of one variable below those of the other and no third one. If
        the variables do not interact, these decrease the impurity of a row by as much as tests of
        the variable with no other variable above. The excess is positive for variables that are
        informative together and not alone, such as those of an exclusive or, about zero for effects
        that add up, and negative for variables that share information (interaction information,
        summed over both orders and weighted by the rows that reach the tests).

        Parameters
        ----------
        top : int or None, default=None
            The number of pairs; None returns all that have such tests.

        Returns
        -------
        frame : data frame
            Sorted by decreasing excess: ``variable`` and ``other``; ``importance``, the part of the
            importances of both that is collected below the other one alone; ``expected``, what it
            would be if each row of these tests decreased the impurity by as much as with no
            variable above (zero for a variable that is never tested first); ``excess``, their
            difference.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import ExtraTreesClassifier
        >>> X = np.random.default_rng(0).integers(0, 2, size=(200, 5))
        >>> y = X[:, 1] ^ X[:, 3] | X[:, 0]
        >>> forest = ExtraTreesClassifier(100, max_features=1, random_state=0).fit(X, y)
        >>> pairs = forest.importances(by="context").pairs(top=1)
        >>> pairs[["variable", "other"]].values.tolist()
        [['x1', 'x3']]
        """
        found, top = self._checked_contexts(), checked_top(top)
        n = len(self.names)
        variable, starts = found["variable"], found["starts"]
        degree = np.diff(starts)
        weight, importance = np.zeros((2, n, n + 1))
        below = np.full(len(degree), n)  # the last column has the tests with no variable above
        below[degree == 1] = found["others"][starts[:-1][degree == 1]]
        counted = degree <= 1
        weight[variable[counted], below[counted]] = found["weight"][counted]
        importance[variable[counted], below[counted]] = found["importance"][counted]
        alone = np.divide(importance[:, n], weight[:, n], out=np.zeros(n), where=weight[:, n] > 0)
        expected = weight[:, :n] * alone[:, np.newaxis]
        i, j = np.nonzero(np.triu(weight[:, :n] + weight[:, :n].T, 1))
        importances = importance[i, j] + importance[j, i]
        expected = expected[i, j] + expected[j, i]
        order = np.argsort(expected - importances, kind="stable")[:top]
        columns = {
            "variable": self.names[i[order]].tolist(),
            "other": self.names[j[order]].tolist(),
            "importance": importances[order],
            "expected": expected[order],
            "excess": (importances - expected)[order],
        }
        return frame_of(columns, self._library)

    def _checked_contexts(self) -> dict[str, Any]:
        if not self._contexts:
            raise ValueError(
                'These importances have no contexts: use forest.importances(by="context"), which '
                "also computes the degrees."
            )
        return self._contexts
