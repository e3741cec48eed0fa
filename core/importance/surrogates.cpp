#include "importance/surrogates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "importance/impurity_decrease.hpp"
#include "importance/node_sums.hpp"
#include "predictor/row_blocks.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

// What is known of a tree, whatever the variable.
struct GrownTree {
    Tree tree;
    LearningSubset subset;
    std::vector<std::uint32_t> leaves;  // of all rows
    std::vector<std::size_t> begin;  // of each node's rows, in any order that keeps them together
    std::vector<std::size_t> size;
    std::vector<double> weight;  // of each node's rows
};

GrownTree known_of(const Tree& kept, std::span<const std::int64_t> leaves, std::size_t stride,
                   const Target& target, const SamplingPlan& sampling, std::uint32_t seed) {
    GrownTree known{
        expand(kept), filling_rows(learning_subset(sampling, target, seed), target.n_rows),
        {},           {},
        {},           {}};
    known.leaves.resize(target.n_rows);
    for (std::size_t i = 0; i < target.n_rows; ++i)
        known.leaves[i] = static_cast<std::uint32_t>(leaves[i * stride]);
    const std::size_t n = known.tree.nodes.size();
    known.size.assign(n, 0);
    known.weight.assign(n, 0.0);
    for (const RowId row : known.subset.rows) {
        ++known.size[known.leaves[row]];
        known.weight[known.leaves[row]] += known.subset.weight(row);
    }
    // Depth first, a node's rows are those of the leaves from it to the end of its subtree.
    known.begin.assign(n, 0);
    for (std::size_t t = 1; t < n; ++t) known.begin[t] = known.begin[t - 1] + known.size[t - 1];
    for (NodeId t = static_cast<NodeId>(n); t-- > 0;)
        if (!known.tree.nodes[t].leaf())
            known.tree.for_children(t, [&](NodeId c) {
                known.size[t] += known.size[c];
                known.weight[t] += known.weight[c];
            });
    return known;
}

// One variable down one tree, its rows in the order of its values.
class Mimic {
public:
    Mimic(const GrownTree& known, const Target& target, Impurity impurity, bool category)
        : known_(known), target_(target), impurity_(impurity), category_(category) {}

    // Weight times the decrease of the surrogate at node t.
    struct Found {
        double decrease = 0.0;
        double likeness = 0.0;  // 0 to 1
    };

    // visit(t, found) for the inner nodes. `order`: all rows, by value, missing ones last.
    template <class Visit>
    void down(std::span<const double> values, std::span<const RowId> order, Visit&& visit) {
        rows_.clear();
        for (const RowId row : order)
            if (known_.subset.weight(row) > 0.0 && drawn(row))
                rows_.push_back({values[row], known_.subset.weight(row), known_.leaves[row], row});
        moved_.resize(rows_.size());
        for (NodeId t = 0; t < known_.tree.nodes.size(); ++t) {
            if (known_.tree.nodes[t].leaf() || known_.size[t] == 0) continue;
            children_.clear();
            known_.tree.for_children(t, [&](NodeId c) { children_.push_back(c); });
            const auto here = std::span(rows_).subspan(known_.begin[t], known_.size[t]);
            if (children_.size() > 1) visit(t, at_node(t, here));
            part(here);
        }
    }

private:
    struct Row {
        double value, weight;
        std::uint32_t leaf;
        RowId id;
    };

    bool drawn(RowId row) const {
        const auto& rows = known_.subset.rows;
        return !known_.subset.weights.empty() || rows.size() == target_.n_rows ||
               std::ranges::binary_search(rows, row);
    }
    std::size_t child_of(const Row& row) const {
        if (children_.size() == 2) return row.leaf >= children_[1] ? 1 : 0;
        const auto after = std::ranges::upper_bound(children_, row.leaf);
        return static_cast<std::size_t>(after - children_.begin()) - 1;
    }

    Found at_node(NodeId t, std::span<const Row> here) {
        to_child_.clear();
        for (const NodeId child : children_) to_child_.push_back(known_.weight[child]);
        const double whole = known_.weight[t];
        const double largest = std::ranges::max(to_child_);
        const Node& node = known_.tree.nodes[t];
        // A third child may be there for missing values alone.
        const bool missing_apart = children_.size() == 3 && known_.tree.has_record(node) &&
                                   known_.tree.record(node).test() == Branching::Test::thresholds &&
                                   known_.tree.record(node).n_cuts() == 1;
        parts_.assign(children_.size() * (target_.value_width() + 1), 0.0);
        double agrees = 0.0;
        if (category_ || (children_.size() > 2 && !missing_apart))
            agrees = by_levels(here);
        else
            agrees = by_cut(here, missing_apart, 1e-12 * whole);
        if (agrees < 0.0) return {};  // one value for all
        Found found;
        found.decrease = decrease();
        if (whole > largest) found.likeness = std::max((agrees - largest) / (whole - largest), 0.0);
        return found;
    }

