#include "predictor/packed_forest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/large_buffer.hpp"

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
    explicit Memory(std::size_t n_nodes) : nodes(n_nodes * sizeof(PackedNode)) {}

    LargeBuffer nodes;
    std::vector<std::uint64_t> first_node{0}, first_set, first_branch;
    std::vector<double> numbers;  // predictions of the leaves, in their order
    NumberStore rows;
    std::vector<std::uint32_t> level_sets, branches;
};

// ---- what leaves predict

// A table of distinct rows; equal rows share a number.
class DistinctRows {
public:
    explicit DistinctRows(std::size_t width) : width_(width) {}

    std::uint32_t number_of(std::span<const double> row) {
        std::uint64_t key = 0;
        for (const double x : row) key = scatter(key ^ std::bit_cast<std::uint64_t>(x));
        const auto [begin, end] = places_.equal_range(key);
        for (auto at = begin; at != end; ++at)
            if (std::ranges::equal(row, std::span(rows).subspan(at->second * width_, width_), {},
                                   bits, bits))
                return at->second;
        const std::uint32_t number = checked_id(rows.size() / width_, kMaxIds, "rows of leaves");
        rows.insert(rows.end(), row.begin(), row.end());
        places_.emplace(key, number);
        return number;
    }

    std::vector<double> rows;

private:
    static std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

    std::size_t width_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> places_;
};

// The contents of leaves that predict more than one number. The content of a pure leaf is its
// class. Other leaves have the number of a row, which holds whole class weights if all weights of
// the forest are whole, and class shares or means otherwise.
class LeafRows {
public:
    LeafRows(std::span<const SharedTree> trees, std::size_t n_pure, std::size_t width)
        : n_pure_(n_pure), row_(width), distinct_(width) {
        const auto whole = [&](const SharedTree& tree) {
            return tree->visit([&](const auto& form) { return are_whole(form); });
        };
        whole_ = trees[0]->base().classification() && std::ranges::all_of(trees, whole);
        for (const SharedTree& tree : trees)
            tree->visit([&](const auto& form) { append_contents(form); });
    }

    // The content of each leaf of a tree, by its node. Trees have to be passed in their order.
    template <class Form>
    void contents_of(const Form& tree, std::vector<std::uint32_t>& contents) {
        contents.resize(tree.nodes.size());
        for (NodeId id = 0; id < tree.nodes.size(); ++id)
            if (const Node& node = tree.nodes[id]; node.leaf())
                contents[id] = tree.pure(node) ? node.pure_class() : contents_[next_++];
    }
    Numbers moved_to(NumberStore& store) { return store.put(std::move(distinct_.rows), whole_); }

private:
    template <class Form>
    void append_contents(const Form& tree) {
        for (NodeId id = 0; id < tree.nodes.size(); ++id)
            if (tree.nodes[id].leaf() && !tree.pure(tree.nodes[id]))
                contents_.push_back(content_of(tree, id));
    }

    // Whether class weights are whole numbers that add up to the weight of the leaf.
    template <class Form>
    bool are_whole(const Form& tree) {
        if (tree.has_node_values()) return false;
        for (NodeId id = 0; id < tree.nodes.size(); ++id) {
            if (!tree.nodes[id].leaf() || tree.pure(tree.nodes[id])) continue;
            const double weight = tree.write_leaf_row(id, row_);
            auto at = row_.begin();
            for (const std::uint32_t n : tree.n_classes) {
                double sum = 0.0;
                for (std::uint32_t c = 0; c < n; ++c, ++at) {
                    if (!(*at >= 0.0 && *at < 0x1.0p32 && *at == std::floor(*at))) return false;
                    sum += *at;
                }
                if (sum != weight) return false;
            }
        }
        return true;
    }

    template <class Form>
    std::uint32_t content_of(const Form& tree, NodeId id) {
        const double weight = tree.write_leaf_row(id, row_);
        if (!whole_)
            for (double& x : row_) x /= weight;
        if (n_pure_ > 0 && tree.has_node_values()) {  // pure leaves of such trees are not marked
            const auto one = std::ranges::find(row_, 1.0);
            if (one != row_.end() && std::ranges::count(row_, 0.0) + 1 == std::ssize(row_))
                return static_cast<std::uint32_t>(one - row_.begin());
        }
        return checked_id(n_pure_ + distinct_.number_of(row_), kMaxIds, "rows of leaves");
    }

    std::size_t n_pure_;
    std::vector<double> row_;
    DistinctRows distinct_;
    bool whole_ = true;
    std::vector<std::uint32_t> contents_;
    std::size_t next_ = 0;
};

// ---- nodes

// Appends trees to a packed forest.
class Packer {
public:
    Packer(PackedForest& forest, Memory& memory)
        : forest_(forest),
          memory_(memory),
          nodes_(reinterpret_cast<PackedNode*>(memory.nodes.data())) {}

