#include "importance/surrogates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "importance/impurity_decrease.hpp"
#include "importance/node_sums.hpp"
#include "predictor/row_blocks.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

// A tree and its rows by leaf, shared by all variables.
struct GrownTree {
    Tree tree;
    LearningSubset subset;
    std::vector<std::uint32_t> leaves;  // the leaf of each row
    std::vector<std::size_t> begin;     // the first row of each node, if rows are grouped by leaf
    std::vector<std::size_t> size;
    std::vector<double> weight;  // the weight of each node's rows
};

GrownTree grown_tree(const StoredTree& stored, std::span<const std::int64_t> leaves,
                     std::size_t stride, const Target& target, const SamplingPlan& sampling,
                     std::uint32_t seed, const StopFlag& stop) {
    GrownTree known{expand(stored),
                    estimation_subset(learning_subset(sampling, target, seed, stop), target.n_rows),
                    {},
                    {},
                    {},
                    {}};
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
    // In depth-first order, the rows of a node are those of the leaves of its subtree, which are
    // adjacent.
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

// The surrogate splits of one variable at all nodes of one tree. Rows are in the order of its
// values.
//
// The result does not depend on the direction of that order: agreements are sums of integers,
// outputs are summed in the order of rows, and ties are broken without regard to direction.
class Mimic {
public:
    Mimic(const GrownTree& known, const Target& target, Impurity impurity, bool category)
        : known_(known), target_(target), impurity_(impurity), category_(category) {}

    // The surrogate split at a node; zero if no split agrees better than sending all samples to the
    // larger child.
    struct Found {
        double decrease = 0.0;  // times weight
        double likeness = 0.0;  // 0 to 1
    };

    // visit(t, found) for the inner nodes. `order`: all rows by value, missing values last.
    template <class Visit>
    void down(std::span<const double> values, std::span<const RowId> order, Visit&& visit) {
        rows_.clear();
        ids_.clear();
        for (const RowId row : order)
            if (known_.subset.weight(row) > 0.0 && drawn(row)) {
                rows_.push_back({values[row], known_.subset.weight(row), known_.leaves[row], row});
                ids_.push_back(row);
            }
        std::ranges::sort(ids_);
        side_.resize(target_.n_rows);
        for (NodeId t = 0; t < known_.tree.nodes.size(); ++t) {
            if (known_.tree.nodes[t].leaf() || known_.size[t] == 0) continue;
            children_.clear();
            known_.tree.for_children(t, [&](NodeId c) { children_.push_back(c); });
            const auto here = std::span(rows_).subspan(known_.begin[t], known_.size[t]);
            const auto ids = std::span(ids_).subspan(known_.begin[t], known_.size[t]);
            if (children_.size() > 1) visit(t, at_node(t, here, ids));
            part(here, moved_, [](const Row& row) { return row.leaf; });
            part(ids, moved_ids_, [&](RowId row) { return known_.leaves[row]; });
        }
    }

private:
    using Units = std::int64_t;  // weights as integers, so that sums are exact

    struct Row {
        double value, weight;
        std::uint32_t leaf;
        RowId id;
    };
    struct Cut {
        std::size_t at;
        bool flipped;  // rows below it go to the second child
    };

    bool drawn(RowId row) const {
        const auto& rows = known_.subset.rows;
        return !known_.subset.weights.empty() || rows.size() == target_.n_rows ||
               std::ranges::binary_search(rows, row);
    }
    std::size_t child_of(std::uint32_t leaf) const {
        if (children_.size() == 2) return leaf >= children_[1] ? 1 : 0;
        const auto after = std::ranges::upper_bound(children_, leaf);
        return static_cast<std::size_t>(after - children_.begin()) - 1;
    }
    std::size_t child_of(const Row& row) const { return child_of(row.leaf); }
    Units units(const Row& row) const { return static_cast<Units>(row.weight * scale_ + 0.5); }

    Found at_node(NodeId t, std::span<const Row> here, std::span<const RowId> ids) {
        scale_ = std::ldexp(1.0, std::min(50 - std::ilogb(known_.weight[t]), 1000));
        to_child_.assign(children_.size(), 0);
        for (const Row& row : here) to_child_[child_of(row)] += units(row);
        const Units whole = std::accumulate(to_child_.begin(), to_child_.end(), Units{0});
        const Units largest = std::ranges::max(to_child_);
        rounding_ = whole >> 40;
        const Node& node = known_.tree.nodes[t];
        // The third child may be for missing values only.
        const bool missing_apart = children_.size() == 3 && known_.tree.has_record(node) &&
                                   known_.tree.record(node).test() == Branching::Test::thresholds &&
                                   known_.tree.record(node).n_cuts() == 1;
        const bool levels = category_ || (children_.size() > 2 && !missing_apart);
        const auto [agrees, decrease] =
            levels ? by_levels(here, ids, largest) : by_cut(here, ids, missing_apart, largest);
        if (!better(agrees, largest)) return {};
        return {decrease,
                static_cast<double>(agrees - largest) / static_cast<double>(whole - largest)};
    }

    bool better(Units a, Units b) const { return a > b + rounding_; }
    // Breaks a tie between two children: the larger one, or, if they are equal, that of the first
    // row.
    std::size_t preferred(std::size_t a, std::size_t b, std::span<const RowId> ids) const {
        if (better(to_child_[a], to_child_[b])) return a;
        if (better(to_child_[b], to_child_[a])) return b;
        for (const RowId row : ids)
            if (const std::size_t child = child_of(known_.leaves[row]); child == a || child == b)
                return child;
        return a;
    }
    // The child with the largest weight of rows.
    std::size_t majority_child(std::span<const Units> rows_to, std::span<const RowId> ids) const {
        const Units most = std::ranges::max(rows_to);
        std::size_t best = rows_to.size();
        for (std::size_t child = 0; child < rows_to.size(); ++child)
            if (!better(most, rows_to[child]))
                best = best == rows_to.size() ? child : preferred(best, child, ids);
        return best;
    }

    struct Agreement {
        Units agrees = 0;
        double decrease = 0.0;
    };

    // The cut with the largest agreement, up to rounding. Ties are broken by how evenly a cut
    // divides the rows; if several remain, the mean of their decreases is taken.
    Agreement by_cut(std::span<const Row> here, std::span<const RowId> ids, bool missing_apart,
                     Units largest) {
        const auto known = static_cast<std::size_t>(
            std::ranges::partition_point(here, [](const Row& row) { return !missing(row.value); }) -
            here.begin());
        Units missing_to[3] = {0, 0, 0}, known_units = 0;
        for (const Row& row : here.subspan(known)) missing_to[child_of(row)] += units(row);
        for (const Row& row : here.first(known)) known_units += units(row);
        const Units to[2] = {to_child_[0] - missing_to[0], to_child_[1] - missing_to[1]};
        // Missing values go to their own child, or to the child of most of them.
        const std::size_t missing_child =
            missing_apart || known == here.size()
                ? children_.size() - 1
                : majority_child(std::span<const Units>(missing_to).first(2), ids);
        const auto for_cuts = [&](auto&& visit) {
            Units below[2] = {0, 0}, left = 0;
            for (std::size_t i = 0; i + 1 < known; ++i) {
                const Units weight = units(here[i]);
                left += weight;
                if (const std::size_t child = child_of(here[i]); child < 2) below[child] += weight;
                if (here[i].value < here[i + 1].value)
                    visit(i + 1, below[0] + to[1] - below[1], below[1] + to[0] - below[0], left);
            }
        };
        Units best = -1;
        for_cuts([&](std::size_t, Units straight, Units other, Units) {
            best = std::max({best, straight, other});
        });
        const Units agrees = best < 0 ? best : best + missing_to[missing_child];
        // A split of known against missing values.
        if (known > 0 && known < here.size() && !missing_apart) {
            const Units straight = to[0] + missing_to[1], other = to[1] + missing_to[0];
            if (const Units apart = std::max(straight, other); better(apart, agrees)) {
                if (!better(apart, largest)) return {};
                const std::uint32_t known_child = other > straight ? 1 : 0;
                for (std::size_t i = 0; i < here.size(); ++i)
                    side_[here[i].id] = i < known ? known_child : 1 - known_child;
                return {apart, decrease_of(ids)};
            }
        }
        if (!better(agrees, largest)) return {};
        std::vector<Cut>& cuts = cuts_;
        Units least = std::numeric_limits<Units>::max();
        for_cuts([&](std::size_t at, Units straight, Units other, Units left) {
            if (better(best, std::max(straight, other))) return;
            const Units uneven = std::abs(2 * left - known_units);
            if (uneven > least) return;
            if (uneven < least) cuts.clear();
            least = uneven;
            if (!better(best, straight)) cuts.push_back({at, false});
            // Without missing values, both directions divide the rows in the same way.
            const bool same = known == here.size() && !better(best, straight);
            if (!better(best, other) && !same) cuts.push_back({at, true});
        });
        // The two directions of a cut are added first, since a sum of two does not depend on order.
        double sum = 0.0, cut_sum = 0.0;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            for (std::size_t k = 0; k < here.size(); ++k)
                side_[here[k].id] = static_cast<std::uint32_t>(
                    k < known ? static_cast<std::size_t>((k < cuts[i].at) == cuts[i].flipped)
                              : missing_child);
            cut_sum += decrease_of(ids);
            if (i + 1 < cuts.size() && cuts[i + 1].at == cuts[i].at) continue;
            sum += cut_sum;
            cut_sum = 0.0;
        }
        return {agrees, sum / static_cast<double>(cuts.size())};
    }

    // Assigns every level to the child that most of its rows go to.
    Agreement by_levels(std::span<const Row> here, std::span<const RowId> ids, Units largest) {
        Units agrees = 0;
        std::vector<Units>& rows_to = rows_to_;
        for (std::size_t begin = 0, end = 0; begin < here.size(); begin = end) {
            rows_to.assign(children_.size(), 0);
            for (; end < here.size() && same(here[begin].value, here[end].value); ++end)
                rows_to[child_of(here[end])] += units(here[end]);
            const std::size_t child = majority_child(rows_to, ids);
            agrees += rows_to[child];
            for (std::size_t i = begin; i < end; ++i)
                side_[here[i].id] = static_cast<std::uint32_t>(child);
        }
        return better(agrees, largest) ? Agreement{agrees, decrease_of(ids)} : Agreement{};
    }

    static bool missing(double value) { return std::isnan(value); }
    static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

    // The decrease of impurity times weight if rows go to the children in `side_`.
    double decrease_of(std::span<const RowId> ids) {
        const std::size_t w = target_.value_width();
        parts_.assign(children_.size() * (w + 1), 0.0);
        for (const RowId row : ids) {
            const double weight = known_.subset.weight(row);
            double* sums = &parts_[side_[row] * (w + 1)];
            sums[w] += weight;
            for_outputs(target_, row, [&](std::size_t k, double y) { sums[k] += weight * y; });
        }
        return decrease();
    }
    // The same from the sums of the parts.
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
    // A constant minus the impurity, times the weight. The last of the sums is the weight.
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

    // A stable partition of the rows by child.
    template <class Each, class Leaf>
    void part(std::span<Each> here, std::vector<Each>& moved, Leaf&& leaf) {
        moved.resize(rows_.size());
        std::vector<std::size_t>& next = next_;
        next.clear();
        for (const NodeId child : children_) next.push_back(known_.begin[child]);
        const std::size_t first = next[0];
        for (const Each& row : here) moved[next[child_of(leaf(row))]++] = row;
        std::copy_n(moved.begin() + static_cast<std::ptrdiff_t>(first), here.size(), here.begin());
    }

    const GrownTree& known_;
    const Target& target_;
    Impurity impurity_;
    bool category_;
    double scale_ = 1.0;  // converts weights to units: a power of two
    Units rounding_ = 0;
    std::vector<Row> rows_, moved_;
    std::vector<RowId> ids_, moved_ids_;  // the same rows, by row number
    std::vector<NodeId> children_;
    std::vector<Units> to_child_, rows_to_;
    std::vector<Cut> cuts_;
    std::vector<std::uint32_t> side_;  // by row of the table: the child of the surrogate split
    std::vector<double> parts_;
    std::vector<std::size_t> next_;
};

