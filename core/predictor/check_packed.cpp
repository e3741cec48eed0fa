#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "predictor/packed_forest.hpp"

namespace silvics {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid forest: ") + what);
}

void check_values(const PackedForest& forest) {
    const std::size_t width = forest.value_width();
    require(size_of(forest.values) % width == 0, "values of leaves");
    const bool classes = !forest.n_classes.empty();
    require(classes || std::holds_alternative<std::span<const double>>(forest.values),
            "values of leaves");
    std::visit(
        [&]<class T>(std::span<const T> values) {
            if constexpr (std::is_same_v<T, double>) {
                bool good = true;
                for (const double x : values) good &= std::isfinite(x) && (!classes || x >= 0.0);
                require(good, "value of a leaf");
            } else {
                for (std::size_t at = 0; at < values.size();) {
                    std::uint64_t whole = 0;  // the same for each output
                    for (std::size_t k = 0; k < forest.n_outputs; ++k) {
                        std::uint64_t sum = 0;
                        for (std::uint32_t c = 0; c < forest.n_classes[k]; ++c) sum += values[at++];
                        require(sum > 0 && (k == 0 || sum == whole), "class weights of a leaf");
                        whole = sum;
                    }
                }
            }
        },
        forest.values);
}

// Goes through the nodes of a tree in their order, and finds what it is.
class TreeCheck {
public:
    TreeCheck(const PackedForest& forest)
        : forest_(forest), n_contents_(forest.n_pure() + forest.n_rows()) {}

    TreeShape shape_of(std::span<const PackedNode> nodes, std::span<const std::uint32_t> sets,
                       std::span<const std::uint32_t> branches, std::size_t first_leaf) {
        require(!nodes.empty() && nodes.size() <= kMaxIds, "number of nodes");
        TreeShape shape{.n_nodes = 1, .n_leaves = 0, .first_leaf = first_leaf};
        depths_.assign(nodes.size(), 0);
        depths_[0] = 1;  // zero: no parent so far
        std::uint32_t deepest = 1;
        const auto child = [&](std::size_t t, Child to) {
            ++shape.n_nodes;
            if (to.leaf()) return require(content(to, shape), "content of a leaf");
            const Place place = to.place();
            require(place > t && place < nodes.size() && depths_[place] == 0, "order of nodes");
            deepest = std::max(deepest, depths_[place] = depths_[t] + 1);
        };
        for (std::size_t t = 0; t < nodes.size(); ++t) {
            const PackedNode& node = nodes[t];
            require(depths_[t] > 0, "a node without a parent");
            require(node.feature() < forest_.n_features, "variable of a split");
            if (node.ruled()) {
                shape.ruled = true;
                if (node.record()) {
                    shape.records = true;
                    for (const std::uint32_t to : checked_record(node, sets, branches).children())
                        child(t, Child(to));
                    continue;
                }
                require(node.rule().valid(sets), "threshold of a split");
            }
            if (node == PackedNode::of_one_leaf(node.child(0))) {
                require(nodes.size() == 1 && node.child(0).leaf() && content(node.child(0), shape),
                        "a tree of one leaf");
                deepest = 0;
                break;
            }
            child(t, node.child(0));
            child(t, node.child(1));
        }
        shape.depth = deepest;
        require(shape.n_nodes <= kMaxIds, "number of nodes");
        return shape;
    }

private:
    BranchRecord checked_record(const PackedNode& node, std::span<const std::uint32_t> sets,
                                std::span<const std::uint32_t> branches) const {
        const std::size_t at = node.rule().content();
        const LevelRule rule(LevelRule::Form::record, at, false);
        require(at < branches.size() &&
                    std::bit_cast<std::uint64_t>(node.threshold()) ==
                        std::bit_cast<std::uint64_t>(rule.in_place()) &&
                    node.child(0).bits() == 0 && node.child(1).bits() == 0 &&
                    BranchRecord::valid(branches.subspan(at), forest_.n_features, sets),
                "record of a split");
        const BranchRecord record(branches.data() + at);
        require(!forest_.both_ways || record.n_terms() == 0 || record.n_children() == 2,
                "ways of a node");
        return record;
    }

    // Whether it is in range; counts the leaf.
    bool content(Child leaf, TreeShape& shape) const {
        const std::size_t number = shape.n_leaves++;
        return forest_.one_number() ? leaf.content() == number : leaf.content() < n_contents_;
    }

    const PackedForest& forest_;
    std::size_t n_contents_;
    std::vector<std::uint32_t> depths_;
};

}  // namespace

void check_parts(std::span<const std::uint64_t> first, std::size_t n_trees, std::size_t size) {
    if (first.empty()) return require(size == 0, "parts of trees");
    require(size > 0 && first.size() == n_trees + 1 && first.front() == 0 && first.back() == size &&
                std::ranges::is_sorted(first),
            "parts of trees");
}

void check_packed(PackedForest& forest) {
    require(forest.first_node.size() > 1, "number of trees");
    const std::size_t n_trees = forest.n_trees();
    require(forest.n_features > 0 && forest.n_features <= PackedNode::kMaxFeature,
            "number of variables");
    require(forest.n_outputs > 0 && forest.n_outputs <= kMaxIds, "number of outputs");
    require(forest.n_classes.empty() || forest.n_classes.size() == forest.n_outputs,
            "numbers of classes");
    require(std::ranges::all_of(forest.n_classes, [](auto c) { return c > 0 && c < kPureBit; }) &&
                forest.value_width() <= kMaxIds,
            "a number of classes");
    check_parts(forest.first_node, n_trees, forest.nodes.size());
    check_parts(forest.first_set, n_trees, forest.level_sets.size());
    check_parts(forest.first_branch, n_trees, forest.branches.size());
    check_values(forest);
    std::size_t first_leaf = 0;
    TreeCheck check(forest);
    forest.shapes.clear();
    forest.shapes.reserve(n_trees);
    const auto part = [&](const auto& all, const auto& first, std::size_t m) {
        return first.empty() ? all.first(0) : all.subspan(first[m], first[m + 1] - first[m]);
    };
    for (std::size_t m = 0; m < n_trees; ++m) {
        const auto nodes = part(forest.nodes, forest.first_node, m);
        forest.shapes.push_back(check.shape_of(nodes, part(forest.level_sets, forest.first_set, m),
                                               part(forest.branches, forest.first_branch, m),
                                               first_leaf));
        first_leaf += forest.shapes.back().n_leaves;
    }
    require(!forest.one_number() || first_leaf == size_of(forest.values),
            "values of leaves");
}

}  // namespace silvics
