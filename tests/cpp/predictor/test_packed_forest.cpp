// Forests of every kind as they are packed: against the trees, node by node and row by row.
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "predictor/made_forests.hpp"
#include "predictor/plain_forest.hpp"
#include "support/made_branches.hpp"
#include "tree/on_combinations.hpp"

namespace silvics {
namespace {

using test::Branches;
using test::Rng;
using test::Trials;
using Row = std::vector<std::uint64_t>;  // bits of numbers

constexpr Place kCachedNodes = 1700;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

Row bits_of(std::span<const double> numbers) {
    Row row(numbers.size());
    std::ranges::transform(numbers, row.begin(), bits);
    return row;
}

SharedTree shared(StoredTree tree) {
    check_tree(tree);
    return std::make_shared<const StoredTree>(std::move(tree));
}

// ---- one look at all there is

TreeShape shape_of(const TreeBase& tree, std::size_t first_leaf) {
    TreeShape shape{.n_nodes = tree.nodes.size(), .n_leaves = 0, .first_leaf = first_leaf};
    const auto depths = tree.depths();
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const Node& node = tree.nodes[t];
        shape.n_leaves += node.leaf();
        shape.depth = std::max(shape.depth, depths[t]);
        shape.ruled |= !node.leaf() && !node.rule().is_threshold();
        shape.records |= !node.leaf() && tree.has_record(node);
    }
    return shape;
}

bool same_shapes(const TreeShape& a, const TreeShape& b) {
    return a.n_nodes == b.n_nodes && a.n_leaves == b.n_leaves && a.first_leaf == b.first_leaf &&
           a.depth == b.depth && a.ruled == b.ruled && a.records == b.records;
}

// What a content predicts.
std::vector<double> predicted(const PackedForest& forest, const TreeShape& shape,
                              std::uint32_t content) {
    std::vector<double> row(forest.value_width(), 0.0);
    if (forest.one_number())
        return {std::get<std::span<const double>>(forest.values)[shape.first_leaf + content]};
    if (content < forest.n_pure()) {
        row[content] = 1.0;
        return row;
    }
    REQUIRE(content - forest.n_pure() < forest.n_rows());
    std::visit(
        [&]<class T>(std::span<const T> values) {
            const auto from = values.subspan((content - forest.n_pure()) * row.size(), row.size());
            std::ranges::copy(from, row.begin());
            if constexpr (!std::is_same_v<T, double>) {
                double whole = 0.0;
                for (ClassId c = 0; c < forest.n_classes[0]; ++c) whole += from[c];
                for (double& x : row) x /= whole;
            }
        },
        forest.values);
    return row;
}

// Places of nodes, and what is found on the way to them.
struct Found {
    std::vector<NodeId> ids;              // by place
    std::vector<std::uint32_t> contents;  // of leaves, in the order of their places
    bool right = true;
};

bool same_record(const BranchRecord& a, const BranchRecord& b) {
    const auto words = [](const BranchRecord& of) {  // all but the children
        std::vector<std::uint32_t> all(of.words().begin(), of.words().end());
        std::ranges::fill(BranchRecord::children_at(all, 0), 0);
        return all;
    };
    return words(a) == words(b);
}

// Every inner node has a place, after its parent's, with its split and its children.
Found look(const StoredTree& kept, const PackedForest& forest, std::size_t m) {
    const Tree tree = expand(kept);
    const PackedTree packed(forest, m);
    const NodeNumbers numbers(packed);
    const auto values = tree.all_values();
    const std::size_t width = tree.value_width();
    constexpr NodeId kNobody = ~NodeId{0};
    Found found{std::vector<NodeId>(packed.n_places(), kNobody), {}};
    bool& right = found.right;
    const auto look_at_leaf = [&](NodeId id, Child child) {
        right &= child.leaf();
        found.contents.push_back(child.content());
        right &= bits_of(predicted(forest, packed.shape(), child.content())) ==
                 bits_of(std::span(values).subspan(id * width, width));
    };
    found.ids[0] = 0;
    if (tree.nodes[0].leaf()) {
        right &= packed.n_places() == 1 && packed.n_children(0) == 1;
        look_at_leaf(0, packed.child(0, 0));
        return found;
    }
    for (Place t = 0; t < packed.n_places(); ++t) {
        const NodeId id = found.ids[t];
        if (id == kNobody) return right = false, found;
        const Node& node = tree.nodes[id];
        const PackedNode& at = packed.nodes()[t];
        right &= at.feature() == static_cast<FeatureId>(node.feature) && at.rule() == node.rule() &&
                 at.rule().is_record() == tree.has_record(node);
        if (at.rule().is_record())
            right &= same_record(packed.record_of(at), tree.record(node));
        else
            right &= at.missing_first() == node.missing_left();
        std::uint32_t k = 0;
        tree.for_children(id, [&](NodeId child_id) {
            const Child child = packed.child(t, k);
            right &= numbers.child(packed, t, k++) == child_id;
            if (tree.nodes[child_id].leaf()) return look_at_leaf(child_id, child);
            if (child.leaf() || child.place() <= t || child.place() >= packed.n_places() ||
                found.ids[child.place()] != kNobody) {
                right = false;
                return;
            }
            found.ids[child.place()] = child_id;
        });
        right &= packed.n_children(t) == k;
    }
    return found;
}

// The largest subtrees first; then each by itself, and of two children the heavier first.
bool in_order(const TreeBase& tree, const std::vector<NodeId>& ids) {
    if (tree.nodes[0].leaf()) return true;
    const auto ends = tree.subtree_ends();
    const auto size = [&](NodeId id) { return ends[id] - id; };
    bool right = true;
    for (Place t = 1; t < std::min<std::size_t>(kCachedNodes, ids.size()); ++t)
        right &= size(ids[t - 1]) >= size(ids[t]);
    for (Place t = kCachedNodes; t < ids.size(); ++t) {
        std::size_t inner = 0;
        std::vector<NodeId> children;
        for (NodeId id = ids[t]; id < ends[ids[t]]; ++id) inner += !tree.nodes[id].leaf();
        for (Place u = t; u < t + inner; ++u)
            right &= u < ids.size() && ids[u] >= ids[t] && ids[u] < ends[ids[t]];
        tree.for_children(ids[t], [&](NodeId child) {
            if (!tree.nodes[child].leaf()) children.push_back(child);
        });
        if (children.size() == 2)
            right &= size(ids[t + 1]) == std::max(size(children[0]), size(children[1]));
    }
    return right;
}

// Whether each row stands once, and is some leaf's.
bool rows_once(const PackedForest& forest, const std::set<std::uint32_t>& contents) {
    if (forest.one_number()) return true;
    std::set<Row> rows;
    std::visit(
        [&](auto values) {
            const std::vector<double> all(values.begin(), values.end());
            for (std::size_t r = 0; r < forest.n_rows(); ++r)
                rows.insert(bits_of(
                    std::span(all).subspan(r * forest.value_width(), forest.value_width())));
        },
        forest.values);
    const auto used = std::ranges::distance(contents.lower_bound(forest.n_pure()), contents.end());
    return rows.size() == forest.n_rows() && static_cast<std::size_t>(used) == forest.n_rows();
}

// Whether all arrays are equal, bit by bit.
bool same_arrays(const PackedForest& a, const PackedForest& b) {
    const auto same_numbers = [&]<class T>(std::span<const T> values) {
        const auto* const others = std::get_if<std::span<const T>>(&b.values);
        return others != nullptr && values.size() == others->size() &&
               (values.empty() ||
                std::memcmp(values.data(), others->data(), values.size_bytes()) == 0);
    };
    return std::ranges::equal(a.first_node, b.first_node) && std::ranges::equal(a.nodes, b.nodes) &&
           std::visit(same_numbers, a.values) && std::ranges::equal(a.first_set, b.first_set) &&
           std::ranges::equal(a.first_branch, b.first_branch) &&
           std::ranges::equal(a.level_sets, b.level_sets) &&
           std::ranges::equal(a.branches, b.branches) &&
           std::ranges::equal(a.shapes, b.shapes, same_shapes);
}

void check_packing(const std::vector<SharedTree>& trees) {
    const PackedForest forest = pack(trees);
    for (const std::size_t n_threads : {2, 5}) {
        ThreadTeam team(n_threads, nullptr);
        CHECK(same_arrays(pack(trees, team), forest));
    }
    CHECK(forest.n_trees() == trees.size());
    CHECK(forest.n_features == trees[0]->base().n_features);
    CHECK(forest.n_outputs == trees[0]->base().n_outputs);
    CHECK(forest.n_classes == trees[0]->base().n_classes);
    CHECK(forest.both_children == trees[0]->base().both_children);
    REQUIRE(forest.shapes.size() == trees.size());
    std::size_t first_leaf = 0, first_node = 0, n_sets = 0, n_branches = 0;
    std::set<std::uint32_t> contents;
    bool right = true;
    for (std::size_t m = 0; m < trees.size(); ++m) {
        const TreeBase& tree = *trees[m];
        const TreeShape shape = shape_of(tree, first_leaf);
        right &= same_shapes(forest.shapes[m], shape) && forest.first_node[m] == first_node;
        first_leaf += shape.n_leaves;
        first_node += std::max<std::size_t>(shape.n_nodes - shape.n_leaves, 1);
        n_sets += tree.level_sets.size();
        n_branches += tree.branches.size();
        const PackedTree packed(forest, m);
        right &= std::ranges::equal(packed.level_sets(), tree.level_sets);
        const Found found = look(*trees[m], forest, m);
        right &= found.right && in_order(tree, found.ids);
        right &= found.contents.size() == shape.n_leaves;
        for (std::uint32_t i = 0; i < found.contents.size(); ++i)
            right &= !forest.one_number() || found.contents[i] == i;
        contents.insert(found.contents.begin(), found.contents.end());
    }
    CHECK(right);
    CHECK(forest.first_node.back() == first_node);
    CHECK(forest.nodes.size() == first_node);
    CHECK(forest.level_sets.size() == n_sets);
    CHECK(forest.branches.size() == n_branches);
    CHECK(forest.first_set.size() == (n_sets == 0 ? 0 : trees.size() + 1));
    CHECK(forest.first_branch.size() == (n_branches == 0 ? 0 : trees.size() + 1));
    CHECK(rows_once(forest, contents));
    if (forest.one_number()) CHECK(size_of(forest.values) == first_leaf);

    PackedForest checked = forest;
    checked.shapes.clear();
    CHECK_NOTHROW(check_packed(checked));
    CHECK(std::ranges::equal(checked.shapes, forest.shapes, same_shapes));
}

// ---- forests of every kind

TEST_CASE("trees of every kind are packed, together and alone") {
    Rng rng(340);
    for (const test::Kind& kind : test::all_kinds())
        for (const Trials& trials : test::kAllTrials) {
            CAPTURE(kind.name);
            const auto trees = kind.forest(rng, kind.trees.size() + 3, trials);
            check_packing(trees);
            for (const SharedTree& tree : trees) check_packing({tree});
        }
}

TEST_CASE("trees of every layout are packed") {
    for (const StoredTree& tree : test::many_trees()) check_packing({shared(tree)});
}

TEST_CASE("trees with records of every kind are packed") {
    Rng rng(341);
    for (int repeat = 0; repeat < 60; ++repeat) {
        test::Shape shape;
        shape.deepest = test::pick(rng, 6);
        if (repeat % 3 == 1) shape.n_classes = {3};
        if (repeat % 3 == 2) shape.n_classes = {2, 4};
        if (repeat % 5 == 4) shape.kinds = {test::kAllBranches[1 + test::pick(rng, 4)]};
        std::vector<SharedTree> trees;
        for (std::size_t m = 1 + test::pick(rng, 5); m > 0; --m)
            trees.push_back(shared(test::random_branches(rng, shape)));
        check_packing(trees);
    }
}

TEST_CASE("trees whose samples go to both children are packed") {
    Rng rng(342);
    for (int repeat = 0; repeat < 20; ++repeat) {
        test::Shape shape;
        shape.kinds = {Branches::plain, Branches::thresholds, Branches::levels};
        if (repeat % 2 == 1) shape.n_classes = {3};
        std::vector<SharedTree> trees;
        for (std::size_t m = 0; m < 3; ++m) {
            Tree tree = test::random_branches(rng, shape);
            tree.both_children = true;
            trees.push_back(shared(tree));
        }
        check_packing(trees);
    }
}

TEST_CASE("trees of combinations are packed, wherever missing values go") {
    Rng rng(343);
    Tree tree = expand(test::tree_example({"gini", {3}, test::Weights::unit, 5}).tree);
    const std::vector<std::vector<Term>> combinations = {
        {{0, 0.5, 0.5F}, {3, -1.0, 0.5F}}, {{1, 1.0, 1.0F}}, {{2, -2.0, 1.0F}}};
    for (const bool missing_left : {false, true}) {
        for (Node& node : tree.nodes)
            if (!node.leaf()) node.set_second(node.second(), missing_left);
        check_packing({shared(on_combinations(tree, combinations, 4))});
    }
}

TEST_CASE("chains and large trees have their hot nodes first, then one subtree after the other") {
    Rng rng(344);
    for (const std::uint32_t every : {1U, 2U, 5U, 6000U})
        check_packing({shared(test::chain_of(
            5000, [&](std::uint32_t level) { return level % every == every - 1; }))});
    for (const auto& kinds :
         {std::vector<Branches>{Branches::plain}, {Branches::plain, Branches::levels}}) {
        test::Shape shape;
        shape.deepest = kinds.size() == 1 ? 17 : 12;
        shape.kinds = kinds;
        shape.leaf_one_in = 6;  // most of the trees are large enough
        Tree tree;
        do tree = test::random_branches(rng, shape);
        while (tree.nodes.size() - tree.n_leaves() < 2 * kCachedNodes);
        check_packing({shared(tree)});
    }
}

TEST_CASE("a tree whose leaves predict the same is not packed as one leaf") {
    for (const double threshold : {0.0, 1.5})
        for (const bool missing_left : {false, true}) {
            Tree tree = test::chain_of(1, [](std::uint32_t) { return true; });
            tree.nodes[0].set_rule(threshold);
            tree.nodes[0].set_second(2, missing_left);
            check_packing({shared(tree)});
            tree.n_classes = {2};
            tree.node_values.clear();
            tree.weighted_n_node_samples = {2.0, 1.0, 1.0};
            for (const NodeId leaf : {1U, 2U}) tree.nodes[leaf].link = kPureBit | 1;
            check_packing({shared(tree)});
        }
}

// ---- rows

template <class T>
bool of_type(const PackedForest& forest) {
    return std::holds_alternative<std::span<const T>>(forest.values);
}

// A tree of leaves with these class weights; the first of them is every other's neighbour.
SharedTree with_rows(std::vector<ClassId> n_classes, const std::vector<std::vector<double>>& rows) {
    Tree tree = test::chain_of(static_cast<std::uint32_t>(rows.size() - 1),
                               [](std::uint32_t) { return true; });
    tree.n_outputs = n_classes.size();
    tree.n_classes = std::move(n_classes);
    tree.node_values.clear();
    tree.weighted_n_node_samples.assign(tree.nodes.size(), 1.0);
    std::size_t row = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (!tree.nodes[t].leaf()) continue;
        tree.nodes[t].link = static_cast<std::uint32_t>(row);
        tree.leaf_weights.insert(tree.leaf_weights.end(), rows[row].begin(), rows[row].end());
        tree.weighted_n_node_samples[t] =
            std::accumulate(rows[row].begin(), rows[row].begin() + tree.n_classes[0], 0.0);
        ++row;
    }
    return shared(std::move(tree));
}

