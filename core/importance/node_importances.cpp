#include "importance/node_importances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "importance/impurity_decrease.hpp"
#include "importance/node_sums.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

// The measures at an inner node t of one tree, for element k of Y (see NodeSums).
class AtNode {
public:
    AtNode(const Tree& tree, const NodeSums& sums, bool classes)
        : tree_(tree), sums_(sums), classes_(classes) {}

    double out_of_bag(NodeId t, std::size_t k) const {
        const double from = classes_ ? 0.0 : sums_.mean(0, k);
        double sum = 0.0;
        for_drawn(t, [&](NodeId c) {
            const double step = sums_.mean(c, k) - sums_.mean(t, k);
            sum += step * (sums_.held_out_y[c * sums_.width + k] - from * sums_.held_out[c]);
        });
        return sum / sums_.held_out[0];
    }

    double cross_fitted(NodeId t, std::size_t k) const {
        // Children that lack drawn or held-out rows are skipped; the others take the place of the
        // node.
        double weight = 0.0, y = 0.0, held_out = 0.0, held_out_y = 0.0;
        const auto for_cross_fitted = [&](auto&& visit) {
            for_drawn(t, [&](NodeId c) {
                if (sums_.held_out[c] > 0.0) visit(c);
            });
        };
        for_cross_fitted([&](NodeId c) {
            weight += sums_.drawn[c];
            y += sums_.drawn_y[c * sums_.width + k];
            held_out += sums_.held_out[c];
            held_out_y += sums_.held_out_y[c * sums_.width + k];
        });
        if (!(weight > 0.0)) return 0.0;
        const double mean = y / weight, from = classes_ ? 0.0 : mean;
        double sum = -weight * (mean - from) * (held_out_y / held_out);
        for_cross_fitted([&](NodeId c) {
            sum += sums_.drawn[c] * (sums_.mean(c, k) - from) * sums_.held_out_mean(c, k);
        });
        return sum / sums_.drawn[0];
    }

    double drawn(NodeId t, std::size_t k) const {
        double sum = 0.0;
        for_drawn(t, [&](NodeId c) {
            const double step = sums_.mean(c, k) - sums_.mean(t, k);
            sum += sums_.drawn[c] * step * step;
        });
        return sum / sums_.drawn[0];
    }

    double null_part(NodeId t, std::size_t k) const {
        const std::size_t at = t * sums_.width + k;
        const double n = sums_.n[t];
        if (n < 2.0) return 0.0;
        const double variance =
            std::max(sums_.yy[at] - sums_.y[at] * sums_.y[at] / n, 0.0) / (n - 1.0);
        double sum = -sums_.ww[t] / sums_.drawn[t];
        for_drawn(t, [&](NodeId c) { sum += sums_.ww[c] / sums_.drawn[c]; });
        return variance * sum / sums_.drawn[0];
    }

    // The count of a class in a child has a hypergeometric distribution.
    double null_entropy(NodeId t, std::size_t k) const {
        const double n = sums_.n[t], of_class = sums_.y[t * sums_.width + k];
        if (of_class == 0.0 || of_class == n) return 0.0;
        const auto x_log_x = [](double x) { return x > 0.0 ? x * std::log2(x) : 0.0; };
        const auto log_choose = [](double a, double b) {
            return std::lgamma(a + 1.0) - std::lgamma(b + 1.0) - std::lgamma(a - b + 1.0);
        };
        // The part of the class in n H(t): n log n is divided over the classes by their counts.
        double sum = of_class * std::log2(n) - x_log_x(of_class);
        for_drawn(t, [&](NodeId c) {
            const double size = sums_.n[c];
            const double least = std::max(0.0, size + of_class - n);
            const double most = std::min(size, of_class);
            double p = std::exp(log_choose(of_class, least) +
                                log_choose(n - of_class, size - least) - log_choose(n, size));
            // The probability of the next count follows from the last, unless the first underflows.
            const bool tiny = !(p > 1e-280);
            for (double x = least; x <= most; x += 1.0) {
                if (tiny)
                    p = std::exp(log_choose(of_class, x) + log_choose(n - of_class, size - x) -
                                 log_choose(n, size));
                sum -= p * (x * std::log2(size) - x_log_x(x));
                if (!tiny)
                    p *=
                        (of_class - x) * (size - x) / ((x + 1.0) * (n - of_class - size + x + 1.0));
            }
        });
        return sum / sums_.n[0];
    }

private:
    template <class Visit>
    void for_drawn(NodeId t, Visit&& visit) const {
        tree_.for_children(t, [&](NodeId c) {
            if (sums_.drawn[c] > 0.0) visit(c);
        });
    }

    const Tree& tree_;
    const NodeSums& sums_;
    bool classes_;
};

void check_groups(std::span<const SharedTree> trees, std::span<const std::uint32_t> group_of,
                  std::size_t n_groups) {
    for (const auto& tree : trees)
        if (tree->base().n_features != group_of.size() ||
            !std::ranges::all_of(group_of, [&](std::uint32_t g) { return g < n_groups; }))
            throw std::invalid_argument("a group is needed for each variable of the trees");
}

}  // namespace

