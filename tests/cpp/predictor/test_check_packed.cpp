// check_packed: each of its complaints, and changes at random of all that a packed forest is.
#include <functional>
#include <limits>
#include <set>

#include "doctest/doctest.h"
#include "predictor/made_forests.hpp"
#include "predictor/plain_forest.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

using test::Branches;
using test::pick;
using test::Rng;

// A packed forest whose arrays may be changed.
struct Parts {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;
    bool both_children = false;
    std::vector<std::uint64_t> first_node, first_set, first_branch;
    std::vector<PackedNode> nodes;
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>,
                 std::vector<double>>
        values;
    std::vector<std::uint32_t> level_sets, branches;

    explicit Parts(const std::vector<SharedTree>& trees) {
        const auto copied = [](auto from, auto& to) { to.assign(from.begin(), from.end()); };
        const PackedForest forest = pack(trees);
        n_features = forest.n_features;
        n_outputs = forest.n_outputs;
        n_classes = forest.n_classes;
        both_children = forest.both_children;
        copied(forest.first_node, first_node);
        copied(forest.first_set, first_set);
        copied(forest.first_branch, first_branch);
        copied(forest.nodes, nodes);
        copied(forest.level_sets, level_sets);
        copied(forest.branches, branches);
        std::visit(
            [&]<class T>(std::span<const T> from) {
                values = std::vector<T>(from.begin(), from.end());
            },
            forest.values);
    }

    // Its arrays lie in memory that ends where they end.
    PackedForest forest() const {
        const auto mine = std::make_shared<const Parts>(*this);
        PackedForest made{.n_features = n_features,
                          .n_outputs = n_outputs,
                          .n_classes = n_classes,
                          .both_children = both_children,
                          .first_node = mine->first_node,
                          .nodes = mine->nodes,
                          .values = {},
                          .first_set = mine->first_set,
                          .first_branch = mine->first_branch,
                          .level_sets = mine->level_sets,
                          .branches = mine->branches,
                          .shapes = {},
                          .memory = mine};
        std::visit(
            [&]<class T>(const std::vector<T>& from) { made.values = std::span<const T>(from); },
            mine->values);
        return made;
    }

    std::vector<double>& numbers() { return std::get<std::vector<double>>(values); }
    std::vector<std::uint8_t>& bytes() { return std::get<std::vector<std::uint8_t>>(values); }
};

// Of links that are wrong, either may be found first.
constexpr const char* kOrder = "order of nodes";
constexpr const char* kNoParent = "a node without a parent";

struct Damage {
    const char* complaint;
    std::function<void(Parts&)> apply;
};

void check_refused(const Parts& good, const std::vector<Damage>& damages) {
    PackedForest accepted = good.forest();
    REQUIRE_NOTHROW(check_packed(accepted));
    for (const auto& [complaint, apply] : damages) {
        Parts bad = good;
        apply(bad);
        PackedForest forest = bad.forest();
        std::string said;
        try {
            check_packed(forest);
        } catch (const std::invalid_argument& e) {
            said = e.what();
        }
        if (complaint == kOrder && said.ends_with(kNoParent)) said.replace(20, said.size(), kOrder);
        CHECK(said == std::string("not a valid forest: ") + complaint);
    }
}

std::vector<SharedTree> shared(std::vector<StoredTree> trees) {
    std::vector<SharedTree> made;
    for (StoredTree& tree : trees) {
        check_tree(tree);
        made.push_back(std::make_shared<const StoredTree>(std::move(tree)));
    }
    return made;
}

std::vector<SharedTree> grown(const char* criterion, const std::vector<ClassId>& n_classes,
                              std::size_t outputs = 1) {
    const StoredTree tree =
        test::tree_example({criterion, n_classes, test::Weights::unit, 9}, 0.0, outputs).tree;
    return shared({tree, prune(tree, INFINITY), tree});
}

const std::vector<SharedTree>& of_classes() {  // whole weights, one byte each
    static const auto trees = grown("gini", {3});
    return trees;
}
const std::vector<SharedTree>& of_reals() {
    static const auto trees = grown("squared_error", {});
    return trees;
}

// The node of a tree at a place.
PackedNode& at(Parts& parts, std::size_t m, Place t) {
    return parts.nodes[parts.first_node[m] + t];
}

PackedNode with_rule(const PackedNode& node, SplitRule rule) {
    return {rule, node.feature(), node.missing_first(), node.child(0), node.child(1)};
}
PackedNode with_feature(const PackedNode& node, FeatureId feature) {
    return {node.rule(), feature, node.missing_first(), node.child(0), node.child(1)};
}

