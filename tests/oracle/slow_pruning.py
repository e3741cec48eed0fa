"""Pruning from the leaves up (C4.5's and reduced-error), and all prunings of a small tree."""

from scipy.stats import beta


def upper_limit(errors, n, confidence):
    """The rate u at which so few errors have just this probability: P(Bin(n, u) <= e)."""
    return 1.0 if errors >= n else float(beta.ppf(1.0 - confidence, errors + 1.0, n - errors))


def leaves_below(node, cut):
    """Leaves of the tree whose nodes in ``cut`` are leaves."""
    if id(node) in cut or not node.children:
        return [node]
    return [leaf for child in node.children for leaf in leaves_below(child, cut)]


def pruned(tree, errors, slack):
    """From the leaves up: a node becomes a leaf where its errors are no more than those below."""
    cut, close = set(), False
    for node in reversed(tree.nodes):
        if not node.children:
            continue
        below = sum(errors(leaf) for leaf in leaves_below(node, cut)) + slack
        close |= 0.0 < abs(errors(node) - below) < 1e-9
        if errors(node) <= below:
            cut.add(id(node))
    return cut, close


def pessimistic_errors(tree, confidence):
    """Bound on the errors of a node as a leaf."""

    def errors(node):
        if not node.fill:
            return 0.0
        weights = {}
        for i in node.fill:
            y = tree.criterion.y[0][i]
            weights[y] = weights.get(y, 0.0) + tree.weights[i]
        n = sum(weights.values())
        return n * upper_limit(n - max(weights.values()), n, confidence)

    return errors


def errors_on(tree, rows, weights=None):
    """Errors of a node as a leaf on held-out rows: wrong classes, or squared differences."""
    reached = {}
    for i in rows:
        node = tree.root
        while True:
            reached.setdefault(id(node), []).append(i)
            if not node.children:
                break
            node = node.children[node.test.ways(tree.row(i))[0]]

    def errors(node):
        total = 0.0
        for i in reached.get(id(node), []):
            (value,), y = tree.value(node), tree.criterion.y[0][i]
            weight = 1.0 if weights is None else weights[i]
            if tree.is_classification():
                total += weight * (value.index(max(value)) != y)
            else:
                total += weight * (value[0] - y) ** 2
        return total

    return errors


def all_prunings(node):
    """Every set of nodes that may be made leaves, as lists of the leaves that are left."""
    yield [node]
    if node.children:
        ways = [[]]
        for child in node.children:
            ways = [way + leaves for way in ways for leaves in all_prunings(child)]
        yield from ways


def grow_back(tree, cut):
    """Makes leaves of the nodes; the tree has then fewer nodes."""
    for node in tree.nodes:
        if id(node) in cut:
            node.children = []
    tree.nodes = []
    pending = [tree.root]
    while pending:
        node = pending.pop()
        tree.nodes.append(node)
        pending.extend(reversed(node.children))
