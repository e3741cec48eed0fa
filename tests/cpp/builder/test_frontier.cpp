#include <cmath>
#include <vector>

#include "builder/frontier.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

OpenNode open_node(NodeId id, double priority, std::size_t begin) {
    OpenNode node;
    node.id = id;
    node.priority = priority;
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

TEST_CASE("the next node stays until it is removed or taken") {
    for (const Growth growth : {Growth::depth_first, Growth::best_first, Growth::breadth_first}) {
        const bool queue = growth == Growth::breadth_first;
        Frontier frontier(growth);
        for (NodeId id = 0; id < 5; ++id) frontier.push(open_node(id, 0.1 * id, 10 * id));
        CHECK(frontier.next().id == (queue ? 0 : 4));
        CHECK(frontier.take_next().id == (queue ? 0 : 4));
        CHECK(frontier.next().id == (queue ? 1 : 3));
        frontier.remove_next();
        CHECK(frontier.pop().id == 2);
    }
}

TEST_CASE("depth first, two children replace the next node, the left one first") {
    Frontier frontier(Growth::depth_first);
    for (NodeId id = 0; id < 50; ++id) {  // however much memory the frontier has left
        frontier.push(open_node(id, 0.0, id));
        frontier.next().depth = 7;
        const auto [left, right] = frontier.split_next();
        CHECK(right.id == id);
        CHECK(right.depth == 7);
        CHECK(left.id == 0);
        CHECK(left.parent == OpenNode::kNoParent);
        left.id = 1000 + id;
        right.id = 2000 + id;
    }
    for (NodeId id = 50; id-- > 0;) {
        CHECK(frontier.pop().id == 1000 + id);
        CHECK(frontier.pop().id == 2000 + id);
    }
    CHECK(frontier.empty());
}

TEST_CASE("depth first is a stack") {
    CHECK(order_of(Growth::depth_first) == std::vector<NodeId>{3, 4, 2, 1, 0});
}

TEST_CASE("breadth first is a queue") {
    CHECK(order_of(Growth::breadth_first) == std::vector<NodeId>{0, 1, 2, 3, 4});
}

TEST_CASE("by priority, the largest comes first, of equals the leftmost") {
    for (const Growth growth : {Growth::best_first, Growth::impurity_first, Growth::size_first}) {
        CHECK(by_priority(growth));
        CHECK(order_of(growth) == std::vector<NodeId>{1, 4, 3, 0, 2});
    }
}

TEST_CASE("at random, every open node is as likely to be the next") {
    std::vector<double> counts(4, 0.0);
    for (StreamKey key = 0; key < 8000; ++key) {
        Frontier frontier(Growth::random, RandomStream(derive(1, key)));
        for (NodeId id = 0; id < 5; ++id) frontier.push(open_node(id, 0.0, 10 * id));
        std::vector<char> seen(6, 0);
        NodeId second = 0;
        seen[frontier.pop().id] = 1;
        frontier.push(open_node(5, 0.0, 50));
        for (int i = 0; !frontier.empty(); ++i) {
            const NodeId id = frontier.pop().id;
            CHECK(seen[id]++ == 0);
            if (i == 0) second = id;
        }
        if (second >= 2) ++counts[second - 2];
    }
    // Each of the first five is still open with probability 4/5; the sixth always is.
    for (std::size_t i = 0; i < 4; ++i) {
        const double expected = i < 3 ? 8000.0 * 0.8 / 5.0 : 8000.0 / 5.0;
        CHECK(std::fabs(counts[i] - expected) < 5.0 * std::sqrt(expected));
    }
}

TEST_CASE("the last sample of all open nodes is known") {
    for (const Growth growth : {Growth::depth_first, Growth::breadth_first}) {
        Frontier frontier(growth);
        CHECK(frontier.samples_end() == 0);
        for (const RowId end : {30U, 70U, 50U}) {
            OpenNode node;
            node.end = end;
            frontier.push(node);
        }
        CHECK(frontier.samples_end() == 70);
        frontier.pop();
        frontier.pop();
        CHECK(frontier.samples_end() == (growth == Growth::depth_first ? 30 : 50));
    }
}

}  // namespace
}  // namespace silvics