// A child of tree m that is an inner node, or one that is a leaf.
struct Link {
    Place parent;
    std::uint32_t which;
};
Link find_link(const Parts& parts, std::size_t m, bool leaf) {
    const PackedForest forest = parts.forest();
    for (std::uint64_t t = forest.first_node[m]; t < forest.first_node[m + 1]; ++t)
        for (const std::uint32_t k : {0U, 1U})
            if (forest.nodes[t].child(k).leaf() == leaf)
                return {static_cast<Place>(t - forest.first_node[m]), k};
    FAIL("no such child");
    return {};
}

TEST_CASE("a packed forest of wrong sizes is refused") {
    using Many = std::vector<std::uint64_t>;
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    check_refused(
        Parts(of_classes()),
        {
            {"number of trees", [](Parts& p) { p.first_node.clear(); }},
            {"number of trees", [](Parts& p) { p.first_node = {0}; }},
            {"number of variables", [](Parts& p) { p.n_features = 0; }},
            {"number of variables", [](Parts& p) { p.n_features = PackedNode::kMaxFeature + 1; }},
            {"number of variables", [=](Parts& p) { p.n_features = most; }},
            {"number of outputs", [](Parts& p) { p.n_outputs = 0; }},
            {"number of outputs", [=](Parts& p) { p.n_outputs = most; }},
            {"number of outputs", [](Parts& p) { p.n_outputs = kMaxIds + 1; }},
            {"numbers of classes", [](Parts& p) { p.n_outputs = 2; }},
            {"numbers of classes", [](Parts& p) { p.n_classes = {3, 3}; }},
            {"a number of classes", [](Parts& p) { p.n_classes = {0}; }},
            {"a number of classes", [](Parts& p) { p.n_classes = {kPureBit}; }},
            {"a number of classes", [](Parts& p) { p.n_classes = {0xFFFFFFFFU}; }},
            {"a number of classes",
             [](Parts& p) { p.n_outputs = 2, p.n_classes = {kPureBit - 1, 9}; }},
            {"a number of classes", [](Parts& p) { p.n_outputs = 2, p.n_classes = {3, 0}; }},
            {"parts of trees", [](Parts& p) { p.first_node[0] = 1; }},
            {"parts of trees", [](Parts& p) { ++p.first_node.back(); }},
            {"parts of trees", [](Parts& p) { --p.first_node.back(); }},
            {"parts of trees", [](Parts& p) { p.first_node.pop_back(); }},
            {"parts of trees", [=](Parts& p) { p.first_node[1] = most; }},
            {"parts of trees", [](Parts& p) { std::swap(p.first_node[1], p.first_node[2]); }},
            {"parts of trees", [](Parts& p) { p.nodes.pop_back(); }},
            {"parts of trees", [](Parts& p) { p.nodes.clear(); }},
            {"parts of trees", [](Parts& p) { p.level_sets = {1}; }},
            {"parts of trees", [](Parts& p) { p.branches = {1}; }},
            {"parts of trees", [](Parts& p) { p.first_set = {0, 0, 0}; }},
            {"parts of trees", [](Parts& p) { p.first_set = Many(p.first_node.size(), 1); }},
            {"parts of trees", [](Parts& p) { p.first_branch = {0}; }},
            {"parts of trees", [=](Parts& p) { p.first_branch = {0, most, most, 0}; }},
            {"number of nodes", [](Parts& p) { p.first_node[1] = 0; }},
            {"number of nodes", [](Parts& p) { p.first_node.push_back(p.first_node.back()); }},
        });
}

