"""Relief's weight of a variable at a node, by sorting all samples for each reference."""

from .slow_random import chosen_rows, derive

RELIEF = 11  # part of a node's key


def difference(tree, rows, f, i, j):
    """Between zero and one; a half where a value is missing."""
    a, b = tree.columns[f][i], tree.columns[f][j]
    if a is None or b is None:
        return 0.5
    if f in tree.n_levels:
        return float(a != b)
    known = [tree.columns[f][k] for k in rows if tree.columns[f][k] is not None]
    spread = max(known) - min(known)
    return abs(a - b) / (spread if spread > 0 else 1.0)


def references_of(tree, node, rows):
    wanted = tree.rules.relief_samples
    if len(rows) <= wanted:
        return list(rows)
    return chosen_rows(derive(node.key, RELIEF), rows, wanted)


def nearest(tree, rows, i, others):
    def distance(j):
        return sum(difference(tree, rows, f, i, j) for f in tree.usable)

    return sorted(others, key=distance)[: tree.rules.relief_neighbors]


def share(tree, rows):
    """Weights of rows as shares of their sum."""
    total = sum(tree.weights[j] for j in rows)
    return {j: tree.weights[j] / total for j in rows}


def relief(tree, node, f):
    """ReliefF (Kononenko 1994), or RReliefF (Robnik-Sikonja and Kononenko 1997)."""
    rows, (y,), w = node.rows, tree.criterion.y, tree.weights
    references = references_of(tree, node, rows)
    whole = sum(w[i] for i in references)
    if tree.is_classification():
        return sum(w[i] / whole * of_classes(tree, rows, f, i, y) for i in references)
    spread = max(y[i] for i in rows) - min(y[i] for i in rows)
    differ = same = both = alone = 0.0
    for i in references:
        near = nearest(tree, rows, i, [j for j in rows if j != i])
        for j, part in share(tree, near).items():
            weight = w[i] / whole * part
            of_y = abs(y[i] - y[j]) / spread if spread > 0 else 0.0
            of_x = difference(tree, rows, f, i, j)
            differ += weight * of_y
            same += weight * (1 - of_y)
            both += weight * of_x * of_y
            alone += weight * of_x * (1 - of_y)
    return (both / differ if differ > 0 else 0.0) - (alone / same if same > 0 else 0.0)


def of_classes(tree, rows, f, i, y):
    """Differences from the nearest of other classes, less those from the nearest of its own."""
    total, w = 0.0, tree.weights
    others = sum(w[j] for j in rows if y[j] != y[i])
    for c in {y[j] for j in rows}:
        near = nearest(tree, rows, i, [j for j in rows if j != i and y[j] == c])
        mean = sum(part * difference(tree, rows, f, i, j) for j, part in share(tree, near).items())
        if c == y[i]:
            total -= mean
        else:
            total += sum(w[j] for j in rows if y[j] == c) / others * mean
    return total