TEST_CASE("whole class weights are stored in the narrowest type that holds the largest") {
    const auto packed = [](double most) {
        const SharedTree tree = with_rows({2}, {{1.0, 2.0}, {most, 3.0}, {0.0, 7.0}});
        check_packing({tree});
        return pack({&tree, 1});
    };
    CHECK(of_type<std::uint8_t>(packed(255.0)));
    CHECK(of_type<std::uint16_t>(packed(256.0)));
    CHECK(of_type<std::uint16_t>(packed(65535.0)));
    CHECK(of_type<std::uint32_t>(packed(65536.0)));
    CHECK(of_type<std::uint32_t>(packed(4294967295.0)));
    CHECK(of_type<double>(packed(4294967296.0)));
    CHECK(of_type<double>(packed(0.5)));
    CHECK(packed(255.0).n_rows() == 3);
    CHECK(packed(0.5).n_rows() == 3);
}

TEST_CASE("one tree of shares makes all rows shares") {
    const SharedTree whole = with_rows({2}, {{1.0, 3.0}, {2.0, 6.0}}),
                     parts = with_rows({2}, {{0.25, 0.75}, {1.5, 0.5}});
    const std::vector<SharedTree> both = {whole, parts};
    check_packing(both);
    CHECK(pack({&whole, 1}).n_rows() == 2);
    CHECK(of_type<std::uint8_t>(pack({&whole, 1})));
    CHECK(of_type<double>(pack(both)));
    CHECK(pack(both).n_rows() == 2);  // a quarter and three, in both trees; three and one
}

