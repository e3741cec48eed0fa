"""Which variables a node draws, and which of the splits found on them it takes."""

from dataclasses import replace
from math import exp, fsum, log2

from .slow_choices import near_best, one_of_best, p_of_variable, permuted_level
from .slow_multiway import of_every_value
from .slow_random import VARIABLES, Stream, derive, sample_of_node
from .slow_relief import relief

NUMBER, CHOICE, RANGE, PERMUTATION = 7, 8, 9, 10  # parts of a node's key
PAIR = 1 << 34
NEARLY = 1e-10


def shuffled(key, things):
    """All of them in the order of a Fisher-Yates shuffle."""
    stream, order = Stream(derive(key, VARIABLES)), list(things)
    for i in range(len(order)):
        j = i + stream.below(len(order) - i)
        order[i], order[j] = order[j], order[i]
        yield order[i]


def by_odds(key, things, odds):
    """One by one in proportion to the odds of those left; those of none last, in their order."""
    stream = Stream(derive(key, VARIABLES))
    left = [t for t in things if odds[t] > 0.0]
    while left:
        place = stream.uniform() * sum(odds[t] for t in left)
        for chosen in left:
            place -= odds[chosen]
            if place < 0.0:
                break
        left.remove(chosen)
        yield chosen
    yield from (t for t in things if not odds[t] > 0.0)


def poisson(key, mean):
    """How many uniforms multiply to e^-mean, less one."""
    stream, product, n = Stream(derive(key, NUMBER)), 1.0, 0
    while True:
        product *= stream.uniform()
        if product < exp(-mean):
            return n
        n += 1


