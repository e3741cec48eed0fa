#include "model_file/check_stats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "predictor/packed_tree.hpp"

namespace silvics {
namespace {

constexpr auto& require = require_of_forest;

// The minimum and the maximum of zero and these numbers; NaN is ignored.
std::pair<double, double> extremes(std::span<const double> numbers) {
    constexpr std::size_t kLanes = 4;  // independent of each other
    std::array<double, kLanes> least{}, most{};
    const auto include = [&](std::size_t lane, double x) {
        least[lane] = std::min(least[lane], x);
        most[lane] = std::max(most[lane], x);
    };
    const std::size_t whole = numbers.size() - numbers.size() % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) include(lane, numbers[i + lane]);
    for (const double x : numbers.subspan(whole)) include(0, x);
    return {std::ranges::min(least), std::ranges::max(most)};
}

// Checks the statistics of trees, one at a time.
class StatsCheck {
public:
    // `row_weights`: see the function of that name.
    StatsCheck(const PackedForest& forest, const TrainingStats& stats,
               std::span<const std::uint64_t> row_weights)
        : forest_(forest), stats_(stats), row_weights_(row_weights) {}

    // Checks tree m, whose samples and weights begin at `first`.
    void operator()(std::size_t m, std::size_t first) {
        m_ = m;
        first_ = first;
        shape_ = &forest_.shapes[m_];
        layout_ = stats_.layout[m_];
        exponent_ = stats_.impurity_exponent[m_];
        require(exponent_ >= -4096 && exponent_ <= 4096, "unit of impurities");
        is_compact(layout_) ? check_compact() : check_plain();
    }

private:
    bool classes() const { return !forest_.n_classes.empty(); }

    void check_plain() {
        const bool per_node = layout_ == static_cast<std::uint8_t>(Layout::node_values);
        require(per_node || (classes() && !shape_->records), "layout");
        const std::size_t n = shape_->n_nodes, width = forest_.value_width();
        const std::size_t n_inner = shape_->n_nodes - shape_->n_leaves;
        check_lengths(n, per_node ? n_inner * width : 0, per_node ? 0 : n_mixed() * width);
        for (const double impurity : part(stats_.impurity, stats_.first_impurity))
            require(std::isfinite(impurity), "impurity of a node");
        for (const double value : part(stats_.node_values, stats_.first_node_value))
            require(std::isfinite(value), "value of a node");
        for (const double weight : part(stats_.class_weights, stats_.first_class_weight))
            require(weight >= 0.0 && std::isfinite(weight), "weights of a leaf");
        const PackedTree tree(forest_, m_);
        const auto weigh = [&](std::size_t number, bool may_be_empty) {
            const double w = at(stats_.weights, first_ + number);
            require((may_be_empty ? w >= 0.0 : w > 0.0) && std::isfinite(w), "weight of a node");
        };
        weigh(0, false);
        std::size_t number = 1;
        for (Place t = 0; t < tree.n_places() && n > 1; ++t)
            for (std::uint32_t k = 0; k < tree.n_children(t); ++k)
                weigh(number++, per_node && tree.child(t, k).leaf());
    }

