#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "predictor/packed_forest.hpp"

namespace silvics {
namespace {

constexpr auto& require = require_of_forest;

void check_values(const PackedForest& forest) {
    const std::size_t width = forest.value_width();
    require(size_of(forest.values) % width == 0, "values of leaves");
    const bool classes = !forest.n_classes.empty();
    require(classes || std::holds_alternative<std::span<const double>>(forest.values),
            "values of leaves");
    std::visit(
        [&]<class T>(std::span<const T> values) {
            if constexpr (std::is_same_v<T, double>) {
                const double least = classes ? 0.0 : -std::numeric_limits<double>::max();
                int bad = 0;
                for (const double x : values)
                    bad |= !(x >= least) | !(x <= std::numeric_limits<double>::max());
                require(bad == 0, "value of a leaf");
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
    explicit TreeCheck(const PackedForest& forest)
        : forest_(forest), n_contents_(forest.n_pure() + forest.n_rows()) {}

    TreeShape shape_of(std::span<const PackedNode> nodes, std::span<const std::uint32_t> sets,
                       std::span<const std::uint32_t> branches) {
        return forest_.one_number() ? checked<true>(nodes, sets, branches)
                                    : checked<false>(nodes, sets, branches);
    }

private:
    // `kNumbered`: a leaf has its own number, otherwise one of those that there are.
    template <bool kNumbered>
    TreeShape checked(std::span<const PackedNode> nodes, std::span<const std::uint32_t> sets,
                      std::span<const std::uint32_t> branches) {
        require(!nodes.empty() && nodes.size() <= kMaxIds, "number of nodes");
        const auto n = static_cast<Place>(nodes.size());
        set_words_ = 0;
        depths_.assign(n + std::size_t{1}, 0);  // zero: no parent so far; the last is of leaves
        std::uint32_t* const depths = depths_.data();
        depths[0] = 1;
        const std::uint32_t end = Child::leaf(0).bits() + static_cast<std::uint32_t>(n_contents_);
        std::uint32_t n_leaves = 0, deepest = 0;
        std::uint32_t bad_order = 0, bad_content = 0, bad_feature = 0;
        std::size_t n_children = 0;
        // Whether a child is a leaf no branch could foresee: both kinds are looked at, by numbers.
        // A leaf is larger than any place.
        const auto child = [&](Place t, std::uint32_t depth,
                               std::uint32_t bits) __attribute__((always_inline)) {
            const std::uint32_t leaf = bits >> 31, place = std::min(bits, n);
            bad_order |= std::uint32_t{place <= t} | (depths[place] & (leaf - 1)) |
                         (std::uint32_t{place == n} & ~leaf);
            depths[place] = depth;
            if constexpr (kNumbered)
                bad_content |= leaf & std::uint32_t{bits != Child::leaf(n_leaves).bits()};
            else
                bad_content |= std::uint32_t{bits >= end};
            n_leaves += leaf;
        };
        bool ruled = false, records = false;
        std::vector<std::pair<std::size_t, std::size_t>> parts;  // of records: begin, size
        std::size_t words = 0;
        const auto n_features = static_cast<std::uint32_t>(forest_.n_features);
        for (Place t = 0; t < n; ++t) {
            const PackedNode& node = nodes[t];
            const std::uint32_t depth = depths[t];
            bad_feature |= std::uint32_t{node.feature() >= n_features};
            deepest = std::max(deepest, depth);
            if (node.ruled()) {
                ruled = true;
                if (node.record()) {
                    records = true;
                    const BranchRecord record = checked_record(node, sets, branches);
                    const auto children = record.children();
                    parts.push_back({node.rule().content(), record.size()});
                    words += record.size();  // so that records that are shared take no time
                    require(words <= branches.size(), "records of several nodes");
                    if (record.test() == Branching::Test::subset)
                        take_set(LevelRule(record.threshold(0)), sets);
                    if (record.some_missing()) take_set(record.missing_levels(), sets);
                    for (const std::uint32_t to : children) child(t, depth + 1, to);
                    n_children += children.size();
                    continue;
                }
                require(node.rule().valid(sets), "threshold of a split");
                take_set(node.rule(), sets);
            }
            if (n == 1 && node == PackedNode::of_one_leaf(node.child(0))) {
                require(node.child(0).leaf(), "a tree of one leaf");
                child(t, 0, node.child(0).bits());
                require(bad_content == 0, "content of a leaf");
                require(branches.empty(), "records of no node");
                return {};
            }
            child(t, depth + 1, node.child(0).bits());
            child(t, depth + 1, node.child(1).bits());
            n_children += 2;
        }
        // No node has two parents, so that all have one if there are enough.
        require(n_children - n_leaves == n - 1, "a node without a parent");
        require(bad_feature == 0, "variable of a split");
        require(bad_order == 0, "order of nodes");
        require(bad_content == 0, "content of a leaf");
        require(n_children < kMaxIds, "number of nodes");
        std::ranges::sort(parts);
        words = 0;
        for (const auto& [begin, size] : parts) {
            require(begin == words, "records of several nodes");
            words += size;
        }
        require(words == branches.size(), "records of no node");
        return {n_children + 1, n_leaves, 0, deepest, ruled, records};
    }

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

    // A set of levels belongs to one node, so that all of them are looked at but once.
    void take_set(LevelRule rule, std::span<const std::uint32_t> sets) {
        set_words_ += rule.n_words(sets);
        require(set_words_ <= sets.size(), "sets of several nodes");
    }

    const PackedForest& forest_;
    std::size_t n_contents_, set_words_ = 0;
    std::vector<std::uint32_t> depths_;
};

}  // namespace

void check_parts(std::span<const std::uint64_t> first, std::size_t n_trees, std::size_t size) {
    if (first.empty()) return require(size == 0, "parts of trees");
    require(size > 0 && first.size() == n_trees + 1 && first.front() == 0 && first.back() == size &&
                std::ranges::is_sorted(first),
            "parts of trees");
}

void check_packed(PackedForest& forest, ThreadTeam& team) {
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
    require(forest.one_number() || forest.n_pure() + forest.n_rows() <= kMaxIds, "number of rows");
    forest.shapes.assign(n_trees, {});
    std::vector<TreeCheck> checks(team.size(), TreeCheck(forest));
    team.run(n_trees, [&](std::size_t m, std::size_t worker) {
        forest.shapes[m] =
            checks[worker].shape_of(part_of(forest.nodes, forest.first_node, m),
                                    part_of(forest.level_sets, forest.first_set, m),
                                    part_of(forest.branches, forest.first_branch, m));
    });
    std::size_t n_leaves = 0;
    for (TreeShape& shape : forest.shapes) {
        shape.first_leaf = n_leaves;
        n_leaves += shape.n_leaves;
    }
    require(!forest.one_number() || n_leaves == size_of(forest.values), "values of leaves");
}

}  // namespace silvics