TEST_CASE("values of leaves that make no sense are refused") {
    check_refused(
        Parts(of_classes()),
        {
            {"values of leaves", [](Parts& p) { p.bytes().pop_back(); }},
            {"values of leaves", [](Parts& p) { p.n_classes = {4}; }},
            {"values of leaves", [](Parts& p) { p.n_classes.clear(); }},  // a regression
            {"class weights of a leaf", [](Parts& p) { std::fill_n(p.bytes().begin() + 3, 3, 0); }},
            {"content of a leaf", [](Parts& p) { p.bytes().clear(); }},
            {"content of a leaf", [](Parts& p) { p.bytes().resize(3); }},
        });
    check_refused(Parts(grown("gini", {2, 2})),
                  {
                      {"class weights of a leaf", [](Parts& p) { ++p.bytes()[0]; }},
                      {"class weights of a leaf", [](Parts& p) { ++p.bytes().back(); }},
                      {"content of a leaf", [](Parts& p) { p.bytes().clear(); }},
                  });
    const StoredTree parts = test::tree_example({"gini", {3}, test::Weights::fractional, 9}).tree;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Damage> no_numbers = {
        {"value of a leaf", [=](Parts& p) { p.numbers()[1] = nan; }},
        {"value of a leaf", [](Parts& p) { p.numbers().back() = INFINITY; }},
        {"value of a leaf", [](Parts& p) { p.numbers()[0] = -INFINITY; }},
    };
    check_refused(Parts(shared({parts})), no_numbers);
    check_refused(Parts(shared({parts})),
                  {{"value of a leaf", [](Parts& p) { p.numbers()[0] = -0.25; }}});
    for (const std::size_t outputs : {1U, 2U}) {
        const Parts reals(grown("squared_error", {}, outputs));
        check_refused(reals, no_numbers);
        check_refused(reals, {{"values of leaves", [](Parts& p) {
                                   p.values = std::vector<std::uint8_t>(p.numbers().size(), 1);
                               }}});
    }
    check_refused(Parts(of_reals()),
                  {
                      {"values of leaves", [](Parts& p) { p.numbers().pop_back(); }},
                      {"values of leaves", [](Parts& p) { p.numbers().push_back(0.0); }},
                      {"values of leaves", [](Parts& p) { p.numbers().clear(); }},
                  });
    check_refused(Parts(grown("squared_error", {}, 2)),
                  {
                      {"values of leaves", [](Parts& p) { p.numbers().pop_back(); }},
                      {"content of a leaf", [](Parts& p) { p.numbers().resize(2); }},
                      {"content of a leaf", [](Parts& p) { p.n_outputs = 1; }},
                  });
}

TEST_CASE("any finite number is a value, and nothing else, wherever it stands") {
    using Limits = std::numeric_limits<double>;
    const Parts good(of_reals());
    for (std::size_t i = 0; i < Parts(good).numbers().size(); ++i) {
        const auto put = [&](double x) {
            Parts parts = good;
            parts.numbers()[i] = x;
            return parts.forest();
        };
        for (const double x : {0.0, -0.0, Limits::max(), -Limits::max(), Limits::denorm_min()}) {
            PackedForest forest = put(x);
            CHECK_NOTHROW(check_packed(forest));
        }
        for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("1"), -std::nan("")}) {
            PackedForest forest = put(x);
            CHECK_THROWS_AS(check_packed(forest), std::invalid_argument);
        }
    }
}

TEST_CASE("leaves of contents that there are not are refused") {
    const Parts classes(of_classes()), reals(of_reals());
    const Link leaf = find_link(classes, 2, true);
    const auto n = static_cast<std::uint32_t>(3 + classes.forest().n_rows());
    const auto put = [](Link link, std::uint32_t content) {
        return [=](Parts& p) { at(p, 2, link.parent).set_child(link.which, Child::leaf(content)); };
    };
    check_refused(classes, {{"content of a leaf", put(leaf, n)},
                            {"content of a leaf", put(leaf, 0x7FFFFFFF)}});
    for (std::uint32_t content = 0; content < n; ++content) {
        Parts other = classes;
        put(leaf, content)(other);
        PackedForest forest = other.forest();
        CHECK_NOTHROW(check_packed(forest));
    }
    // Numbers have leaves of their own, in order.
    const Link first = find_link(reals, 2, true);
    check_refused(reals, {{"content of a leaf", put(first, 1)},
                          {"content of a leaf", put(first, 0x7FFFFFFF)}});
}

TEST_CASE("nodes of a wrong order are refused") {
    const Parts good(of_classes());
    const Link link = find_link(good, 2, false), leaf = find_link(good, 2, true);
    const auto n = static_cast<Place>(good.first_node[3] - good.first_node[2]);
    REQUIRE(n > 3);
    const auto put = [](Link to, Child child) {
        return [=](Parts& p) { at(p, 2, to.parent).set_child(to.which, child); };
    };
    check_refused(
        good,
        {
            {kOrder, put(leaf, Child::inner(0))},
            {kOrder, put(leaf, Child::inner(leaf.parent))},
            {kOrder, put(leaf, Child::inner(n - 1))},  // two parents
            {kOrder, put(leaf, Child::inner(n))},
            {kOrder, put(leaf, Child::inner(0x7FFFFFFF))},
            {kOrder, put(link, Child::inner(n))},
            {kOrder, put(link, Child::leaf(0))},
            {kOrder,
             [](Parts& p) {  // one more at the end
                 p.nodes.push_back(p.nodes.back());
                 ++p.first_node.back();
             }},
            {kOrder,
             [](Parts& p) {  // the last one cut off
                 p.nodes.pop_back();
                 --p.first_node.back();
             }},
            {"variable of a split", [](Parts& p) { p.n_features = 1; }},
            {"variable of a split", [](Parts& p) { at(p, 2, 1) = with_feature(at(p, 2, 1), 3); }},
            {"variable of a split",
             [](Parts& p) {
                 at(p, 0, 0) = with_feature(at(p, 0, 0), FeatureId{PackedNode::kMaxFeature});
             }},
        });
}

