#include <limits>

#include "doctest/doctest.h"
#include "tree/descend.hpp"

namespace silvics {
namespace {

//      0: x0 <= 1
//   1       2: x1 <= -1
//          3      4
const std::vector<Node> kNodes = {{1.0, 0, 2}, {}, {-1.0, 1, 4}, {}, {}};

NodeId leaf_of(double x0, double x1) {
    const double sample[] = {x0, x1};
    return descend(kNodes.data(), sample);
}

TEST_CASE("a sample at or below the threshold goes to the first child, any other to the second") {
    CHECK(leaf_of(0.0, 0.0) == 1);
    CHECK(leaf_of(1.0, 0.0) == 1);
    CHECK(leaf_of(1.0 + std::numeric_limits<double>::epsilon(), 0.0) == 4);
    CHECK(leaf_of(2.0, -1.0) == 3);
    CHECK(leaf_of(std::numeric_limits<double>::quiet_NaN(), -5.0) == 3);
}

TEST_CASE("the way down visits every node, the leaf last") {
    const double sample[] = {5.0, -2.0};
    std::vector<NodeId> way;
    const NodeId leaf = descend(kNodes.data(), sample, [&](NodeId t) { way.push_back(t); });
    CHECK(way == std::vector<NodeId>{0, 2, 3});
    CHECK(leaf == 3);
}

TEST_CASE("a root alone is the leaf of everything") {
    const Node root;
    CHECK(descend(&root, nullptr) == 0);
}

}  // namespace
}  // namespace silvics
