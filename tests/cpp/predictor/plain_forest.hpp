// Predictions of a forest by a reference traversal, one sample and one tree at a time, and those of
// a Predictor.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "predictor/predictor.hpp"
#include "support/descend.hpp"
#include "support/problem.hpp"

namespace silvics::test {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

// The predictions, leaves and decision paths of the rows of a matrix.
struct Predictions {
    std::vector<double> averages;
    std::vector<std::int64_t> leaves, path_starts, path_nodes;

    bool operator==(const Predictions& other) const {
        return same_bits(averages, other.averages) && leaves == other.leaves &&
               path_starts == other.path_starts && path_nodes == other.path_nodes;
    }
};

struct OutOfBag {
    std::vector<double> sums;
    std::vector<std::int64_t> counts;

    bool operator==(const OutOfBag& other) const {
        return same_bits(sums, other.sums) && counts == other.counts;
    }
};

class PlainForest {
public:
    explicit PlainForest(const std::vector<SharedTree>& trees) : trees_(&trees) {
        for (const SharedTree& tree : trees) values_.push_back(expand(*tree).all_values());
    }

    Predictions predict(const Matrix& X) const {
        Predictions found;
        found.path_starts.push_back(0);
        std::vector<double> sum(width());
        for (std::size_t i = 0; i < X.rows; ++i) {
            std::ranges::fill(sum, 0.0);
            std::int64_t before = 0;
            for (std::size_t m = 0; m < trees_->size(); ++m) {
                const NodeId leaf = descend(*(*trees_)[m], X.row(i), [&](NodeId t) {
                    found.path_nodes.push_back(before + t);
                });
                found.leaves.push_back(leaf);
                add(m, leaf, sum);
                before += static_cast<std::int64_t>((*trees_)[m]->base().nodes.size());
            }
            found.path_starts.push_back(static_cast<std::int64_t>(found.path_nodes.size()));
            for (const double s : sum)
                found.averages.push_back(s / static_cast<double>(trees_->size()));
        }
        return found;
    }

    OutOfBag out_of_bag(const Matrix& X, const std::vector<std::uint32_t>& seeds,
                        const SamplingPlan& sampling) const {
        OutOfBag found{std::vector<double>(X.rows * width(), 0.0),
                       std::vector<std::int64_t>(X.rows, 0)};
        for (std::size_t m = 0; m < trees_->size(); ++m) {
            std::vector<bool> drawn(X.rows, false);
            for (const RowId row : draw_rows(sampling, seeds[m])) drawn[row] = true;
            for (std::size_t i = 0; i < X.rows; ++i) {
                if (drawn[i]) continue;
                ++found.counts[i];
                add(m, descend(*(*trees_)[m], X.row(i)),
                    std::span(found.sums).subspan(i * width(), width()));
            }
        }
        return found;
    }

private:
    std::size_t width() const { return (*trees_)[0]->base().value_width(); }
    void add(std::size_t m, NodeId leaf, std::span<double> sum) const {
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += values_[m][leaf * sum.size() + c];
    }

    const std::vector<SharedTree>* trees_;
    std::vector<std::vector<double>> values_;  // of all nodes
};

// The same from a predictor. Outputs that it does not write keep the value -1.
inline Predictions predictions_of(const Predictor& predictor, const silvics::Matrix& X,
                                  ThreadTeam& team) {
    Predictions found{std::vector<double>(X.rows * predictor.value_width(), -1.0),
                      std::vector<std::int64_t>(X.rows * predictor.n_trees(), -1),
                      {},
                      {}};
    predictor.average(X, found.averages, team);
    predictor.apply(X, found.leaves, team);
    auto [starts, nodes] = predictor.paths(X, team);
    found.path_starts = std::move(starts);
    found.path_nodes = std::move(nodes);
    return found;
}

inline OutOfBag out_of_bag_by(const Predictor& predictor, const silvics::Matrix& X,
                              const std::vector<std::uint32_t>& seeds, const SamplingPlan& sampling,
                              ThreadTeam& team) {
    OutOfBag found{std::vector<double>(X.rows * predictor.value_width(), -1.0),
                   std::vector<std::int64_t>(X.rows, -1)};
    predictor.out_of_bag(X, {0, seeds, sampling}, {found.sums, found.counts}, team);
    return found;
}

// use(team) for teams of several sizes, and for the calling thread alone.
template <class Use>
void with_teams(Use&& use) {
    for (const std::size_t size : {1U, 2U, 5U}) {
        ThreadTeam team(size, nullptr);
        use(team);
    }
    ThreadTeam alone;
    use(alone);
}

}  // namespace silvics::test
