"""The keyed random streams, written again from their definition with Python's integers."""

from bisect import bisect_left, bisect_right

MASK = 2**64 - 1
ROWS, VARIABLES, SPLIT_SAMPLE, CUT, CHILD = 1, 2, 3, 1 << 32, 1 << 33


def scatter(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def derive(key, part):
    return scatter((scatter(key ^ 0xD1B54A32D192ED03) + part * 0xAEF17502108EF2D9) & MASK)


def root_key(seed):
    return derive(0x5117C5, seed)


def child_key(parent, child):
    return derive(parent, CHILD + child)


class Stream:
    def __init__(self, key):
        self.state = key

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return scatter(self.state)

    def below(self, n):
        """Uniform on 0 .. n-1: numbers that would favour some outcomes are thrown away."""
        unfair = 2**64 % n
        while True:
            product = self.next() * n
            if product & MASK >= unfair:
                return product >> 64

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53


def tree_seed(forest_seed, tree):
    low = 2**32 - 1
    key = derive(forest_seed, 0)
    z = tree
    for turn in range(3):
        z = (z + scatter((key + turn) & MASK)) & low
        z = ((z ^ (z >> 16)) * 0x85EBCA6B) & low
        z = ((z ^ (z >> 13)) * 0xC2B2AE35) & low
        z ^= z >> 16
    return z


def variables_in_order(node, n_features):
    """All variables in the order that the node draws them, without replacement."""
    stream = Stream(derive(node, VARIABLES))
    order = list(range(n_features))
    for i in range(n_features):
        j = i + stream.below(n_features - i)
        order[i], order[j] = order[j], order[i]
        yield order[i]


def sample_of_node(node, rows, size):
    """``size`` of the rows, each subset equally likely, in row order."""
    return chosen_rows(derive(node, SPLIT_SAMPLE), rows, size)


def chosen_rows(key, rows, size):
    stream = Stream(key)
    chosen = []
    for i, row in enumerate(rows):
        missing = size - len(chosen)
        if missing and stream.below(len(rows) - i) < missing:
            chosen.append(row)
    return chosen


def rows_by_floyd(key, rows, size):
    """So many of the rows, in their order: each of the last, unless one up to it is drawn first."""
    stream = Stream(key)
    taken = set()
    for j in range(len(rows) - size, len(rows)):
        drawn = stream.below(j + 1)
        taken.add(j if drawn in taken else drawn)
    return [rows[i] for i in sorted(taken)]


def uniform_cut(node, feature, low, high):
    """Uniform on [low, high[ (definition 9), also where the range overflows."""
    u = Stream(derive(node, CUT + feature)).uniform()
    width = high - low
    v = low + u * width if width != float("inf") else low * (1.0 - u) + high * u
    return v if low <= v < high else low


def random_subsets(node, feature, n_groups, n_subsets=256):
    """Which groups go left, subset after subset; the trivial ones are drawn, then left out."""
    stream = Stream(derive(node, CUT + feature))
    for _ in range(n_subsets):
        words = [stream.next() for _ in range(0, n_groups, 64)]
        left = [words[i // 64] >> (i % 64) & 1 == 1 for i in range(n_groups)]
        if any(left) and not all(left):
            yield left


def coin(seed, level):
    """Whether a level goes left at random; also said of levels that the node has not."""
    return scatter((seed + (level + 1) * 0x9E3779B97F4A7C15) & MASK) >> 63 == 1


def coins_that_part(node, feature, levels):
    """Seed of coins that send levels both ways; one level alone must go left."""
    stream = Stream(derive(node, CUT + feature))
    while True:
        seed = stream.next() >> 17
        n_left = sum(coin(seed, level) for level in levels)
        if n_left == 1 if len(levels) == 1 else 0 < n_left < len(levels):
            return seed


def bootstrap_rows(seed, n_draws, n_rows, weights=None):
    """Rows of a bootstrap replicate; with weights, these are the odds of being drawn."""
    stream = Stream(derive(root_key(seed), ROWS))
    if weights is None:
        return [stream.below(n_rows) for _ in range(n_draws)]
    running, total = [], 0.0
    for w in weights:
        total += w
        running.append(total)
    rows = []
    for _ in range(n_draws):
        row = bisect_right(running, stream.uniform() * total)
        rows.append(row if row < n_rows else bisect_left(running, total))
    return rows
