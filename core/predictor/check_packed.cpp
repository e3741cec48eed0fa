#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "predictor/packed_forest.hpp"

namespace silvics {
namespace {

constexpr auto& require = require_of_forest;

const std::span<const double>* doubles_of(const Numbers& numbers) {
    return std::get_if<std::span<const double>>(&numbers);
}

// Checks the number of values, and class weights that are stored as whole numbers.
void check_values(const PackedForest& forest) {
    require(size_of(forest.values) % forest.value_width() == 0, "values of leaves");
    require(!forest.n_classes.empty() || doubles_of(forest.values), "values of leaves");
    std::visit(
        [&]<class T>(std::span<const T> values) {
            if constexpr (!std::is_same_v<T, double>) {
                for (std::size_t at = 0; at < values.size();) {
                    std::uint64_t whole = 0;  // the weight of the leaf, equal for all outputs
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

// Checks the values of leaves that are doubles: class shares or means.
void check_doubles(std::span<const double> values, bool shares) {
    // Integer arithmetic lets the compiler vectorize the loop. A double that is not finite has the
    // highest exponent; adding one to the exponent then sets the sign bit.
    std::uint64_t beyond = 0;
    constexpr std::uint64_t kExponent = std::uint64_t{0x7FF} << 52, kOne = std::uint64_t{1} << 52;
    for (const double x : values) beyond |= (std::bit_cast<std::uint64_t>(x) & kExponent) + kOne;
    bool bad = beyond >> 63 != 0;
    if (shares)
        for (const double x : values) bad |= x < 0.0;
    require(!bad, "value of a leaf");
}

// Checks the nodes of a tree in one pass in their order, and computes its shape.
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
    // `kNumbered`: the content of a leaf is its number in the tree; otherwise it is a class or the
    // number of a row, which leaves share.
    template <bool kNumbered>
    TreeShape checked(std::span<const PackedNode> nodes, std::span<const std::uint32_t> sets,
                      std::span<const std::uint32_t> branches) {
        require(!nodes.empty() && nodes.size() <= kMaxIds, "number of nodes");
        const auto n = static_cast<Place>(nodes.size());
        set_words_ = record_words_ = 0;
        ruled_ = false;
        records_.clear();
        if (n == 1 && nodes[0] == PackedNode::of_one_leaf(nodes[0].child(0))) {
            const Child only = nodes[0].child(0);
            require(only.leaf(), "a tree of one leaf");
            require(only.content() < (kNumbered ? 1 : n_contents_), "content of a leaf");
            require(branches.empty(), "records of no node");
            return {};
        }
        depths_.assign(n + std::size_t{1},
                       0);  // zero: no parent so far; the last entry stands for leaves
        std::uint32_t* const depths = depths_.data();
        depths[0] = 1;
        std::uint32_t deepest = 0, last_feature = 0;
        std::size_t n_children = 0;
        // Whether a child is a leaf is unpredictable, so both kinds are handled without a branch.
        // The bits of a leaf are larger than any place.
        const std::uint32_t first_leaf = Child::leaf(0).bits();
        std::uint32_t next_leaf = first_leaf, last_child = 0, bad_content = 0;
        const auto child = [&](auto depth, auto bits) __attribute__((always_inline)) {
            depths[std::min(bits, n)] = depth;
            const std::uint32_t leaf = bits >> 31;
            if constexpr (kNumbered)
                bad_content |= (bits ^ next_leaf) & (0 - leaf);
            else
                last_child = std::max(last_child, bits);
            next_leaf += leaf;
        };
        for (Place t = 0; t < n; ++t) {
            const PackedNode& node = nodes[t];
            const std::uint32_t depth = depths[t];
            last_feature = std::max(last_feature, node.feature());
            deepest =
                std::max(deepest, depth - 1);  // without a parent before it: wraps to the maximum
            if (!node.rule().is_threshold()) [[unlikely]] {
                if (take_rule(node, sets, branches)) {
                    const auto children =
                        BranchRecord(branches.data() + node.rule().record_offset()).children();
                    for (const std::uint32_t to : children) child(depth + 1, to);
                    n_children += children.size();
                    continue;
                }
            }
            child(depth + 1, node.child(0).bits());
            child(depth + 1, node.child(1).bits());
            n_children += 2;
        }
        // Every node but the root has a parent before it, and the number of links equals the number
        // of these nodes. Therefore no node has two parents, and no link is out of range.
        const std::uint32_t n_leaves = next_leaf - first_leaf;
        require(n_children - n_leaves == n - 1, "a node without a parent");
        require(deepest < n, "order of nodes");
        require(last_feature < forest_.n_features, "variable of a split");
        require(bad_content == 0 && last_child < first_leaf + n_contents_, "content of a leaf");
        require(n_children < kMaxIds, "number of nodes");
        std::ranges::sort(records_);
        std::size_t words = 0;
        for (const auto& [begin, size] : records_) {
            require(begin == words, "records of several nodes");
            words += size;
        }
        require(words == branches.size(), "records of no node");
        return {n_children + 1, n_leaves, 0, deepest + 1, ruled_, !records_.empty()};
    }

    // Checks a node whose rule is not a threshold, and returns whether it has a record. It is not
    // inlined because such nodes are rare.
    [[gnu::noinline]] bool take_rule(const PackedNode& node, std::span<const std::uint32_t> sets,
                                     std::span<const std::uint32_t> branches) {
        ruled_ = true;
        if (!node.rule().is_record()) {
            const LevelRule levels = node.rule().levels();
            require(levels.valid(sets), "threshold of a split");
            take_set(levels, sets);
            return false;
        }
        const BranchRecord record = checked_record(node, sets, branches);
        records_.push_back({node.rule().record_offset(), record.size()});
        record_words_ += record.size();  // bounds the work if nodes share records
        require(record_words_ <= branches.size(), "records of several nodes");
        if (record.test() == Branching::Test::subset) take_set(record.subset(), sets);
        if (record.some_missing()) take_set(record.missing_levels(), sets);
        return true;
    }

    BranchRecord checked_record(const PackedNode& node, std::span<const std::uint32_t> sets,
                                std::span<const std::uint32_t> branches) const {
        const std::size_t at = node.rule().record_offset();
        require(at < branches.size() && node.rule() == SplitRule::record(at) &&
                    node.child(0).bits() == 0 && node.child(1).bits() == 0 &&
                    BranchRecord::valid(branches.subspan(at), forest_.n_features, sets),
                "record of a split");
        const BranchRecord record(branches.data() + at);
        require(!forest_.both_children || record.n_terms() == 0 || record.n_children() == 2,
                "children of a node");
        return record;
    }

    // A set of levels belongs to one node, which bounds the work of reading the sets.
    void take_set(LevelRule rule, std::span<const std::uint32_t> sets) {
        set_words_ += rule.n_words(sets);
        require(set_words_ <= sets.size(), "sets of several nodes");
    }

    const PackedForest& forest_;
    std::size_t n_contents_;
    std::vector<std::uint32_t> depths_;
    // State of the tree that is being checked.
    bool ruled_ = false;
    std::size_t set_words_ = 0, record_words_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> records_;  // begin, size
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
    const auto* const doubles = doubles_of(forest.values);
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    const std::size_t n_pieces = doubles ? (doubles->size() + kPiece - 1) / kPiece : 0;
    team.run(n_pieces + n_trees, [&](std::size_t i, std::size_t worker) {
        if (i < n_pieces) {
            const std::size_t at = i * kPiece, n = std::min(kPiece, doubles->size() - at);
            return check_doubles(doubles->subspan(at, n), !forest.n_classes.empty());
        }
        const std::size_t m = i - n_pieces;
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