// The sum over all nodes. It does not depend on the order of children, so a mirrored tree has the
// same.
double sum_over_nodes(const Tree& tree, std::vector<double>& decreases) {
    std::vector<double> of_children;
    for (NodeId t = static_cast<NodeId>(tree.nodes.size()); t-- > 0;) {
        if (tree.nodes[t].leaf()) continue;
        of_children.clear();
        tree.for_children(t, [&](NodeId c) { of_children.push_back(decreases[c]); });
        std::ranges::sort(of_children);
        decreases[t] += std::accumulate(of_children.begin(), of_children.end(), 0.0);
    }
    return decreases[0];
}

}  // namespace

Surrogates surrogate_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                                 const Matrix& X, const Target& target, const DrawnTrees& drawn,
                                 const std::vector<bool>& categories, Impurity impurity,
                                 bool wants_mimicry, ThreadTeam& team) {
    const std::size_t p = predictor.n_features(), n_trees = trees.size();
    if (drawn.seeds.size() != n_trees || drawn.sampling.n_rows != X.rows ||
        target.n_rows != X.rows || categories.size() != p)
        throw std::invalid_argument("trees, seeds, rows and variables do not belong together");
    std::vector<GrownTree> known(n_trees);
    {
        std::vector<std::int64_t> leaves(checked_product(X.rows, n_trees));
        predictor.apply(X, drawn.first, n_trees, leaves, team);
        team.run(n_trees, [&](std::size_t m, std::size_t) {
            known[m] = grown_tree(*trees[m], std::span(leaves).subspan(m), n_trees, target,
                                  drawn.sampling, drawn.seeds[m], team.stop());
        });
    }
    Surrogates found;
    found.importances.assign(checked_product(n_trees, p), 0.0);
    if (wants_mimicry) found.mimicry.assign(checked_product(p, p), 0.0);
    const double unit = 1.0 / target.scale / target.scale / static_cast<double>(target.n_outputs);
    const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 24) / X.rows, 1, p);
    for (std::size_t begin = 0; begin < p; begin += at_once) {
        std::vector<FeatureId> variables(std::min(at_once, p - begin));
        std::iota(variables.begin(), variables.end(), static_cast<FeatureId>(begin));
        const auto columns = columns_of(X, variables, predictor.as_float32(), team);
        team.run(variables.size(), [&](std::size_t at, std::size_t) {
            const std::size_t j = begin + at;
            const auto values = std::span(columns).subspan(at * X.rows, X.rows);
            std::vector<RowId> order(X.rows);
            std::iota(order.begin(), order.end(), RowId{0});
            std::ranges::stable_sort(order, [&](RowId a, RowId b) {
                return std::isnan(values[b]) ? !std::isnan(values[a]) : values[a] < values[b];
            });
            std::vector<double> decreases;  // at each node
            for (std::size_t m = 0; m < n_trees; ++m) {
                team.stop().check();
                const GrownTree& tree = known[m];
                const double scale = unit / tree.subset.whole;
                decreases.assign(tree.tree.nodes.size(), 0.0);
                Mimic(tree, target, impurity, categories[j])
                    .down(values, order, [&](NodeId t, const auto& at_node) {
                        decreases[t] = at_node.decrease * scale;
                        if (!wants_mimicry || at_node.likeness <= 0.0) return;
                        const double decrease = std::ldexp(
                            decrease_at(tree.tree, t) / tree.tree.weighted_n_node_samples[0],
                            tree.tree.impurity_exponent);
                        for_variables(
                            tree.tree, tree.tree.nodes[t], [&](std::uint32_t i, double share) {
                                found.mimicry[i * p + j] += share * decrease * at_node.likeness;
                            });
                    });
                found.importances[m * p + j] = sum_over_nodes(tree.tree, decreases);
            }
        });
    }
    return found;
}

}  // namespace silvics
