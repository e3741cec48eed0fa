#include "predictor/packed_forest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/large_buffer.hpp"
#include "predictor/leaf_rows.hpp"

namespace silvics {

std::size_t size_of(const Numbers& numbers) {
    return std::visit([](auto values) { return values.size(); }, numbers);
}

Numbers NumberStore::put(std::vector<double> numbers, bool whole) {
    const double most = numbers.empty() ? 0.0 : std::ranges::max(numbers);
    const auto narrowed = [&]<class T>(std::vector<T>& to) -> Numbers {
        to.assign(numbers.begin(), numbers.end());
        return std::span<const T>(to);
    };
    if (whole && most < 0x1.0p8) return narrowed(bytes_);
    if (whole && most < 0x1.0p16) return narrowed(shorts_);
    if (whole) return narrowed(words_);
    doubles_ = std::move(numbers);
    return std::span<const double>(doubles_);
}

std::size_t PackedForest::value_width() const {
    return n_classes.empty() ? n_outputs
                             : std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0});
}

namespace {

// The number of nodes of a tree that stay in the first-level cache. They are ordered by the size of
// their subtrees, which estimates how many paths visit them.
constexpr Place kCachedNodes = 1700;

// The arrays of a packed forest that was packed in this process.
struct Memory {
    explicit Memory(std::span<const SharedTree> trees, bool one_number) {
        for (const SharedTree& stored : trees) {
            const TreeBase& tree = *stored;
            const std::size_t n = tree.nodes.size();
            // Without records, every inner node has two children.
            const std::size_t n_leaves = tree.branches.empty() ? (n + 1) / 2 : tree.n_leaves();
            const auto append = [](std::vector<std::uint64_t>& first, std::size_t size) {
                first.push_back(first.back() + size);
            };
            append(first_node, std::max<std::size_t>(n - n_leaves, 1));
            append(first_leaf, n_leaves);
            append(first_set, tree.level_sets.size());
            append(first_branch, tree.branches.size());
        }
        nodes.emplace(first_node.back() * sizeof(PackedNode));
        if (one_number) numbers.emplace(first_leaf.back() * sizeof(double));
        level_sets.resize(first_set.back());
        branches.resize(first_branch.back());
    }

    PackedNode* nodes_of(std::size_t m) {
        return reinterpret_cast<PackedNode*>(nodes->data()) + first_node[m];
    }
    double* numbers_of(std::size_t m) {
        return reinterpret_cast<double*>(numbers->data()) + first_leaf[m];
    }