    void check_compact() {
        const bool variance = layout_ == static_cast<std::uint8_t>(CompactionRule::variance);
        require(variance ? forest_.one_number() : classes(), "layout");
        require(!shape_->records, "layout");
        const std::size_t n = shape_->n_leaves;
        const auto impurity = part(stats_.impurity, stats_.first_impurity);
        check_lengths(variance && !impurity.empty() ? n : 0, 0,
                      variance ? 0 : n_mixed() * forest_.value_width());
        std::size_t samples = 0;
        visit_part(stats_.samples, n, [&]<class T>(std::span<const T> values) {
            T least = std::numeric_limits<T>::max();
            for (const T x : values) {
                least = std::min(least, x);
                samples += static_cast<std::size_t>(x);
            }
            require(least > 0, "samples of a leaf");
        });
        require(samples <= kMaxRows, "number of samples");
        LeafScales scales;
        visit_part(stats_.weights, n, [&]<class T>(std::span<const T> values) {
            T least = std::numeric_limits<T>::max(), most = 0;
            bool whole = true, number = true;
            for (const T w : values) {
                if constexpr (std::is_same_v<T, double>) {
                    number &= !std::isnan(w);
                    whole &= w == std::floor(w);
                }
                least = std::min(least, w);
                most = std::max(most, w);
            }
            const auto lightest = static_cast<double>(least), heaviest = static_cast<double>(most);
            require(number && least > 0 && std::isfinite(heaviest), "weight of a leaf");
            if (!whole || heaviest >= 0x1.0p32)
                scales.weight = std::ldexp(1.0, -std::clamp(std::ilogb(heaviest), -1000, 1000));
            for (const double w : {lightest, heaviest})
                require(scales.suit({.n = 1, .weight = w}), "weight of a leaf");
        });
        if (variance) {
            require(exponent_ % 2 == 0, "unit of impurities");
            scales = {.output = std::ldexp(1.0, -exponent_ / 2)};
            require(scales.output > 0.0, "unit of impurities");
            const auto values = std::get<std::span<const double>>(forest_.values);
            // The bits are compared as integers, several at once: those of NaN are above all
            // others.
            std::uint64_t beyond = 0;
            constexpr std::uint64_t kSize = ~std::uint64_t{0} >> 1, kMantissa = kSize >> 11;
            for (const double i : impurity)
                beyond |= (std::bit_cast<std::uint64_t>(i) & kSize) + kMantissa;
            require(beyond >> 63 == 0, "impurity of a leaf");
            const auto [no_impurity, most_impurity] = extremes(impurity);
            const auto [lowest, highest] = extremes(values.subspan(shape_->first_leaf, n));
            for (const double i : {no_impurity, most_impurity})
                require(scales.suit({.n = 1, .weight = 1.0, .impurity = i}), "impurity of a leaf");
            for (const double v : {lowest, highest})
                require(scales.suit({.n = 1, .weight = 1.0, .mean = v}), "value of a leaf");
        } else if (forest_.n_rows() > 0) {
            check_rows();
        }
    }

    // A row of class weights adds up to the weight of the leaf for each output.
    void check_rows() {
        if (row_weights_.empty()) return check_own_rows();
        // A branch on the kind of a child could not be predicted. So every child is compared with
        // the weight of the next leaf, and the result is masked if the child has no row. There is a
        // next leaf, since the last child of all is one.
        const std::uint32_t first = first_row();
        visit_part(stats_.weights, shape_->n_leaves, [&]<class T>(std::span<const T> weights) {
            std::size_t leaf = 0;
            std::uint64_t bad = 0;
            for_children([&](Child child) {
                const std::uint64_t has_row = 0 - std::uint64_t{child.bits() >= first};
                const std::uint64_t row = row_weights_[(child.bits() - first) & has_row];
                if constexpr (std::is_same_v<T, double>)
                    bad |= std::uint64_t{static_cast<double>(row) != weights[leaf]} & has_row;
                else
                    bad |= (row ^ weights[leaf]) & has_row;
                leaf += child.bits() >> 31;
            });
            require(bad == 0, "weights of a leaf");
        });
    }

    void check_own_rows() {
        const auto tree_weights = part(stats_.class_weights, stats_.first_class_weight);
        const std::size_t width = forest_.value_width(), n_pure = forest_.n_pure();
        visit_part(stats_.weights, shape_->n_leaves, [&](auto weights) {
            std::size_t leaf = 0, row = 0;
            for_children([&](Child child) {
                if (!child.leaf()) return;
                const auto weight = static_cast<double>(weights[leaf++]);
                if (child.content() >= n_pure)
                    check_row(tree_weights.subspan(width * row++, width), weight);
            });
        });
    }

    void check_row(std::span<const double> row, double weight) const {
        std::size_t c = 0;
        for (const std::uint32_t n : forest_.n_classes) {
            double sum = 0.0;
            bool good = true;
            for (const std::size_t end = c + n; c < end; ++c) {
                good &= row[c] >= 0.0;
                sum += row[c];
            }
            require(good && std::fabs(sum - weight) <= 1e-6 * weight, "weights of a leaf");
        }
    }

