"""Which of a node's splits is taken; and whether the output depends on any variable at all."""

from itertools import pairwise

from scipy.stats import chi2

from .slow_random import Stream, derive

CHOICE, PERMUTATION = 8, 10  # parts of a node's key


def one_of_best(tree, node, found):
    """Definition 7: every threshold is a split; uniform among so many of the best."""
    best = sorted(found, key=lambda c: -c.worth)
    n = min(tree.rules.n_best, len(best))
    if not best:
        return None
    tree.close_call |= any(a.worth - b.worth < 1e-10 for a, b in pairwise(best[: n + 1]))
    return best[Stream(derive(node.key, CHOICE)).below(n)]


def near_best(tree, node, found):
    """Definition 26: near the root any variable of almost the largest decrease."""
    if not found:
        return None
    most = max(c.worth for c in found)
    bound = (1.0 - tree.rules.near_best) * most
    tree.close_call |= any(abs(c.worth - bound) < 1e-10 for c in found)
    near = [c for c in found if c.worth >= bound]
    return near[Stream(derive(node.key, CHOICE)).below(len(near))]


def moments(pairs):
    """Weight, mean and sum of squares about it."""
    total = sum(w for _, w in pairs)
    mean = sum(v * w for v, w in pairs) / total
    return total, mean, sum(w * (v - mean) ** 2 for v, w in pairs)


def explained(numbers, groups, weights):
    """Share of the spread of the numbers that lies between the groups."""
    _, mean, spread = moments(list(zip(numbers, weights, strict=True)))
    between = 0.0
    for g in set(groups):
        own = [(v, w) for v, w, h in zip(numbers, weights, groups, strict=True) if h == g]
        weight, own_mean, _ = moments(own)
        between += weight * (own_mean - mean) ** 2
    return between / spread if spread > 0.0 else 0.0


def correlated(x, y, weights):
    """Squared correlation."""
    _, mean_x, spread_x = moments(list(zip(x, weights, strict=True)))
    _, mean_y, spread_y = moments(list(zip(y, weights, strict=True)))
    both = sum(w * (a - mean_x) * (b - mean_y) for a, b, w in zip(x, y, weights, strict=True))
    return both**2 / (spread_x * spread_y) if spread_x > 0.0 and spread_y > 0.0 else 0.0


def contingency(a, b, weights):
    """Chi-square over n: the sum of the squared canonical correlations of two labels."""

    def mass(test):
        return sum(w for u, v, w in zip(a, b, weights, strict=True) if test(u, v))

    shares = 0.0
    for p in set(a):
        for q in set(b):
            cell = mass(lambda u, v, p=p, q=q: u == p and v == q)
            row, column = mass(lambda u, v, p=p: u == p), mass(lambda u, v, q=q: v == q)
            shares += cell * cell / (row * column)
    return shares - 1.0


def p_value(x, y, weights, x_is_label, y_is_label):
    """(n - 1) x the share explained, summed over dimensions, against chi-square."""
    dimensions = (len(set(x)) - 1 if x_is_label else 1) * (len(set(y)) - 1 if y_is_label else 1)
    if dimensions == 0 or len(set(x)) < 2 or len(set(y)) < 2:
        return 1.0
    if x_is_label and y_is_label:
        share = contingency(x, y, weights)
    elif x_is_label:
        share = explained(y, x, weights)
    elif y_is_label:
        share = explained(x, y, weights)
    else:
        share = correlated(x, y, weights)
    return float(chi2.sf((sum(weights) - 1.0) * share, dimensions))


def p_of_variable(tree, rows, f, y=None):
    """Rows where the variable is missing are left out."""
    known = [i for i in rows if tree.columns[f][i] is not None]
    (output,) = tree.criterion.y
    y = output if y is None else y
    return p_value(
        [tree.columns[f][i] for i in known],
        [y[i] for i in known],
        [tree.weights[i] for i in known],
        f in tree.n_levels,
        tree.is_classification(),
    )


def permuted_level(tree, node, variables, smallest):
    """How often the smallest p-value of all variables is as small when outputs are permuted."""
    stream, rows = Stream(derive(node.key, PERMUTATION)), node.rows
    (output,) = tree.criterion.y
    order, n_times = list(rows), 0
    for _ in range(tree.rules.n_permutations):
        for i in range(len(order) - 1, 0, -1):
            j = stream.below(i + 1)
            order[i], order[j] = order[j], order[i]
        y = {i: output[k] for i, k in zip(rows, order, strict=True)}
        p = min(p_of_variable(tree, rows, f, y) for f in variables)
        if abs(p - smallest) < 1e-9 * smallest and p != smallest:
            tree.close_call = True
        n_times += p <= smallest
    return (1 + n_times) / (1 + tree.rules.n_permutations)