TEST_CASE("equal rows of many leaves and trees are kept once") {
    const SharedTree one = with_rows({2, 2}, {{1.0, 3.0, 2.0, 2.0}, {1.0, 3.0, 2.0, 2.0}}),
                     other = with_rows({2, 2}, {{3.0, 1.0, 2.0, 2.0}, {1.0, 3.0, 2.0, 2.0}});
    const std::vector<SharedTree> trees = {one, other, one};
    check_packing(trees);
    CHECK(pack(trees).n_rows() == 2);
}

TEST_CASE("leaves that are classes need no rows, numbers one each") {
    const auto classes = test::tree_example({"gini", {26}, test::Weights::unit, 1}).tree;
    const auto reals = test::tree_example({"squared_error", {}, test::Weights::unit, 1}).tree;
    const std::vector<SharedTree> of_classes(3, shared(classes)), of_reals(3, shared(reals));
    check_packing(of_classes);
    check_packing(of_reals);
    CHECK(size_of(pack(of_classes).values) == 0);
    CHECK(size_of(pack(of_reals).values) == 3 * reals->n_leaves());
}

TEST_CASE("more variables than a packed node can store are refused") {
    Tree tree = test::chain_of(1, [](std::uint32_t) { return true; });
    tree.n_features = PackedNode::kMaxFeature;
    tree.nodes[0].feature = static_cast<std::int32_t>(PackedNode::kMaxFeature - 1);
    check_packing({shared(tree)});
    ++tree.n_features;
    const SharedTree wide = shared(tree);
    CHECK_THROWS_AS(pack({&wide, 1}), std::length_error);
}

