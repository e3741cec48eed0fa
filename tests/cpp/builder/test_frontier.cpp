#include <vector>

#include "builder/frontier.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

OpenNode open_node(NodeId id, double weighted_decrease, std::size_t begin) {
    OpenNode node;
    node.id = id;
    node.weighted_decrease = weighted_decrease;
    node.begin = begin;
    return node;
}

std::vector<NodeId> order_of(Growth growth) {
    Frontier frontier(growth);
    CHECK(frontier.empty());
    frontier.push(open_node(0, 0.5, 40));
    frontier.push(open_node(1, 0.9, 30));
    frontier.push(open_node(2, 0.1, 20));
    frontier.push(open_node(3, 0.5, 10));
    std::vector<NodeId> order = {frontier.pop().id};
    frontier.push(open_node(4, 0.7, 0));
    while (!frontier.empty()) order.push_back(frontier.pop().id);
    return order;
}

TEST_CASE("depth first is a stack") {
    CHECK(order_of(Growth::depth_first) == std::vector<NodeId>{3, 4, 2, 1, 0});
}

TEST_CASE("breadth first is a queue") {
    CHECK(order_of(Growth::breadth_first) == std::vector<NodeId>{0, 1, 2, 3, 4});
}

TEST_CASE("best first takes the largest decrease, of equals the leftmost") {
    CHECK(order_of(Growth::best_first) == std::vector<NodeId>{1, 4, 3, 0, 2});
}

}  // namespace
}  // namespace silvics
