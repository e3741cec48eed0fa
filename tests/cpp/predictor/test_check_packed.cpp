// check_packed: sizes, values of leaves, and the order of nodes.
#include <limits>

#include "doctest/doctest.h"
#include "predictor/packed_parts.hpp"

namespace silvics {
namespace {

using namespace packed_parts;

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

TEST_CASE("a node out of order and a node without a parent have different messages") {
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

TEST_CASE("of all links between up to three nodes, only those of trees are accepted") {
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

}  // namespace
}  // namespace silvics