// ---- the numbers of nodes

// The way to every leaf, by the children of the tree.
std::map<NodeId, std::vector<NodeId>> ways_of(const TreeBase& tree) {
    std::vector<NodeId> parents(tree.nodes.size(), 0);
    std::map<NodeId, std::vector<NodeId>> paths;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (!tree.nodes[t].leaf()) {
            tree.for_children(t, [&](NodeId child) { parents[child] = t; });
            continue;
        }
        auto& way = paths[t];
        for (NodeId at = t; at != 0; at = parents[at]) way.push_back(at);
        way.push_back(0);
        std::ranges::reverse(way);
    }
    return paths;
}

void check_numbers(const StoredTree& stored_tree) {
    const TreeBase& tree = stored_tree;
    const test::Packed of(stored_tree);
    bool right = true;
    for (const auto& [leaf, way] : ways_of(tree)) {
        std::vector<NodeId> stored;
        of.numbers().for_path(of.packed(), leaf, [&](NodeId t) { stored.push_back(t); });
        right &= stored == way;
    }
    std::set<NodeId> leaves;
    for (Place t = 0; t < of.packed().n_places(); ++t)
        for (std::uint32_t k = 0; k < of.packed().n_children(t); ++k)
            if (const Child child = of.packed().child(t, k); child.leaf())
                leaves.insert(of.id({child.content(), t, k}));
    for (const NodeId leaf : leaves) right &= leaf < tree.nodes.size() && tree.nodes[leaf].leaf();
    CHECK(leaves.size() == tree.n_leaves());
    CHECK(right);
}

