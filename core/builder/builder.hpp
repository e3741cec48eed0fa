// Greedy induction (Algorithm 3.2): one growing loop for every order of growth.
#pragma once

#include <memory>
#include <vector>

#include "builder/copy_limit.hpp"
#include "builder/frontier.hpp"
#include "builder/full_store.hpp"
#include "builder/growth_mode.hpp"
#include "builder/node_store.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

// What all builders of one tree share.
struct TreeState {
    const Table& table;
    const Target& target;
    const StopFlag& stop;
    GrowthRules rules;
    LearningSubset subset;              // its rows and weights move to `order`
    SampleOrder order{};                // every node has a range of it
    std::vector<FeatureId> features{};  // columns that the tree may use
    GrowthMode mode{};
    StreamKey growth_key = 0;  // for a random order of growth
    double root_weight = 0.0;
    std::size_t n_samples = 0;

    SplitterParts splitter_parts() {
        return {table, target, subset, rules.search, stop, order, features};
    }
    FullStore new_full_store(std::size_t capacity = 0) const;
};

// Grows a whole tree, or the subtree below one of its nodes. builder.cpp compiles it for both
// stores.
template <NodeStore Store>
class Builder {
public:
    Builder(TreeState& state, std::unique_ptr<Splitter> splitter, Store store, Constants constants,
            Cells cells = {});

    // Begins with this node, which becomes node 0 of the store.
    void start(OpenNode node);
    // Nodes of at most `postponed_below` samples are appended to the store, but not grown.
    void grow(std::size_t postponed_below = 0);

    std::vector<OpenNode>& postponed() { return postponed_; }
    const Constants& constants() const { return constants_; }
    const Cells& cells() const { return cells_; }
    Store& store() { return store_; }
    Splitter& splitter() { return *splitter_; }
    Work work() const;
    void add_work(const Work& of_subtree) { work_of_subtrees_ += of_subtree; }

private:
    bool depth_first() const { return rules_.growth == Growth::depth_first; }
    // Whether nodes are searched for splits as they enter the frontier, which orders them by that.
    bool opens_early() const { return by_priority(rules_.growth); }
    bool fast_splitter() const { return !BranchStore<Store> || mode_.fast_splitter; }

    void push(OpenNode node);
    bool open(OpenNode& node);
    bool find_split(OpenNode& node, const NodeStats& stats);
    bool pure_enough(const NodeStats& stats);
    bool leaves_allow_split(const OpenNode& node);
    void split(OpenNode& node);
    void make_children(OpenNode& left, OpenNode& right);
    void make_branches(const OpenNode& node);
    void close_frontier();
    void skip_empty();
    void postpone(OpenNode& node);

    NodeStats enter(OpenNode& node);
    NodeSamples samples_of(const OpenNode& node);
    void add_leaf(OpenNode& node);
    void add_sole_leaf(OpenNode& node);
    void add_empty_leaf(OpenNode& node);
    void set_size(OpenNode& node, std::size_t n, double weight);
    void set_value(const OpenNode& node, const NodeStats& stats);
    void inherit_value(const OpenNode& node);
    std::span<const std::uint32_t> child_sizes(const OpenNode& node) const;
    void place_children(OpenNode& node, const Split& split);

    TreeState& state_;
    const GrowthRules& rules_;
    const GrowthMode mode_;
    std::unique_ptr<Splitter> splitter_;
    SoleSampleReader* const sole_reader_;  // null unless nodes of one sample are read by it
    Store store_;
    Frontier frontier_;
    Constants constants_;
    Cells cells_;
    NodeSamples::Place place_;  // of the node last entered, for the general splitter
    std::vector<OpenNode> postponed_;
    std::size_t postponed_below_ = 0;
    std::size_t n_leaves_ = 1, n_splits_ = 0;
    Interactions interactions_;
    std::vector<double> class_weights_;  // of the node last entered, if a rule reads them
    CopyLimit copies_;
    std::uint64_t n_visited_ = 0;  // samples, summed over nodes
    Work work_of_subtrees_;        // by other builders
};

}  // namespace silvics
