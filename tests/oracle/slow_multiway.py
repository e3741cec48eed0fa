"""Splits with a child for each value: ID3, C4.5's categories, the trees of Definition 6.1."""

from bisect import bisect_left
from dataclasses import dataclass, replace

from .slow_tree import Rules, bins_of, middle_of_gap


@dataclass(frozen=True)
class MultiwayTest:
    """Children of levels (a category's) or of intervals, in order; of missing values the last."""

    feature: int
    levels: tuple | None
    cuts: tuple
    n_children: int
    missing: tuple
    largest: int
    threshold = terms = None

    def ways(self, of):
        value = of(self.feature)
        if value is None:
            return self.missing
        if self.levels is None:
            return (bisect_left(self.cuts, value),)
        return (self.levels.index(value) if value in self.levels else self.largest,)

    def on_more_rows(self, values):
        """Levels that the split has not seen, and missing ones, go to the largest child."""
        seen = [0] * self.n_children
        for value in values:
            if value is None:
                seen[-1] += self.has_missing
            elif self.levels is None or value in self.levels:
                seen[self.ways(lambda _, v=value: v)[0]] += 1
        largest = seen.index(max(seen))
        return replace(
            self, largest=largest, missing=self.missing if self.has_missing else (largest,)
        )

    @property
    def has_missing(self):
        return self.n_children > (
            len(self.levels) if self.levels is not None else len(self.cuts) + 1
        )

    def record(self):
        return {
            "test": "thresholds" if self.levels is None else "levels",
            "cuts": list(self.cuts if self.levels is None else self.levels),
            "terms": [],
            "missing_child": self.missing[0],
        }


def of_every_value(tree, f):
    """Whether a split on this variable has a child for each value."""
    if tree.rules.split == "multiway":
        return True
    return tree.rules.split == "multiway_categories" and f in tree.n_levels


def multiway_test(tree, node, f):
    column, is_category = tree.columns[f], f in tree.n_levels
    rules = Rules("", max_bins=tree.rules.max_values)
    groups = column if is_category else bins_of(column, rules)
    present = sorted({groups[i] for i in node.rows} - {None})
    missing = [i for i in node.rows if column[i] is None]
    sizes = [sum(groups[i] == g for i in node.rows) for g in present]
    sizes += [len(missing)] if missing else []
    largest = sizes.index(max(sizes))  # of samples
    cuts = []
    if not is_category:
        # A group that the node has not is below the next that it has.
        for g in present[1:]:
            above = min(v for v, other in zip(column, groups, strict=True) if other == g)
            below = max(v for v in column if v is not None and v < above)
            cuts.append(middle_of_gap(below, above))
    n = len(present) + bool(missing)
    return MultiwayTest(
        f,
        tuple(present) if is_category else None,
        tuple(cuts),
        n,
        (n - 1 if missing else largest,),
        largest,
    )