std::vector<double> node_importances(std::span<const SharedTree> trees,
                                     std::span<const std::int64_t> leaves, const Target& target,
                                     const DrawnTrees& drawn, const NodeImportances& wanted,
                                     ThreadTeam& team) {
    check_groups(trees, wanted.group_of, wanted.n_groups);
    const std::size_t n_rows = target.n_rows;
    if (drawn.seeds.size() != trees.size() || drawn.sampling.n_rows != n_rows ||
        leaves.size() != checked_product(n_rows, trees.size()))
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    const std::size_t w = target.value_width(), kept = wanted.by_output ? w : 1;
    std::vector<double> found(checked_product(trees.size(), checked_product(wanted.n_groups, kept)),
                              0.0);
    // Held-out rows have the user's sample weights.
    const std::span<const double> held_out_weights = drawn.sampling.weights;
    const bool wants_held_out =
        wanted.measure == NodeMeasure::out_of_bag || wanted.measure == NodeMeasure::cross_fitted;
    // A plan without draws means that the trees were not grown on these rows.
    const bool none_drawn = drawn.sampling.bootstrap && drawn.sampling.n_draws == 0;
    const double unit = 1.0 / target.scale / target.scale / static_cast<double>(target.n_outputs);
    team.run(trees.size(), [&](std::size_t m, std::size_t) {
        const Tree tree = expand(*trees[m]);
        const LearningSubset subset = estimation_subset(
            learning_subset(drawn.sampling, target, drawn.seeds[m], team.stop()), n_rows);
        const auto out = drawn.sampling.bootstrap || drawn.sampling.subsample
                             ? out_of_bag(drawn.sampling, drawn.seeds[m], team.stop())
                             : std::vector<bool>(n_rows, false);
        NodeSums sums =
            node_sums(tree, leaves.subspan(m), trees.size(), target, subset, out, held_out_weights);
        if (none_drawn) take_stored_sums(tree, target, sums);
        if (wants_held_out && !(sums.held_out[0] > 0.0)) {  // undefined
            std::fill_n(&found[m * wanted.n_groups * kept], wanted.n_groups * kept,
                        std::numeric_limits<double>::quiet_NaN());
            return;
        }
        const AtNode node(tree, sums, target.classification());
        const auto value = [&](NodeId t, std::size_t k) {
            switch (wanted.measure) {
                case NodeMeasure::out_of_bag:
                    return node.out_of_bag(t, k);
                case NodeMeasure::cross_fitted:
                    return node.cross_fitted(t, k);
                case NodeMeasure::drawn:
                    return node.drawn(t, k);
                case NodeMeasure::null_part:
                    return node.null_part(t, k);
                default:
                    return node.null_entropy(t, k);
            }
        };
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            if (tree.nodes[t].leaf() || !(sums.drawn[t] > 0.0) ||
                sums.n[t] < static_cast<double>(wanted.min_samples))
                continue;
            for (std::size_t k = 0; k < w; ++k) {
                const double node_value = value(t, k) * unit;
                for_variables(tree, tree.nodes[t], [&](std::uint32_t variable, double share) {
                    const std::size_t group = wanted.group_of[variable];
                    found[(m * wanted.n_groups + group) * kept + (wanted.by_output ? k : 0)] +=
                        share * node_value;
                });
            }
        }
    });
    return found;
}

void add_local_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                           std::size_t first, const Matrix& X,
                           std::span<const std::uint32_t> group_of, std::size_t n_groups,
                           std::span<double> sums, ThreadTeam& team) {
    check_groups(trees, group_of, n_groups);
    if (sums.size() != X.rows * n_groups) throw std::invalid_argument("sums of the wrong size");
    std::vector<std::int64_t> leaves(checked_product(X.rows, trees.size()));
    predictor.apply(X, first, trees.size(), leaves, team);
    struct PlainTree {
        Tree tree;
        std::vector<NodeId> parents;
    };
    std::vector<PlainTree> plain(trees.size());
    team.run(trees.size(), [&](std::size_t m, std::size_t) {
        auto& [tree, parents] = plain[m];
        tree = expand(*trees[m]);
        parents = parents_of(tree);
    });
    constexpr std::size_t kRows = 256;
    team.run((X.rows + kRows - 1) / kRows, [&](std::size_t b, std::size_t) {
        for (std::size_t i = b * kRows; i < std::min(X.rows, (b + 1) * kRows); ++i)
            for (std::size_t m = 0; m < trees.size(); ++m) {
                const auto& [tree, parents] = plain[m];
                for (auto t = static_cast<NodeId>(leaves[i * trees.size() + m]); t != 0;) {
                    const NodeId parent = parents[t];
                    const double decrease = std::ldexp(tree.impurity[parent] - tree.impurity[t],
                                                       tree.impurity_exponent);
                    for_variables(tree, tree.nodes[parent], [&](std::uint32_t j, double share) {
                        sums[i * n_groups + group_of[j]] += share * decrease;
                    });
                    t = parent;
                }
            }
    });
}

}  // namespace silvics
