"""The C code that traverses the tables of ``to_c``; NAME stands for the name of the function."""

from __future__ import annotations

from silvics.interop.plain_model import PlainModel


def functions(model: PlainModel) -> str:
    """Return the functions that the model needs."""
    parts = [_CHILD] if model.splits else []
    parts.append(_NEXT.replace("    OTHER\n", _NEXT_OF_SPLIT if model.splits else ""))
    if not model.both_children:
        return "\n".join([*parts, _PREDICT])
    parts.append(_SECOND.replace("    OTHER\n", _SECOND_OF_SPLIT if model.splits else ""))
    if model.by_majority:
        ends = ", ".join(str(columns.stop) for columns in model.outputs)
        parts.append(f"static const int NAME_ends[] = {{{ends}}};\n")
    code = _PREDICT_BOTH_WAYS.replace("        ADD\n", _VOTE if model.by_majority else _ADD)
    return "\n".join([*parts, code.replace("MOST_WAYS", str(model.max_depth + 1))])


NODE = """\
/* x[feature] <= threshold goes to the node after this one, else to `onward`. A leaf has the feature
   -1, and onward is its row of values; another kind of split has -2, and onward is its number. */
struct NAME_node { double threshold; int feature, onward, missing_left; };
"""

SPLIT = """\
/* Children are meant by their places among them. Child k has the values that k cuts are below. Of
   levels, those listed go to the child `hit`, or each to one of its own (-1), others to `rest`;
   levels not seen in training to `unknown`, unless they are missing values (-1). */
struct NAME_term { double coefficient; int feature; };
struct NAME_split {
    int feature, term, n_terms, child, missing, both_children, cut, n_cuts;
    int level, n_listed, n_levels, hit, rest, unknown;
};
"""

# Volatile products keep compilers from fusing them with the sum, which would change the result.
_CHILD = """\
static double NAME_compared(const struct NAME_split *s, const double *x) {
    if (s->n_terms == 0) return x[s->feature];
    double sum = 0.0;
    for (int i = s->term; i < s->term + s->n_terms; ++i) {
        const volatile double part = NAME_terms[i].coefficient * x[NAME_terms[i].feature];
        sum += part;
    }
    return sum;
}

static int NAME_is_level(const struct NAME_split *s, double v) {
    return v >= 0 && v < s->n_levels;
}

static int NAME_is_unknown(const struct NAME_split *s, double v) {
    return v == -2 && s->unknown >= 0;
}

static int NAME_child(const struct NAME_split *s, const double *x) {
    const double v = NAME_compared(s, x);
    int low = 0, high = s->n_listed + s->n_cuts; /* one of them is none */
    if (s->n_levels == 0) {
        if (v != v) return s->missing;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (v <= NAME_cuts[s->cut + middle]) high = middle;
            else low = middle + 1;
        }
        return low;
    }
    if (!NAME_is_level(s, v)) return NAME_is_unknown(s, v) ? s->unknown : s->missing;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (v <= NAME_levels[s->level + middle]) high = middle;
        else low = middle + 1;
    }
    if (low == s->n_listed || v != NAME_levels[s->level + low]) return s->rest;
    return s->hit < 0 ? low : s->hit;
}
"""

_NEXT_OF_SPLIT = """\
    if (n->feature == -2) {
        const struct NAME_split *s = NAME_splits + n->onward;
        return NAME_children[s->child + NAME_child(s, x)];
    }
"""

_NEXT = """\
static int NAME_next(int t, const double *x) {
    const struct NAME_node *n = NAME_nodes + t;
    OTHER
    const double v = x[n->feature];
    return v <= n->threshold || (v != v && n->missing_left) ? t + 1 : n->onward;
}
"""

_PREDICT = """\
void NAME(const double *x, double *out) {
    for (int c = 0; c < NAME_width; ++c) out[c] = 0.0;
    for (int m = 0; m < NAME_trees; ++m) {
        int t = NAME_roots[m];
        while (NAME_nodes[t].feature != -1) t = NAME_next(t, x);
        const double *value = NAME_values + NAME_nodes[t].onward * NAME_width;
        for (int c = 0; c < NAME_width; ++c) out[c] += value[c];
    }
    for (int c = 0; c < NAME_width; ++c) out[c] /= NAME_trees;
}
"""

_SECOND_OF_SPLIT = """\
    if (n->feature == -2) {
        const struct NAME_split *s = NAME_splits + n->onward;
        const double v = NAME_compared(s, x);
        const int missing =
            s->n_levels == 0 ? v != v : !NAME_is_level(s, v) && !NAME_is_unknown(s, v);
        return s->both_children && missing ? NAME_children[s->child + 1] : 0;
    }
"""

_SECOND = """\
/* Where the value that a node compares is missing, its second child; else 0, which is nobody's. */
static int NAME_second(int t, const double *x) {
    const struct NAME_node *n = NAME_nodes + t;
    OTHER
    return x[n->feature] != x[n->feature] ? n->onward : 0;
}
"""

_ADD = """\
        for (int c = 0; c < NAME_width; ++c) out[c] += value[c];
"""

_VOTE = """\
        for (int c = 0, k = 0; c < NAME_width; c = NAME_ends[k++]) {
            int most = c;
            for (int i = c; i < NAME_ends[k]; ++i)
                if (value[i] > value[most]) most = i;
            out[most] += 1.0;
        }
"""

_PREDICT_BOTH_WAYS = """\
void NAME(const double *x, double *out) {
    for (int c = 0; c < NAME_width; ++c) out[c] = 0.0;
    for (int m = 0; m < NAME_trees; ++m) {
        struct { int at; double share; } ways[MOST_WAYS];
        double value[NAME_width] = {0.0};
        int n_ways = 1;
        ways[0].at = NAME_roots[m];
        ways[0].share = 1.0;
        while (n_ways > 0) {
            int t = ways[--n_ways].at;
            double share = ways[n_ways].share;
            while (NAME_nodes[t].feature != -1) {
                const int second = NAME_second(t, x);
                if (second == 0) {
                    t = NAME_next(t, x);
                    continue;
                }
                share /= 2;
                ways[n_ways].at = second;
                ways[n_ways++].share = share;
                ++t;
            }
            const double *leaf = NAME_values + NAME_nodes[t].onward * NAME_width;
            for (int c = 0; c < NAME_width; ++c) {
                const volatile double part = share * leaf[c];
                value[c] += part;
            }
        }
        ADD
    }
    for (int c = 0; c < NAME_width; ++c) out[c] /= NAME_trees;
}
"""