    void add_to(std::size_t part, const Row& row) {
        const std::size_t w = target_.value_width();
        double* sums = &parts_[part * (w + 1)];
        sums[w] += row.weight;
        for_outputs(target_, row.id, [&](std::size_t k, double y) { sums[k] += row.weight * y; });
    }

    // The first cut that most rows agree with, up to rounding; the weight of these, or less than
    // nothing.
    double by_cut(std::span<const Row> here, bool missing_apart, double rounding) {
        const auto known = static_cast<std::size_t>(
            std::ranges::partition_point(here, [](const Row& row) { return !missing(row.value); }) -
            here.begin());
        double to[2] = {to_child_[0], to_child_[1]}, missing_to[3] = {0.0, 0.0, 0.0};
        for (const Row& row : here.subspan(known)) missing_to[child_of(row)] += row.weight;
        for (const std::size_t child : {0, 1}) to[child] -= missing_to[child];
        // Where missing values go: to a child of their own, or with most of them.
        const std::size_t missing_child =
            missing_apart ? 2 : static_cast<std::size_t>(missing_to[1] > missing_to[0]);
        double below[2] = {0.0, 0.0}, best = -1.0;
        std::size_t cut = 0;
        bool flipped = false;
        for (std::size_t i = 0; i < known; ++i) {
            if (const std::size_t child = child_of(here[i]); child < 2)
                below[child] += here[i].weight;
            if (i + 1 == known || !(here[i].value < here[i + 1].value)) continue;
            const double straight = below[0] + to[1] - below[1];
            const double other = below[1] + to[0] - below[0];
            if (std::max(straight, other) > best + rounding) {
                best = std::max(straight, other);
                cut = i + 1;
                flipped = other > straight;
            }
        }
        if (best >= 0.0) best += missing_to[missing_child];
        // The known ones on one side, the missing ones on the other.
        std::size_t of_missing = missing_child;
        if (known > 0 && known < here.size() && !missing_apart) {
            const double straight = to[0] + missing_to[1], other = to[1] + missing_to[0];
            if (std::max(straight, other) > best + rounding) {
                best = std::max(straight, other);
                cut = known;
                flipped = other > straight;
                of_missing = flipped ? 0 : 1;
            }
        }
        if (best < 0.0) return best;
        for (std::size_t i = 0; i < here.size(); ++i)
            add_to(i < known ? static_cast<std::size_t>((i < cut) == flipped) : of_missing,
                   here[i]);
        return best;
    }

    // Every level to the child that most of its rows go to.
    double by_levels(std::span<const Row> here) {
        struct LevelRows {
            std::size_t begin, end, child, second;
            double loss;  // if it went to the second
        };
        std::vector<LevelRows> levels;
        double agrees = 0.0;
        for (std::size_t i = 0; i < here.size();) {
            LevelRows level{i, i, 0, 0, 0.0};
            to_child_.assign(children_.size(), 0.0);
            while (level.end < here.size() && same(here[i].value, here[level.end].value))
                to_child_[child_of(here[level.end])] += here[level.end].weight, ++level.end;
            const auto best = std::ranges::max_element(to_child_);
            const double most = *best;
            level.child = static_cast<std::size_t>(best - to_child_.begin());
            *best = -1.0;
            const auto next = std::ranges::max_element(to_child_);
            level.second = static_cast<std::size_t>(next - to_child_.begin());
            level.loss = most - *next;
            agrees += most;
            levels.push_back(level);
            i = level.end;
        }
        if (levels.size() < 2) return -1.0;
        if (std::ranges::all_of(levels,
                                [&](const LevelRows& l) { return l.child == levels[0].child; })) {
            auto& least = *std::ranges::min_element(levels, {}, &LevelRows::loss);
            least.child = least.second;
            agrees -= least.loss;
        }
        for (const LevelRows& level : levels)
            for (std::size_t i = level.begin; i < level.end; ++i) add_to(level.child, here[i]);
        return agrees;
    }

    static bool missing(double value) { return std::isnan(value); }
    static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