TEST_CASE("nodes of packed trees have the numbers of the stored tree, on the path to every leaf") {
    for (const StoredTree& tree : test::many_trees()) check_numbers(tree);
    Rng rng(345);
    for (int repeat = 0; repeat < 100; ++repeat) {
        test::Shape shape;
        shape.deepest = test::pick(rng, 7);
        shape.most_children = 9;
        check_numbers(test::random_branches(rng, shape));
    }
    for (const std::uint32_t every : {1U, 2U, 3000U})
        check_numbers(
            test::chain_of(2000, [&](std::uint32_t level) { return level % every == every - 1; }));
}

TEST_CASE("the path to a sample's leaf is that of the reference traversal") {
    Rng rng(346);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const test::Packed of(test::random_branches(rng, {.deepest = 6}));
        const test::Matrix X = test::samples_of_branches(rng, 30, of.tree()->n_features);
        bool right = true;
        for (std::size_t i = 0; i < X.rows; ++i) {
            std::vector<NodeId> plain, stored;
            const NodeId leaf =
                test::descend(of.tree(), X.row(i), [&](NodeId t) { plain.push_back(t); });
            of.numbers().for_path(of.packed(), leaf, [&](NodeId t) { stored.push_back(t); });
            right &= stored == plain;
        }
        CHECK(right);
    }
}

}  // namespace
}  // namespace silvics