TEST_CASE("a place that is not in order, and one that nobody links to, are told apart") {
    const auto complaint = [](Child child) {
        Parts parts(of_classes());
        const Link link = find_link(parts, 2, false);
        at(parts, 2, link.parent).set_child(link.which, child);
        PackedForest forest = parts.forest();
        try {
            check_packed(forest);
        } catch (const std::invalid_argument& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(complaint(Child::inner(0)).ends_with(kOrder));
    CHECK(complaint(Child::leaf(0)).ends_with(kNoParent));
}

TEST_CASE("every place but its own is refused at every child") {
    const Parts good(of_classes());
    std::size_t accepted = 0;
    const auto n = static_cast<Place>(good.first_node[1]);
    for (Place t = 0; t < n; ++t)
        for (const std::uint32_t which : {0U, 1U})
            for (Place place = 0; place <= n; ++place) {
                Parts bad = good;
                const Child before = at(bad, 0, t).child(which);
                if (before.bits() == place) continue;
                at(bad, 0, t).set_child(which, Child::inner(place));
                PackedForest forest = bad.forest();
                try {
                    check_packed(forest);
                    ++accepted;
                } catch (const std::invalid_argument&) {
                }
            }
    CHECK(accepted == 0);
}

TEST_CASE("of all links of few nodes, those of trees are accepted and no others") {
    for (const Place n : {1U, 2U, 3U})
        for (const bool classes : {true, false}) {
            const Child leaf = Child::leaf(0);
            Parts parts(classes ? of_classes() : of_reals());
            parts.first_node = {0, n};
            parts.nodes.assign(n, PackedNode(0.5, 0, false, leaf, leaf));
            if (!classes) parts.numbers().assign(n + 1, 0.5);
            // Each child is one of the places, the next beyond them, or a leaf.
            std::size_t n_paths = 1, n_accepted = 0, n_trees = 0;
            for (Place k = 0; k < 2 * n; ++k) n_paths *= n + 2;
            for (std::size_t way = 0; way < n_paths; ++way) {
                std::vector<std::size_t> parents(n + 1, 0), early(n + 1, 0);
                std::uint32_t leaves = 0;
                std::size_t rest = way;
                for (Place k = 0; k < 2 * n; ++k, rest /= n + 2) {
                    const auto to = static_cast<Place>(rest % (n + 2));
                    const bool is_leaf = to == n + 1;
                    parts.nodes[k / 2].set_child(
                        k % 2, is_leaf ? Child::leaf(classes ? 0 : leaves++) : Child::inner(to));
                    if (is_leaf) continue;
                    ++parents[to];
                    early[to] += k / 2 < to;
                }
                bool tree = parents[0] == 0 && parents[n] == 0;
                for (Place t = 1; t < n; ++t) tree &= parents[t] == 1 && early[t] == 1;
                PackedForest forest = parts.forest();
                bool accepted = true;
                try {
                    check_packed(forest);
                } catch (const std::invalid_argument&) {
                    accepted = false;
                }
                n_trees += tree;
                n_accepted += accepted;
                REQUIRE(accepted == tree);
            }
            CHECK(n_accepted == n_trees);
            CHECK(n_trees == (n == 1 ? 1 : n == 2 ? 2 : 6));
        }
}

TEST_CASE("a tree of one leaf has one form") {
    for (const auto& trees : {of_classes(), of_reals()}) {
        const Parts good(trees);
        const PackedNode only = good.nodes[good.first_node[1]];
        REQUIRE(good.first_node[2] == good.first_node[1] + 1);
        REQUIRE(only == PackedNode::of_one_leaf(only.child(0)));
        const auto put = [](std::size_t m, const PackedNode& node) {
            return [=](Parts& p) { at(p, m, 0) = node; };
        };
        const Child leaf = only.child(0), root = Child::inner(0);
        const char* const complaint = "a tree of one leaf";
        check_refused(
            good,
            {
                {kOrder, put(0, only)},
                {complaint, put(1, PackedNode::of_one_leaf(root))},
                {complaint, put(1, PackedNode::of_one_leaf(Child::inner(1)))},
                {"content of a leaf", put(1, PackedNode::of_one_leaf(Child::leaf(0x7FFFFFFF)))},
                {"threshold of a split", put(1, with_rule(only, NAN))},
                {kOrder, put(1, with_feature(only, 1))},
                {kOrder, put(1, with_rule(only, 0.5))},
                {kOrder, put(1, {only.threshold(), 0, false, leaf, root})},
                {kOrder, put(1, {only.threshold(), 0, true, leaf, Child::inner(1)})},
                {kOrder, put(1, {only.threshold(), 0, true, root, leaf})},
            });
    }
}

TEST_CASE("rules of levels are accepted, and broken ones refused") {
    using Form = LevelRule::Form;
    CompactTree tree = *test::tree_example({"gini", {3}, test::Weights::unit, 9}).tree.compact();
    const Level far[] = {7, 4000}, dense[] = {1, 40, 41, 50, 60};
    std::vector<NodeId> inner;
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (!tree.nodes[t].leaf()) inner.push_back(t);
    tree.nodes[inner[0]].set_rule(LevelRule::of(far, {}, false, tree.level_sets));
    tree.nodes[inner[1]].set_rule(LevelRule::of(dense, {}, false, tree.level_sets));
    const Parts good(shared({tree, tree}));
    REQUIRE(good.first_set == std::vector<std::uint64_t>{0, 6, 12});
    for (const std::size_t m : {0U, 1U}) {
        const char* const complaint = "threshold of a split";
        const auto rule = [=](SplitRule to) {
            return [=](Parts& p) { at(p, m, 0) = with_rule(at(p, m, 0), to); };
        };
        const auto word = [=](std::size_t i, std::uint32_t to) {
            return [=](Parts& p) { p.level_sets[p.first_set[m] + i] = to; };
        };
        check_refused(good,
                      {
                          {complaint, rule(NAN)},
                          {complaint, rule(-NAN)},
                          {complaint, rule(LevelRule(Form::none, 5, false))},
                          {complaint, rule(LevelRule(static_cast<Form>(7), 5, true))},
                          {complaint, rule(LevelRule::pending(0))},
                          {complaint, rule(LevelRule(Form::apart, 6, false))},
                          {complaint, rule(LevelRule(Form::apart, 1ULL << 40, false))},
                          {complaint, rule(-LevelRule(Form::in_place_bits, 5, false).in_place())},
                          {"record of a split", rule(SplitRule::record(0))},
                          {complaint, word(3, 65)},  // bits of 3 words
                          {complaint, word(3, 0x7FFFFFFF)},
                          {complaint, word(0, 0x80000006)},
                          {complaint, word(0, 0xFFFFFFFF)},
                          {complaint, word(1, 5000)},  // not ascending
                          {complaint, [=](Parts& p) { --p.first_set[1]; }},
                          {"parts of trees", [](Parts& p) { p.first_set.clear(); }},
                          {"parts of trees", [](Parts& p) { p.level_sets.pop_back(); }},
                          {"parts of trees", [](Parts& p) { p.first_set.push_back(12); }},
                          {complaint, [](Parts& p) { p.level_sets.clear(), p.first_set.clear(); }},
                      });
    }
}

// A root of these children, all leaves; of classes, all of them the first.
Tree of_one(const Branching& branching) {
    Tree tree;
    tree.n_features = 3;
    const std::size_t n = branching.n_children + 1;
    tree.max_depth = 1;
    tree.nodes.resize(n);
    BranchRecord::append(branching, tree.branches);
    for (std::uint32_t k = 0; k < branching.n_children; ++k)
        tree.branches[BranchRecord::child_offset(0, k)] = k + 1;
    tree.nodes[0] = {SplitRule::record(0), 1, 2};
    tree.n_node_samples.assign(n, 1);
    tree.weighted_n_node_samples.assign(n, 1.0);
    tree.impurity.assign(n, 0.0);
    tree.n_classes = {2};
    for (std::size_t t = 0; t < n; ++t) tree.node_values.insert(tree.node_values.end(), {1.0, 0.0});
    return tree;
}

Branching oblique(std::uint32_t n_children, std::vector<double> cuts) {
    Branching of;
    of.n_children = n_children;
    of.missing_child = of.other_child = n_children - 1;
    of.terms = {{0, 1.0, 0.5F}, {2, -1.0, 0.5F}};
    of.thresholds = std::move(cuts);
    return of;
}

TEST_CASE("damaged records are refused") {
    const Tree tree = of_one(oblique(3, {0.5}));
    const Parts good(shared({tree, tree}));
    const std::size_t size = tree.branches.size();
    REQUIRE(good.branches.size() == 2 * size);
    for (const std::size_t m : {0U, 1U}) {
        const char* const complaint = "record of a split";
        const auto node = [=](const PackedNode& to) { return [=](Parts& p) { at(p, m, 0) = to; }; };
        const auto word = [=](std::size_t i, std::uint32_t to) {
            return [=](Parts& p) { p.branches[p.first_branch[m] + i] = to; };
        };
        const SplitRule record = tree.nodes[0].rule();
        const Child none = Child::inner(0);
        const auto elsewhere = [](std::uint64_t place, bool others = false) {
            return SplitRule(LevelRule(LevelRule::Form::record, place, others));
        };
        check_refused(good,
                      {
                          {complaint, node({elsewhere(1), 1, false, none, none})},
                          {complaint, node({elsewhere(size), 1, false, none, none})},
                          {complaint, node({elsewhere(LevelRule::kContent), 1, false, none, none})},
                          {complaint, node({elsewhere(0, true), 1, false, none, none})},
                          {complaint, node({-record.stored(), 1, false, none, none})},
                          {complaint, node({record, 1, false, Child::leaf(0), none})},
                          {complaint, node({record, 1, false, none, Child::inner(1)})},
                          {"variable of a split", node({record, 3, false, none, none})},
                          {complaint, word(0, 3)},           // no test
                          {complaint, word(1, 0)},           // no child
                          {complaint, word(1, 0xFFFFFFFF)},  // more than there is room for
                          {complaint, word(2, 3)},           // missing values go nowhere
                          {complaint, word(4, 0x40000000)},  // terms
                          {complaint, word(5, 0x80000000)},  // cuts
                          {complaint, word(5, 0xFFFFFFFF)},  // cuts
                          {complaint, word(BranchRecord::child_offset(0, 3), 3)},  // a variable
                          {kOrder, word(BranchRecord::child_offset(0, 0), 0)},     // places
                          {kOrder, word(BranchRecord::child_offset(0, 2), 1)},
                          {"content of a leaf",
                           word(BranchRecord::child_offset(0, 1), Child::leaf(2).bits())},
                          {"children of a node", [](Parts& p) { p.both_children = true; }},
                          {complaint, [](Parts& p) { --p.first_branch[1]; }},
                          {complaint, [](Parts& p) { p.branches.clear(), p.first_branch.clear(); }},
                          {"parts of trees", [](Parts& p) { p.first_branch.clear(); }},
                          {"parts of trees", [](Parts& p) { p.branches.push_back(0); }},
                      });
    }
}

TEST_CASE("a record belongs to one node, all of it") {
    // A plain split; both its children have records of two leaves.
    const Tree one = of_one(oblique(2, {0.5}));
    Tree tree = one;
    tree.nodes = {{0.0, 0, 0}};
    tree.nodes[0].set_second(4, false);
    tree.branches.clear();
    for (const NodeId first : {1U, 4U}) {
        const std::size_t at = tree.branches.size();
        tree.branches.insert(tree.branches.end(), one.branches.begin(), one.branches.end());
        tree.branches[BranchRecord::child_offset(at, 0)] = first + 1;
        tree.branches[BranchRecord::child_offset(at, 1)] = first + 2;
        tree.nodes.push_back({SplitRule::record(at), 1, first + 2});
        tree.nodes.resize(tree.nodes.size() + 2);
    }
    tree.max_depth = 2;
    tree.n_node_samples.assign(7, 1);
    tree.weighted_n_node_samples.assign(7, 1.0);
    tree.impurity.assign(7, 0.0);
    tree.node_values.assign(14, 0.5);
    Parts parts(shared({tree}));
    PackedForest good = parts.forest();
    CHECK_NOTHROW(check_packed(good));
    parts.nodes[2] = parts.nodes[1];
    PackedForest bad = parts.forest();
    CHECK_THROWS_AS(check_packed(bad), std::invalid_argument);
}

// ---- anything changed anywhere

// Small forests of every kind.
std::vector<std::pair<std::string, Parts>> small_forests() {
    Rng rng(350);
    std::vector<std::pair<std::string, Parts>> made;
    for (const test::Kind& kind : test::all_kinds())
        for (const test::Trials& trials : {test::Trials{}, test::Trials{true, true}}) {
            made.emplace_back(kind.name, Parts(kind.forest(rng, 3, trials)));
            StoredTree kept = with_other_splits(rng, kind.trees[3], trials);
            made.emplace_back(kind.name + ", one tree", Parts(shared({std::move(kept)})));
        }
    for (int repeat = 0; repeat < 12; ++repeat) {
        test::Shape shape;
        shape.deepest = 3;
        if (repeat % 3 == 1) shape.n_classes = {3};
        if (repeat % 3 == 2) shape.n_classes = {2, 3};
        const bool both = repeat % 4 == 3;
        if (both) shape.kinds = {Branches::plain, Branches::thresholds, Branches::levels};
        std::vector<StoredTree> trees;
        for (int m = 0; m < 3; ++m) {
            Tree tree = test::random_branches(rng, shape);
            tree.both_children = both;
            trees.push_back(std::move(tree));
        }
        made.emplace_back(both ? "records, both ways" : "records", Parts(shared(trees)));
    }
    return made;
}

std::uint64_t odd_number(Rng& rng) {
    constexpr std::uint64_t kOdd[] = {0,          1,          2,          3,          7,
                                      0x7FFFFFFF, 0x80000000, 0x80000001, 0x80000003, 0xFFFFFFFF,
                                      1ULL << 32, 1ULL << 47, 1ULL << 63, ~0ULL};
    return pick(rng, 3) == 0 ? rng() : kOdd[pick(rng, std::size(kOdd))];
}

// A bit, a word, a part copied to another place, or the length.
template <class T>
void change(Rng& rng, std::vector<T>& array) {
    const std::size_t size = array.size(), n_bytes = size * sizeof(T);
    auto* const bytes = reinterpret_cast<unsigned char*>(array.data());
    switch (n_bytes == 0 ? 5 : pick(rng, 7)) {
        case 0:
        case 1:
            bytes[pick(rng, n_bytes)] ^= static_cast<unsigned char>(1U << pick(rng, 8));
            return;
        case 2: {  // anywhere: nodes are not aligned
            const std::uint64_t word = odd_number(rng);
            const std::size_t width = std::min<std::size_t>(pick(rng, 2) == 0 ? 4 : 8, n_bytes);
            std::memcpy(bytes + pick(rng, n_bytes - width + 1), &word, width);
            return;
        }
        case 3:
            array[pick(rng, size)] = array[pick(rng, size)];
            return;
        case 4: {  // a number a little off
            bytes[pick(rng, size) * sizeof(T)] += static_cast<unsigned char>(pick(rng, 7) - 3);
            return;
        }
        case 5:
            array.resize(size + 1 + pick(rng, 3), size == 0 ? T{} : array[pick(rng, size)]);
            return;
        default:
            array.resize(size - std::min<std::size_t>(size, 1 + pick(rng, 3)));
    }
}

void change_node(Rng& rng, Parts& parts) {
    PackedNode& node = parts.nodes[pick(rng, parts.nodes.size())];
    const auto n = parts.nodes.size() + 2;
    switch (pick(rng, 5)) {
        case 0:
            node.set_child(pick(rng, 2) == 0, Child::inner(static_cast<Place>(pick(rng, n))));
            return;
        case 1:
            node.set_child(pick(rng, 2) == 0,
                           Child::leaf(static_cast<std::uint32_t>(pick(rng, n))));
            return;
        case 2: {  // a rule, or a record, of any place
            const auto form = static_cast<LevelRule::Form>(pick(rng, 8));
            const std::uint64_t most = parts.level_sets.size() + parts.branches.size() + 3;
            node = with_rule(node, LevelRule(form, pick(rng, most), pick(rng, 2) == 0).in_place());
            return;
        }
        case 3:
            node = with_feature(node, static_cast<FeatureId>(pick(rng, parts.n_features + 2)));
            return;
        default:
            node.set_child(1, node.child(0));
    }
}

void change_sizes(Rng& rng, Parts& parts) {
    switch (pick(rng, 6)) {
        case 0:
            parts.n_features = pick(rng, 6);
            return;
        case 1:
            parts.n_outputs = pick(rng, 4);
            return;
        case 2:
            parts.n_classes.resize(pick(rng, 4), 2);
            return;
        case 3:
            if (!parts.n_classes.empty())
                parts.n_classes[pick(rng, parts.n_classes.size())] = pick(rng, 30);
            return;
        case 4:
            parts.both_children = !parts.both_children;
            return;
        default:  // the same numbers in another width
            std::visit(
                [&](const auto& from) {
                    const std::vector<double> all(from.begin(), from.end());
                    for (const double x : all)
                        if (!(x >= 0.0 && x < 256.0)) return;
                    if (pick(rng, 2) == 0)
                        parts.values = std::vector<std::uint8_t>(all.begin(), all.end());
                    else
                        parts.values = all;
                },
                Parts(parts).values);
    }
}

void change(Rng& rng, Parts& parts) {
    switch (pick(rng, 10)) {
        case 0:
            return change(rng, parts.first_node);
        case 1:
            return change(rng, pick(rng, 2) == 0 ? parts.first_set : parts.first_branch);
        case 2:
            return change(rng, parts.level_sets);
        case 3:
        case 4:
            return change(rng, parts.branches);
        case 5:
            return std::visit([&](auto& values) { change(rng, values); }, parts.values);
        case 6:
            return change_sizes(rng, parts);
        case 7:
            return parts.nodes.empty() ? void() : change_node(rng, parts);
        default:
            return change(rng, parts.nodes);
    }
}

// Values of every kind, on levels and beyond.
test::Matrix odd_samples(Rng& rng, std::size_t rows, std::size_t cols) {
    constexpr double kOdd[] = {NAN,           -NAN,         INFINITY, -INFINITY, 0.0,  -0.0,  -1.0,
                               kUnknownLevel, -3.0,         0.5,      46.0,      47.0, 71.0,  90000,
                               4294967295.0,  4294967296.0, 1e300,    -1e300,    1e10, 5e-324};
    test::Matrix X = test::samples_of_branches(rng, rows, cols);
    for (double& x : X.values)
        if (pick(rng, 3) == 0) x = kOdd[pick(rng, std::size(kOdd))];
    return X;
}

// Whether the ways begin at roots and end in leaves, as numbers of nodes do.
bool ways_right(const PackedForest& forest, const test::Said& said, std::size_t rows) {
    const std::size_t n_trees = forest.n_trees();
    bool right = true;
    for (std::size_t i = 0; i < rows; ++i) {
        std::int64_t before = 0;
        auto at = said.path_nodes.begin() + said.path_starts[i];
        const auto end = said.path_nodes.begin() + said.path_starts[i + 1];
        for (std::size_t m = 0; m < n_trees; ++m) {
            const auto n = static_cast<std::int64_t>(forest.shapes[m].n_nodes);
            const std::int64_t leaf = said.leaves[i * n_trees + m];
            right &= leaf >= 0 && leaf < n && at != end && *at == before;
            while (right && *at != before + leaf) {
                const std::int64_t last = *at++;
                right &= at != end && *at > last && *at < before + n;
            }
            if (right) ++at;
            before += n;
        }
        right &= at == end;
    }
    return right;
}

// Whether every leaf has a number of its own.
bool numbers_right(const PackedForest& forest) {
    for (std::size_t m = 0; m < forest.n_trees(); ++m) {
        const PackedTree tree(forest, m);
        const NodeNumbers numbers(tree);
        std::set<NodeId> seen;
        std::size_t n_leaves = 0;
        for (Place t = 0; t < tree.n_places(); ++t)
            for (std::uint32_t k = 0; k < tree.n_children(t); ++k) {
                n_leaves += tree.child(t, k).leaf();
                seen.insert(numbers.child(tree, t, k));
            }
        const TreeShape& shape = tree.shape();
        if (n_leaves != shape.n_leaves) return false;
        if (shape.n_nodes > 1 && seen.size() + 1 != shape.n_nodes) return false;
        if (*seen.rbegin() + 1 != shape.n_nodes) return false;
    }
    return true;
}

void walk_all(Rng& rng, const PackedForest& forest) {
    ThreadTeam team;
    for (const bool by_majority : {false, true}) {
        const Predictor predictor(forest, by_majority, by_majority);
        for (const std::size_t rows : {3U, 9U}) {
            const test::Matrix X = odd_samples(rng, rows, forest.n_features);
            std::vector<double> averages(rows * predictor.value_width()),
                one(predictor.value_width());
            predictor.average(X.view(), averages, team);
            for (std::size_t i = 0; i < rows; ++i) {
                std::vector<double> sample(X.row(i), X.row(i) + X.cols);
                predictor.average(sample, one);
                CHECK(
                    test::same_bits(one, std::span(averages).subspan(i * one.size(), one.size())));
            }
            if (forest.both_children || by_majority) continue;
            const test::Said said = test::said_by(predictor, X.view(), team);
            CHECK(ways_right(predictor.forest(), said, rows));
        }
    }
}

TEST_CASE("anything changed anywhere is refused, or the forest can still be walked") {
    Rng rng(351);
    std::size_t refused = 0, accepted = 0;
    for (const auto& [name, good] : small_forests()) {
        CAPTURE(name);
        for (int repeat = 0; repeat < 1000; ++repeat) {
            Parts parts = good;
            for (std::size_t k = 1 + pick(rng, 2) * pick(rng, 3); k > 0; --k) change(rng, parts);
            PackedForest forest = parts.forest();
            try {
                check_packed(forest);
            } catch (const std::invalid_argument&) {
                ++refused;
                continue;
            }
            ++accepted;
            CHECK(numbers_right(forest));
            walk_all(rng, forest);
        }
    }
    CHECK(refused > 10000);
    CHECK(accepted > 2000);
}

}  // namespace
}  // namespace silvics