    // Of impurity times weight, from the sums of the parts.
    double decrease() const {
        const std::size_t w = target_.value_width();
        std::vector<double> node(w + 1, 0.0);
        double parts = 0.0;
        for (std::size_t part = 0; part < children_.size(); ++part) {
            const double* sums = &parts_[part * (w + 1)];
            parts += purity({sums, w + 1});
            for (std::size_t k = 0; k <= w; ++k) node[k] += sums[k];
        }
        return std::max(parts - purity(node), 0.0);
    }
    // What the impurity, times the weight, falls short of; the last of the sums is the weight.
    double purity(std::span<const double> sums) const {
        const double whole = sums.back();
        if (!(whole > 0.0)) return 0.0;
        double purity = 0.0;
        for (const double sum : sums.first(sums.size() - 1))
            if (impurity_ != Impurity::entropy)
                purity += sum * sum / whole;
            else if (sum > 0.0)
                purity += sum * std::log2(sum / whole);
        return purity;
    }

    // Rows to their children, in the order they have.
    void part(std::span<Row> here) {
        std::vector<std::size_t>& next = next_;
        next.clear();
        for (const NodeId child : children_) next.push_back(known_.begin[child]);
        const std::size_t first = next[0];
        for (const Row& row : here) moved_[next[child_of(row)]++] = row;
        std::copy_n(moved_.begin() + static_cast<std::ptrdiff_t>(first), here.size(), here.begin());
    }

    const GrownTree& known_;
    const Target& target_;
    Impurity impurity_;
    bool category_;
    std::vector<Row> rows_, moved_;
    std::vector<NodeId> children_;
    std::vector<double> to_child_, parts_;
    std::vector<std::size_t> next_;
};

}  // namespace

Surrogates surrogate_importances(const Walker& walker, std::span<const SharedTree> trees,
                                 const Matrix& X, const Target& target, const DrawnTrees& drawn,
                                 const std::vector<bool>& categories, Impurity impurity,
                                 bool wants_mimicry, ThreadTeam& team) {
    const std::size_t p = walker.n_features(), n_trees = trees.size();
    if (drawn.seeds.size() != n_trees || drawn.sampling.n_rows != X.rows ||
        target.n_rows != X.rows || categories.size() != p)
        throw std::invalid_argument("trees, seeds, rows and variables do not belong together");
    std::vector<GrownTree> known(n_trees);
    {
        std::vector<std::int64_t> leaves(X.rows * n_trees);
        walker.apply(X, drawn.first, n_trees, leaves, team);
        team.run(n_trees, [&](std::size_t m, std::size_t) {
            known[m] = known_of(*trees[m], std::span(leaves).subspan(m), n_trees, target,
                                drawn.sampling, drawn.seeds[m]);
        });
    }
    Surrogates found;
    found.importances.assign(n_trees * p, 0.0);
    if (wants_mimicry) found.mimicry.assign(p * p, 0.0);
    const double unit = 1.0 / target.scale / target.scale / static_cast<double>(target.n_outputs);
    const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 24) / X.rows, 1, p);
    for (std::size_t begin = 0; begin < p; begin += at_once) {
        std::vector<FeatureId> variables(std::min(at_once, p - begin));
        std::iota(variables.begin(), variables.end(), static_cast<FeatureId>(begin));
        const auto columns = columns_of(X, variables, walker.as_float32(), team);
        team.run(variables.size(), [&](std::size_t at, std::size_t) {
            const std::size_t j = begin + at;
            const auto values = std::span(columns).subspan(at * X.rows, X.rows);
            std::vector<RowId> order(X.rows);
            std::iota(order.begin(), order.end(), RowId{0});
            std::ranges::stable_sort(order, [&](RowId a, RowId b) {
                return std::isnan(values[b]) ? !std::isnan(values[a]) : values[a] < values[b];
            });
            for (std::size_t m = 0; m < n_trees; ++m) {
                team.stop().check();
                const GrownTree& tree = known[m];
                const double scale = unit / tree.subset.whole;
                Mimic(tree, target, impurity, categories[j])
                    .down(values, order, [&](NodeId t, const auto& at_node) {
                        found.importances[m * p + j] += at_node.decrease * scale;
                        if (!wants_mimicry || at_node.likeness <= 0.0) return;
                        const double decrease = std::ldexp(
                            decrease_at(tree.tree, t) / tree.tree.weighted_n_node_samples[0],
                            tree.tree.impurity_exponent);
                        for_variables(
                            tree.tree, tree.tree.nodes[t], [&](std::uint32_t i, double share) {
                                found.mimicry[i * p + j] += share * decrease * at_node.likeness;
                            });
                    });
            }
        });
    }
    return found;
}

}  // namespace silvics