    // For each tree, where its part of the arrays begins; then their sizes.
    std::vector<std::uint64_t> first_node{0}, first_leaf{0}, first_set{0}, first_branch{0};
    // Not initialized, so that the thread that writes a page is the first to touch it.
    std::optional<LargeBuffer> nodes;
    std::optional<LargeBuffer> numbers;  // predictions of the leaves, in their order
    NumberStore rows;
    std::vector<std::uint32_t> level_sets, branches;
};

// Packs tree m into its part of the arrays. `contents`: the content of each leaf, by node; empty if
// the content of a leaf is its number.
template <class Form>
TreeShape pack_tree(const Form& tree, std::span<const std::uint32_t> contents, std::size_t m,
                    Memory& memory, const StopFlag& stop) {
    PackedNode* const first = memory.nodes_of(m);
    double* const numbers = contents.empty() ? memory.numbers_of(m) : nullptr;
    const std::span branches =
        std::span(memory.branches).subspan(memory.first_branch[m], tree.branches.size());
    std::ranges::copy(tree.branches, branches.begin());
    std::ranges::copy(tree.level_sets,
                      memory.level_sets.begin() + static_cast<std::ptrdiff_t>(memory.first_set[m]));
    TreeShape shape{.n_nodes = tree.nodes.size(),
                    .first_leaf = memory.first_leaf[m],
                    .depth = tree.max_depth,
                    .records = !tree.branches.empty()};
    std::uint32_t leaves = 0;
    const auto leaf = [&](NodeId id) {
        const std::uint32_t number = leaves++;
        if (numbers == nullptr) return Child::leaf(contents[id]);
        numbers[number] = tree.leaf_mean(id);
        return Child::leaf(number);
    };
    // A subtree that is to be packed: nodes id .. end - 1.
    struct Waiting {
        NodeId id, end;
        Place parent;
        std::uint32_t which;
    };
    // The size of a subtree estimates how many paths visit it, so the largest come first.
    const auto smaller = [](const Waiting& a, const Waiting& b) {
        return a.end - a.id < b.end - b.id;
    };
    std::vector<Waiting> waiting, children;
    Place next = 0;
    if (tree.nodes[0].leaf())
        first[next++] = PackedNode::of_one_leaf(leaf(0));
    else
        waiting.push_back({0, static_cast<NodeId>(tree.nodes.size()), 0, 0});
    const auto set_child = [&](Place parent, std::uint32_t which, Child child) {
        PackedNode& node = first[parent];
        if (node.rule().is_record())
            BranchRecord::children_at(branches, node.rule().record_offset())[which] = child.bits();
        else
            node.set_child(which, child);
    };
    while (!waiting.empty()) {
        constexpr Place kBetweenStops = 65536;
        if (next % kBetweenStops == 0) stop.check();
        if (next < kCachedNodes) std::ranges::pop_heap(waiting, smaller);
        const auto [id, end, parent, which] = waiting.back();
        waiting.pop_back();
        if (id > 0) set_child(parent, which, Child::inner(next));
        const Node& node = tree.nodes[id];
        const Place t = next++;
        first[t] = {node.rule(), static_cast<FeatureId>(node.feature), node.missing_left(),
                    Child::inner(0), Child::inner(0)};
        shape.ruled |= !node.rule().is_threshold();
        children.clear();
        std::uint32_t k = 0;
        tree.for_children(id, [&](NodeId child) {
            if (!children.empty() && children.back().which + 1 == k) children.back().end = child;
            if (tree.nodes[child].leaf())
                set_child(t, k, leaf(child));
            else
                children.push_back({child, end, t, k});
            ++k;
        });
        if (children.size() == 2 && smaller(children[1], children[0]))
            std::swap(children[0], children[1]);  // the larger subtree is packed next
        for (const Waiting& child : children) {
            waiting.push_back(child);
            if (next < kCachedNodes) std::ranges::push_heap(waiting, smaller);
        }
    }
    shape.n_leaves = leaves;
    return shape;
}

// The properties that all trees share; throws std::invalid_argument unless they do.
PackedForest common_header(std::span<const SharedTree> trees) {
    if (trees.empty() || std::ranges::any_of(trees, [](const SharedTree& t) { return !t; }))
        throw std::invalid_argument("no trees");
    PackedForest forest;
    const TreeBase& first = *trees[0];
    forest.n_features = first.n_features;
    forest.n_outputs = first.n_outputs;
    forest.n_classes = first.n_classes;
    forest.both_children = first.both_children;
    for (const SharedTree& stored : trees) {
        const TreeBase& tree = *stored;
        if (tree.n_classes != forest.n_classes || tree.n_outputs != forest.n_outputs ||
            tree.n_features != forest.n_features || tree.both_children != forest.both_children)
            throw std::invalid_argument("trees of different kinds");
    }
    checked_id(forest.n_features, PackedNode::kMaxFeature, "variables of packed trees");
    return forest;
}

}  // namespace

PackedForest pack(std::span<const SharedTree> trees, ThreadTeam& team) {
    PackedForest forest = common_header(trees);
    const auto memory = std::make_shared<Memory>(trees, forest.one_number());
    std::optional<LeafRows> rows;
    if (!forest.one_number()) rows.emplace(trees, forest.n_pure(), forest.value_width(), team);
    forest.shapes.resize(trees.size());
    std::vector<std::vector<std::uint32_t>> contents(team.size());  // one buffer for each thread
    team.run(trees.size(), [&](std::size_t m, std::size_t worker) {
        forest.shapes[m] = trees[m]->visit([&](const auto& form) {
            if (rows) rows->write_contents(m, form, contents[worker]);
            return pack_tree(form, contents[worker], m, *memory, team.stop());
        });
    });
    if (rows)
        forest.values = memory->rows.put(rows->moved_rows(), rows->whole());
    else
        forest.values = std::span<const double>(memory->numbers_of(0), memory->first_leaf.back());
    forest.first_node = memory->first_node;
    forest.nodes = {memory->nodes_of(0), memory->first_node.back()};
    forest.level_sets = memory->level_sets;
    forest.branches = memory->branches;
    if (!forest.level_sets.empty()) forest.first_set = memory->first_set;
    if (!forest.branches.empty()) forest.first_branch = memory->first_branch;
    forest.memory = memory;
    return forest;
}

}  // namespace silvics