    // `contents`: the content of each leaf, by node; empty if the content of a leaf is its number.
    template <class Form>
    void add(const Form& tree, std::span<const std::uint32_t> contents) {
        PackedNode* const first = nodes_ + memory_.first_node.back();
        const std::size_t first_branch = memory_.branches.size();
        memory_.branches.insert(memory_.branches.end(), tree.branches.begin(), tree.branches.end());
        TreeShape shape{.n_nodes = tree.nodes.size(),
                        .first_leaf = n_leaves_,
                        .depth = tree.max_depth,
                        .records = !tree.branches.empty()};
        std::uint32_t leaves = 0;
        const auto leaf = [&](NodeId id) {
            ++leaves;
            if (!forest_.one_number()) return Child::leaf(contents[id]);
            memory_.numbers.push_back(tree.leaf_mean(id));
            return Child::leaf(leaves - 1);
        };
        // The size of a subtree estimates how many paths visit it, so the largest come first.
        const std::vector<NodeId> ends = tree.subtree_ends();
        struct Waiting {
            NodeId id;
            Place parent;
            std::uint32_t which;
        };
        const auto smaller = [&](const Waiting& a, const Waiting& b) {
            return ends[a.id] - a.id < ends[b.id] - b.id;
        };
        std::vector<Waiting> waiting, children;
        Place next = 0;
        if (tree.nodes[0].leaf()) {
            first[next++] = PackedNode::of_one_leaf(leaf(0));
        } else {
            waiting.push_back({0, 0, 0});
        }
        const auto set_child = [&](Place parent, std::uint32_t which, Child child) {
            PackedNode& node = first[parent];
            if (node.rule().is_record())
                BranchRecord::children_at(memory_.branches,
                                          first_branch + node.rule().record_offset())[which] =
                    child.bits();
            else
                node.set_child(which, child);
        };
        while (!waiting.empty()) {
            if (next < kCachedNodes) std::ranges::pop_heap(waiting, smaller);
            const auto [id, parent, which] = waiting.back();
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
                if (tree.nodes[child].leaf())
                    set_child(t, k, leaf(child));
                else
                    children.push_back({child, t, k});
                ++k;
            });
            if (children.size() == 2 && smaller(children[1], children[0]))
                std::swap(children[0], children[1]);  // the larger subtree is packed next
            for (const Waiting& child : children) {
                waiting.push_back(child);
                if (next < kCachedNodes) std::ranges::push_heap(waiting, smaller);
            }
        }
        memory_.first_node.push_back(memory_.first_node.back() + next);
        memory_.level_sets.insert(memory_.level_sets.end(), tree.level_sets.begin(),
                                  tree.level_sets.end());
        memory_.first_set.push_back(memory_.level_sets.size());
        memory_.first_branch.push_back(memory_.branches.size());
        shape.n_leaves = leaves;
        n_leaves_ += leaves;
        forest_.shapes.push_back(shape);
    }

private:
    PackedForest& forest_;
    Memory& memory_;
    PackedNode* nodes_;
    std::size_t n_leaves_ = 0;
};

}  // namespace

PackedForest pack(std::span<const SharedTree> trees) {
    if (trees.empty() || std::ranges::any_of(trees, [](const SharedTree& t) { return !t; }))
        throw std::invalid_argument("no trees");
    PackedForest forest;
    const TreeBase& first = *trees[0];
    forest.n_features = first.n_features;
    forest.n_outputs = first.n_outputs;
    forest.n_classes = first.n_classes;
    forest.both_children = first.both_children;
    std::size_t n_nodes = 0;
    for (const SharedTree& stored : trees) {
        const TreeBase& tree = *stored;
        if (tree.n_classes != forest.n_classes || tree.n_outputs != forest.n_outputs ||
            tree.n_features != forest.n_features || tree.both_children != forest.both_children)
            throw std::invalid_argument("trees of different kinds");
        n_nodes += std::max<std::size_t>(tree.nodes.size() - tree.n_leaves(), 1);
    }
    checked_id(forest.n_features, PackedNode::kMaxFeature, "variables of packed trees");
    auto memory = std::make_shared<Memory>(n_nodes);
    memory->first_set.push_back(0);
    memory->first_branch.push_back(0);
    Packer packer(forest, *memory);
    if (forest.one_number()) {
        for (const SharedTree& tree : trees)
            tree->visit([&](const auto& form) { packer.add(form, {}); });
        forest.values = std::span<const double>(memory->numbers);
    } else {
        LeafRows rows(trees, forest.n_pure(), forest.value_width());
        std::vector<std::uint32_t> contents;
        for (const SharedTree& tree : trees)
            tree->visit([&](const auto& form) {
                rows.contents_of(form, contents);
                packer.add(form, contents);
            });
        forest.values = rows.moved_to(memory->rows);
    }
    forest.first_node = memory->first_node;
    forest.nodes = {reinterpret_cast<const PackedNode*>(memory->nodes.data()), n_nodes};
    forest.level_sets = memory->level_sets;
    forest.branches = memory->branches;
    if (!forest.level_sets.empty()) forest.first_set = memory->first_set;
    if (!forest.branches.empty()) forest.first_branch = memory->first_branch;
    forest.memory = std::move(memory);
    return forest;
}

}  // namespace silvics