class Variables:
    """Drawing variables, and choosing among candidates; part of a tree."""

    def drawn(self, node, key=None):
        """Variables until K are drawn and one of them can be cut; with what they offer."""
        rules, key = self.rules, node.key if key is None else key
        k = len(self.usable) if rules.max_features is None else rules.max_features
        order = shuffled(key, self.usable)
        if rules.variables == "weighted":
            odds = rules.feature_weights or [1.0] * len(self.columns)
            order = by_odds(key, self.usable, odds)
        elif rules.variables == "poisson":
            k = 1 + poisson(node.key, k)
        elif rules.variables == "unused":
            order = (f for f in shuffled(key, self.usable) if f not in node.used)
        counted, useful = 0, False
        allowed = self.allowed_variables(node)
        for f in rules.always_split:
            if f in allowed and not self.parts_nothing(node, f):
                useful = True
                yield f
        if rules.always_split or rules.interaction_cst is not None:
            allowed = [f for f in self.usable if f in allowed and f not in rules.always_split]
            order = shuffled(key, allowed)
        for f in order:
            if counted >= k and (useful or rules.variables == "unused" or rules.cut == "pair"):
                return
            flat = self.parts_nothing(node, f)
            counted += not flat or rules.constant_features == "count"
            if not flat or rules.variables == "unused":
                useful = True
                yield f

    def allowed_variables(self, node):
        """Those in a set with all variables above; variables in no set are one more set."""
        sets = self.rules.interaction_cst
        if sets is None:
            return set(self.usable)
        if sets == "no_interactions":
            sets = [{f} for f in self.usable]
        elif sets == "pairwise":
            sets = [{f, g} for f in self.usable for g in self.usable]
        sets = [set(s) for s in sets]
        sets.append(set(self.usable).difference(*sets))
        return set().union(*[s for s in sets if node.used <= s])

    def choose(self, node):
        size = self.rules.split_sample
        if size is not None and len(node.rows) > size:
            found = self.chosen_on_sample(node, sample_of_node(node.key, node.rows, size))
            if found is not None:
                return found
        return self.chosen(node)

    def chosen_on_sample(self, node, rows):
        """Definition 20: the first of the sample's candidates that the whole node allows."""
        sample = replace(node, rows=rows)
        limits, self.min_leaf, self.min_weight = (self.min_leaf, self.min_weight), 1, 0.0
        if self.honest:  # rows that fill leaves are all there
            self.min_leaf = limits[0]
        self.criterion.enter(rows)
        found = self.found_on_variables(sample, node.key)
        self.min_leaf, self.min_weight = limits
        while found:
            self.criterion.enter(rows)
            best = self.taken(sample, found)
            self.criterion.enter(node.rows)
            if best is None:
                return None
            test = best.test
            if of_every_value(self, best.variable):
                test = test.on_more_rows([self.columns[best.variable][i] for i in node.rows])
            whole = self.judged(node, test)
            if whole is not None:
                return whole
            found.remove(best)
        return None

    def chosen(self, node):
        if self.rules.cut != "pair":
            return self.best_on_variables(node, node.key)
        for trial in range(10):
            self.pair = self.drawn_pair(node, derive(node.key, PAIR + trial * 2**32))
            key = derive(node.key, PAIR + trial) if trial else node.key
            best = self.best_on_variables(node, key)
            if best is not None:
                return best
        return None

    def drawn_pair(self, node, key):
        """Two rows drawn by weight until their outputs differ."""
        stream, total = Stream(key), self.weight_of_rows(node.rows)

        def row():
            place = stream.uniform() * total
            for i in node.rows:
                place -= self.weights[i]
                if place < 0.0:
                    return i
            raise AssertionError("no row reaches the total")

        while True:
            i, j = row(), row()
            if any(column[i] != column[j] for column in self.criterion.y):
                return i, j

    def best_on_variables(self, node, key):
        return self.taken(node, self.found_on_variables(node, key))

    def found_on_variables(self, node, key):
        self.key_of_cuts, self.n_combinations, found, rules = key, 0, [], self.rules
        for f in self.drawn(node, key):
            offered = list(self.candidates(node, f))
            if rules.choice != "one_of_best" or f in self.n_levels:
                best = self.best_of(offered)
                offered = [] if best is None else [best]
            for candidate in offered:
                candidate.variable = f
                candidate.gain_by_chance = self.chance(f, node.rows)
            found += offered
        return found

    def taken(self, node, found):
        """The candidate that the node is split by; none if it is not good enough."""
        best, least = self.taken_of(node, found), self.rules.min_score
        if best is None or least is None:
            return best
        gain_ratio = self.rules.criterion == "gain_ratio"
        score = best.ratio if gain_ratio else getattr(best, "weight", best.worth)
        self.close_call |= abs(score - least) < NEARLY
        return best if score >= least else None

    def taken_of(self, node, found):
        rules = self.rules
        if rules.significance is not None:
            found = self.dependent(node, found)
        if rules.choice == "relief":
            for candidate in found:
                candidate.weight = relief(self, node, candidate.variable)
            return self.best_of(found, "weight")
        if rules.criterion == "gain_ratio":
            return self.best_ratio(found)
        if rules.choice == "one_of_best":
            return one_of_best(self, node, found)
        if rules.choice == "near_best" and node.depth < rules.near_best_depth:
            return near_best(self, node, found)
        return self.best_of(found)

    def dependent(self, node, found):
        """Those found, if the output depends on a variable; of choice "significant", that one."""
        tested = [c.variable for c in found]
        p = [p_of_variable(self, node.rows, f) for f in tested]
        if not p:
            return []
        level = min(p) * len(p)  # Bonferroni's
        if self.rules.n_permutations:
            level = permuted_level(self, node, tested, min(p))
        self.close_call |= abs(level - self.rules.significance) < NEARLY
        if level > self.rules.significance:
            return []
        if self.rules.choice != "significant":
            return found
        self.close_call |= sorted(p)[1:2] != [] and sorted(p)[1] - min(p) < NEARLY * min(p)
        return [found[p.index(min(p))]]

    def best_ratio(self, found):
        """Quinlan 1993: of the variables of no less than the mean gain, the largest ratio."""
        if not found:
            return None
        mean = fsum(c.worth for c in found) / len(found)
        self.close_call |= any(abs(c.worth - mean) < NEARLY for c in found) and len(found) > 1
        for candidate in found:
            weights = [self.weight_of_rows(part) for part in candidate.parts]
            shares = [w / sum(weights) for w in weights if w > 0.0]
            information = -fsum(share * log2(share) for share in shares)
            candidate.ratio = candidate.worth / information
        return self.best_of([c for c in found if c.worth >= mean - NEARLY], "ratio")

    def best_of(self, found, measure="worth"):
        """The first of the largest worth; says so where a different one comes very near it."""
        worths = [getattr(candidate, measure) for candidate in found]
        if not found:
            return None
        best = worths.index(max(worths))
        for k, other in enumerate(found):
            if k != best and abs(worths[k] - worths[best]) < NEARLY:
                self.close_call |= sorted(other.parts) != sorted(found[best].parts)
        return found[best]

    def chance(self, f, rows):
        """Share of the impurity that levels would explain by chance, beyond what two of them do.

        Where missing values go apart, it is that of the known rows.
        """
        rules, share = self.rules, 1.0
        if f not in self.n_levels or rules.cut != "best" or of_every_value(self, f):
            return 0.0
        known = [i for i in rows if self.columns[f][i] is not None]
        if rules.missing == "apart":
            rows, share = known, self.weight_of_rows(known) / self.weight_of_rows(rows)
        levels_of = rows if rules.missing == "learned" else known
        n_levels = len({self.columns[f][i] for i in levels_of})
        if rules.criterion == "gain_ratio" or rules.category_gain == "plain" or n_levels <= 2:
            return 0.0
        return (n_levels - 2) / (len(rows) - 1) * self.impurity(rows) * share
