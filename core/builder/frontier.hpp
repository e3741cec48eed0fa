// Open nodes, and which is split next: the stack, the heap and the queue of thesis 5.3.3; or any of
// them, at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "splitter/constants.hpp"
#include "splitter/split.hpp"
#include "tree/split_rule.hpp"

namespace silvics {

enum class Growth : std::uint8_t { depth_first, best_first, breadth_first, random };

// A node yet to be made or, best first, one whose split has been found but not yet made.
struct OpenNode {
    StreamKey key = 0;
    RowId begin = 0, end = 0;  // its samples; once its split is found, those of its children
    NodeId id = 0;             // once it is made
    NodeId parent = kNoParent;
    std::uint32_t which = 0;  // of the parent's children
    std::uint32_t depth = 0;
    Constants::ListId constants = 0;  // inherited; once it is made, by its children
    FeatureId feature = 0;            // its split
    SplitRule rule = 0.0;
    RowId n_left = 0;
    Cells::CellId cell = 0;
    bool nowhere = false;  // below a leaf without samples: it counts as a leaf, and is none
    MissingSide missing = MissingSide::unseen;
    double weight = 0.0;             // its own, or until it is made its parent's
    double weighted_decrease = 0.0;  // p(t) times the decrease
    double middle = 0.0;             // between the children's values
    ValueBounds bounds;

    static constexpr NodeId kNoParent = ~NodeId{0};
    std::size_t n() const { return end - begin; }
};

class Frontier {
public:
    // `order` is what a random one is drawn from.
    explicit Frontier(Growth growth, RandomStream order = RandomStream(0))
        : growth_(growth), order_(order) {}

    bool empty() const { return head_ == open_.size(); }

    void push(const OpenNode& node) {
        open_.push_back(node);
        if (growth_ == Growth::best_first) std::push_heap(open_.begin(), open_.end(), later);
    }

    // The next one. It stays where it is until it is dropped, and one more may be put after it:
    // copying it would wait for fields that have only just been written.
    OpenNode& next() {
        if (growth_ != Growth::depth_first) bring_next_to_end();
        if (open_.size() == open_.capacity()) open_.reserve(2 * open_.size());
        return open_.back();
    }
    void drop() { open_.pop_back(); }
    OpenNode& put_blank() { return open_.emplace_back(); }

    OpenNode take() {  // off, which next() has shown
        const OpenNode node = open_.back();
        drop();
        return node;
    }
    OpenNode pop() { return next(), take(); }

    // One past the last sample of all of them.
    std::size_t samples_end() const {
        std::size_t end = 0;
        for (std::size_t i = head_; i < open_.size(); ++i)
            end = std::max<std::size_t>(end, open_[i].end);
        return end;
    }

private:
    [[gnu::noinline]] void bring_next_to_end() {
        if (growth_ == Growth::best_first)
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

    // The largest decrease first; of equals, the leftmost.
    static bool later(const OpenNode& a, const OpenNode& b) {
        return a.weighted_decrease != b.weighted_decrease
                   ? a.weighted_decrease < b.weighted_decrease
                   : a.begin > b.begin;
    }

    Growth growth_;
    RandomStream order_;
    std::vector<OpenNode> open_;
    std::size_t head_ = 0;  // of the queue
};

}  // namespace silvics