    void check_lengths(std::size_t impurities, std::size_t node_values, std::size_t class_weights) {
        require(part(stats_.impurity, stats_.first_impurity).size() == impurities, "impurities");
        require(part(stats_.node_values, stats_.first_node_value).size() == node_values,
                "values of nodes");
        require(part(stats_.class_weights, stats_.first_class_weight).size() == class_weights,
                "weights of leaves");
    }

    // The number of leaves whose class weights are not in the packed forest.
    std::size_t n_mixed() const {
        if (!std::holds_alternative<std::span<const double>>(forest_.values)) return 0;
        const std::uint32_t first = first_row();
        std::size_t n = 0;
        for_children([&](Child child) { n += child.bits() >= first; });
        return n;
    }

    // The least bits of a leaf with a row of class weights.
    std::uint32_t first_row() const {
        return Child::leaf(static_cast<std::uint32_t>(forest_.n_pure())).bits();
    }

    // visit(child) for all children of a tree without records.
    template <class Visit>
    void for_children(Visit&& visit) const {
        const bool one_leaf = shape_->n_nodes == 1;
        for (const PackedNode& node : part_of(forest_.nodes, forest_.first_node, m_)) {
            visit(node.child(0));
            if (!one_leaf) visit(node.child(1));
        }
    }

    template <class Visit>
    void visit_part(const Numbers& numbers, std::size_t n, Visit&& visit) const {
        std::visit([&](auto all) { visit(all.subspan(first_, n)); }, numbers);
    }
    std::span<const double> part(std::span<const double> all,
                                 std::span<const std::uint64_t> first) const {
        return part_of(all, first, m_);
    }

    const PackedForest& forest_;
    const TrainingStats& stats_;
    std::span<const std::uint64_t> row_weights_;
    std::size_t m_ = 0, first_ = 0;
    const TreeShape* shape_ = nullptr;
    std::uint8_t layout_ = 0;
    int exponent_ = 0;
};

// The sum of each row of whole class weights over the first output, which is that of every output.
std::vector<std::uint64_t> row_weights(const PackedForest& forest) {
    std::vector<std::uint64_t> weights;
    if (forest.n_classes.empty()) return weights;
    std::visit(
        [&]<class T>(std::span<const T> values) {
            if constexpr (!std::is_same_v<T, double>) {
                for (std::size_t at = 0; at < values.size(); at += forest.value_width()) {
                    std::uint64_t sum = 0;
                    for (std::uint32_t c = 0; c < forest.n_classes[0]; ++c) sum += values[at + c];
                    weights.push_back(sum);
                }
            }
        },
        forest.values);
    return weights;
}

}  // namespace

void check_stats(const PackedForest& forest, const TrainingStats& stats, ThreadTeam& team) {
    const std::size_t n_trees = forest.n_trees();
    require(stats.layout.size() == n_trees && stats.impurity_exponent.size() == n_trees,
            "number of layouts or units");
    require(std::ranges::all_of(
                stats.layout,
                [](std::uint8_t l) { return l <= static_cast<std::uint8_t>(Layout::node_values); }),
            "layout");
    require(!std::holds_alternative<std::span<const double>>(stats.samples), "samples");
    require(size_of(stats.samples) == size_of(stats.weights), "samples");
    check_parts(stats.first_impurity, n_trees, stats.impurity.size());
    check_parts(stats.first_class_weight, n_trees, stats.class_weights.size());
    check_parts(stats.first_node_value, n_trees, stats.node_values.size());
    std::vector<std::size_t> first{0};  // per tree, among samples and weights
    for (std::size_t m = 0; m < n_trees; ++m)
        first.push_back(first.back() + n_stored(forest.shapes[m], stats.layout[m]));
    require(first.back() == size_of(stats.samples), "samples");
    const std::vector<std::uint64_t> weights = row_weights(forest);
    std::vector<StatsCheck> checks(team.size(), StatsCheck(forest, stats, weights));
    team.run(n_trees, [&](std::size_t m, std::size_t worker) { checks[worker](m, first[m]); });
}

}  // namespace silvics
