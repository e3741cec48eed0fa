// The open nodes of a growing tree, and which of them is split next: the stack, the heaps and the
// queue of thesis 5.3.3, or a random order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "splitter/constants.hpp"
#include "splitter/interactions.hpp"
#include "splitter/split.hpp"
#include "tree/split_rule.hpp"

namespace silvics {

enum class Growth : std::uint8_t {
    depth_first,
    best_first,      // the largest decrease of impurity first
    impurity_first,  // the largest impurity first
    size_first,      // the largest weight first
    breadth_first,
    random,
};

// Whether the next node is the one of the largest priority, which is known once it is searched.
constexpr bool by_priority(Growth growth) {
    return growth == Growth::best_first || growth == Growth::impurity_first ||
           growth == Growth::size_first;
}

// A node that is not yet stored or, by priority, one that is stored and whose split has been found
// but not yet made.
struct OpenNode {
    StreamKey key = 0;
    RowId begin = 0, end = 0;  // its samples; once its split is found, those of its children
    NodeId id = 0;             // once it is stored
    NodeId parent = kNoParent;
    std::uint32_t child_index = 0;  // among the children of its parent
    std::uint32_t depth = 0;
    Constants::ListId constants = 0;  // inherited; once its split is found, for its children
    FeatureId feature = 0;            // its split
    SplitRule rule = 0.0;
    RowId n_left = 0;
    Cells::CellId cell = 0;
    bool counted_only = false;  // half of an empty cell: counts as a leaf, but is not stored
    MissingSide missing = MissingSide::unseen;
    Interactions::SetId interactions = 0;  // variables that it may be split on
    double weight = 0.0;             // its weight; until its samples are read, that of its parent
    double weighted_decrease = 0.0;  // p(t) times the decrease
    double priority = 0.0;           // that, or what else orders the frontier
    double middle = 0.0;             // between the children's values
    ValueBounds bounds;

    static constexpr NodeId kNoParent = ~NodeId{0};
    std::size_t n() const { return end - begin; }
};

class Frontier {
public:
    // A random order is drawn from `order`.
    explicit Frontier(Growth growth, RandomStream order = RandomStream(0))
        : growth_(growth), order_(order) {}

    bool empty() const { return head_ == open_.size(); }

    void push(const OpenNode& node) {
        open_.push_back(node);
        if (by_priority(growth_)) std::push_heap(open_.begin(), open_.end(), later);
    }

    // The next node, which stays in the frontier: copying it out would wait for fields that have
    // only just been written. The reference is valid until the frontier changes. One of the three
    // calls below must follow before next() is called again.
    OpenNode& next() {
        if (growth_ != Growth::depth_first) bring_next_to_end();
        return open_.back();
    }
    void remove_next() { open_.pop_back(); }
    OpenNode take_next() {
        const OpenNode node = open_.back();
        remove_next();
        return node;
    }
    // For depth-first growth: makes two children of the next node. `right` is the node itself, for
    // the caller to turn into its right child; `left` is a new node, and comes next.
    struct Children {
        OpenNode &left, &right;
    };
    Children split_next() {
        open_.emplace_back();
        OpenNode* const end = open_.data() + open_.size();
        return {end[-1], end[-2]};
    }

    OpenNode pop() { return next(), take_next(); }

    // One past the last sample of all open nodes.
    std::size_t samples_end() const {
        std::size_t end = 0;
        for (std::size_t i = head_; i < open_.size(); ++i)
            end = std::max<std::size_t>(end, open_[i].end);
        return end;
    }

private:
    [[gnu::noinline]] void bring_next_to_end() {
        if (by_priority(growth_))
            std::pop_heap(open_.begin(), open_.end(), later);
        else if (growth_ == Growth::random)
            std::swap(open_[static_cast<std::size_t>(order_.below(open_.size()))], open_.back());
        else
            bring_first();
    }

    void bring_first() {
        const OpenNode node = open_[head_++];
        if (2 * head_ > open_.size()) {
            open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
        open_.push_back(node);
    }

    // The largest priority comes first; among equals, the leftmost node.
    static bool later(const OpenNode& a, const OpenNode& b) {
        return a.priority != b.priority ? a.priority < b.priority : a.begin > b.begin;
    }

    Growth growth_;
    RandomStream order_;
    std::vector<OpenNode> open_;
    std::size_t head_ = 0;  // where the queue begins
};

}  // namespace silvics
