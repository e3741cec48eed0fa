#include "builder/builder.hpp"

#include <algorithm>
#include <utility>

#include "builder/compact_store.hpp"

namespace silvics {

// ---- Algorithm 3.2

template <NodeStore Store>
void Builder<Store>::grow(std::size_t postponed_below) {
    postponed_below_ = postponed_below;
    const StoppingRule& stopping = rules_.stopping;
    while (!frontier_.empty() && n_leaves_ < stopping.max_leaf_nodes &&
           n_splits_ < stopping.max_splits) {
        state_.stop.check();
        OpenNode& node = frontier_.next();
        if (!fast_splitter() && node.n() == 0)
            skip_empty();
        else if (node.n() <= postponed_below)
            postpone(node);
        else if ((opens_early() || open(node)) && leaves_allow_split(node))
            split(node);
        else
            frontier_.remove_next();  // it is a leaf
    }
    close_frontier();
}

// Appends the node to the store and searches for its split. Returns false if it is a leaf.
template <NodeStore Store>
bool Builder<Store>::open(OpenNode& node) {
    if (sole_reader_ != nullptr && node.n() == 1) return add_sole_leaf(node), false;
    store_.append(node);
    const NodeStats stats = enter(node);
    if (!fast_splitter() && stats.n == 0) return inherit_value(node), false;
    if (mode_.impurity_before_search) store_.set_impurity(node, splitter_->impurity());
    if (mode_.values == ValueStorage::before_search) set_value(node, stats);
    const bool found = find_split(node, stats);
    if (!found && !mode_.impurity_before_search) store_.set_impurity(node, splitter_->impurity());
    if (found ? mode_.values == ValueStorage::all_nodes
              : mode_.values != ValueStorage::before_search)
        set_value(node, stats);
    if (!found) store_.set_leaf(node);
    return found;
}

// Searches for the split of a node and writes it into the node.
template <NodeStore Store>
[[gnu::always_inline]] inline bool Builder<Store>::find_split(OpenNode& node,
                                                              const NodeStats& stats) {
    const StoppingRule& stopping = rules_.stopping;
    if (stopping.stops(stats, node.depth, rules_.search)) return false;
    if (stopping.judges_purity() && pure_enough(stats)) return false;
    if (rules_.growth == Growth::impurity_first) node.priority = splitter_->impurity();
    constants_.load(node.constants);
    // Depth first, nodes that are finished need their lists of constants no longer.
    if (depth_first() && postponed_below_ == 0) constants_.forget_later();
    if (!fast_splitter() && depth_first() && rules_.search.missing == MissingRule::both)
        state_.order.shorten(std::max<std::size_t>(frontier_.samples_end(), node.end));
    const auto split = splitter_->find_split(samples_of(node), constants_);
    // If another thread changes X meanwhile, a child of a split may be empty.
    const bool may_be_empty = mode_.values == ValueStorage::before_search;
    if (!split || (!may_be_empty && (split->n_left == 0 || split->n_left == stats.n))) return false;
    node.weighted_decrease = stats.weight / state_.root_weight * split->decrease;
    if (stopping.rejects(node.weighted_decrease, splitter_->impurity_exponent())) return false;
    if (rules_.growth == Growth::best_first) node.priority = node.weighted_decrease;
    if (rules_.growth == Growth::size_first) node.priority = stats.weight;
    node.feature = split->feature;
    node.rule = fast_splitter() && !split->by_levels ? SplitRule::from_stored(split->threshold)
                                                     : store_.encode_rule(*split);
    if (!fast_splitter()) place_children(node, *split);
    node.missing = split->missing;
    node.middle = split->middle;
    node.n_left = static_cast<RowId>(split->n_left);
    node.constants = constants_.inherit();
    return true;
}

// Whether the impurity, or the most frequent classes, make the node last entered a leaf.
template <NodeStore Store>
bool Builder<Store>::pure_enough(const NodeStats& stats) {
    const StoppingRule& stopping = rules_.stopping;
    if (stopping.min_impurity_split > 0.0 &&
        stopping.pure_enough(splitter_->impurity(), splitter_->impurity_exponent()))
        return true;
    if (!(stopping.max_majority < 1.0) || !state_.target.classification()) return false;
    class_weights_.resize(state_.target.value_width());
    splitter_->write_value(class_weights_);
    auto first = class_weights_.begin();
    return std::ranges::all_of(state_.target.n_classes, [&](ClassId n) {
        const double most = *std::max_element(first, first + n);
        first += n;
        return most >= stopping.max_majority * stats.weight;
    });
}

// Makes the split that was found for the next node: its children replace it in the frontier.
template <NodeStore Store>
void Builder<Store>::split(OpenNode& node) {
    store_.set_split(node);
    if (!fast_splitter() && !child_sizes(node).empty()) return make_branches(frontier_.take_next());
    if (depth_first()) {
        const auto [left, right] = frontier_.split_next();
        return make_children(left, right);
    }
    OpenNode right = frontier_.take_next(), left;
    make_children(left, right);
    push(left);
    push(right);
}

// ---- children

// `right` holds the parent and becomes its right child; `left` is filled.
template <NodeStore Store>
[[gnu::always_inline]] inline void Builder<Store>::make_children(OpenNode& left, OpenNode& right) {
    left.parent = right.parent = right.id;
    left.child_index = 0;
    right.child_index = 1;
    left.depth = ++right.depth;
    left.constants = right.constants;
    if (!fast_splitter()) {
        left.interactions = right.interactions =
            interactions_.after(right.interactions, right.feature);
        if (rules_.search.by_cells() && right.rule.is_threshold()) {
            const double threshold = right.rule.threshold();
            left.cell = cells_.cut(right.cell, right.feature, threshold, true);
            right.cell = cells_.cut(right.cell, right.feature, threshold, false);
        } else {
            left.cell = right.cell;
        }
    }
    left.begin = right.begin;
    left.end = right.begin += right.n_left;
    left.key = child_key(right.key, 0);
    right.key = child_key(right.key, 1);
    left.bounds = right.bounds;
    if (const int sign = rules_.search.monotonic_sign(right.feature); sign != 0) {
        (sign > 0 ? left : right).bounds.upper = right.middle;
        (sign > 0 ? right : left).bounds.lower = right.middle;
    }
}

// Makes the children of a node that has any number of them.
template <NodeStore Store>
[[gnu::noinline]] void Builder<Store>::make_branches(const OpenNode& node) {
    std::vector<OpenNode> children;
    RowId begin = node.begin;
    for (const std::uint32_t n : child_sizes(node)) {
        OpenNode& child = children.emplace_back();
        child.parent = node.id;
        child.child_index = static_cast<std::uint32_t>(children.size() - 1);
        child.depth = node.depth + 1;
        child.constants = node.constants;
        child.cell = node.cell;
        child.interactions = interactions_.after(node.interactions, node.feature);
        child.begin = begin;
        child.end = begin += n;
        child.key = child_key(node.key, child.child_index);
        child.bounds = node.bounds;
    }
    if (depth_first()) std::ranges::reverse(children);  // the first child comes next
    for (const OpenNode& child : children) push(child);
}

// Samples with missing values may go to both children: those of the children are copies then.
template <NodeStore Store>
[[gnu::noinline]] void Builder<Store>::place_children(OpenNode& node, const Split& split) {
    const GeneralSplit& other = *split.general;
    if (!other.copied) return;
    const std::size_t n = split.n_left + other.n_right;
    copies_.add(n - node.n());
    node.begin = static_cast<RowId>(other.begin);
    node.end = checked_id(other.begin + n, kMaxRows, "samples, copies included");
}

template <NodeStore Store>
std::span<const std::uint32_t> Builder<Store>::child_sizes(const OpenNode& node) const {
    if constexpr (BranchStore<Store>) return store_.child_sizes(node);
    return {};
}

// ---- the frontier

template <NodeStore Store>
Builder<Store>::Builder(TreeState& state, std::unique_ptr<Splitter> splitter, Store store,
                        Constants constants, Cells cells)
    : state_(state),
      rules_(state.rules),
      mode_(state.mode),
      splitter_(std::move(splitter)),
      sole_reader_(mode_.sole_samples ? splitter_->sole_sample_reader() : nullptr),
      store_(std::move(store)),
      frontier_(state.rules.growth, RandomStream(state.growth_key)),
      constants_(std::move(constants)),
      cells_(std::move(cells)),
      interactions_(state.rules.search, state.table.n_features()),
      copies_(state.n_samples) {}

template <NodeStore Store>
void Builder<Store>::start(OpenNode node) {
    node.parent = OpenNode::kNoParent;
    push(node);
}

// Growth by priority needs to know the split of a node before the node's turn comes: it opens nodes
// as they enter the frontier.
template <NodeStore Store>
void Builder<Store>::push(OpenNode node) {
    if (opens_early() && node.n() == 0)
        add_empty_leaf(node);
    else if (!opens_early() || open(node))
        frontier_.push(node);
}

// Whether the limit on leaves allows the split of a node; if so, its leaves are counted.
template <NodeStore Store>
bool Builder<Store>::leaves_allow_split(const OpenNode& node) {
    const std::size_t n_branches = fast_splitter() ? 0 : child_sizes(node).size();
    const std::size_t n_more = n_branches == 0 ? 1 : n_branches - 1;
    if (n_more > rules_.stopping.max_leaf_nodes - n_leaves_) return false;
    n_leaves_ += n_more;
    ++n_splits_;
    return true;
}

// Nodes that the loop has left in the frontier are leaves. By priority, they have been opened.
template <NodeStore Store>
void Builder<Store>::close_frontier() {
    while (!frontier_.empty()) {
        OpenNode node = frontier_.pop();
        if (node.counted_only) continue;
        if (node.n() == 0)
            add_empty_leaf(node);
        else if (!opens_early())
            add_leaf(node);
    }
}

// The next node has no samples and is a leaf. Recipes that cut cells without looking at samples cut
// empty cells as well: with a limit on leaves the two halves are counted, but not stored.
template <NodeStore Store>
[[gnu::noinline]] void Builder<Store>::skip_empty() {
    OpenNode node = frontier_.take_next();
    if (!node.counted_only) add_empty_leaf(node);
    if (!rules_.stopping.limits_leaves() || !rules_.search.by_cells()) return;
    node.counted_only = true;
    frontier_.push(node);
    frontier_.push(node);
    ++n_leaves_;
    ++n_splits_;
}

template <NodeStore Store>
[[gnu::noinline]] void Builder<Store>::postpone(OpenNode& node) {
    store_.append(node);
    postponed_.push_back(node);
    frontier_.remove_next();
}

// ---- what a node stores

template <NodeStore Store>
[[gnu::always_inline]] inline NodeStats Builder<Store>::enter(OpenNode& node) {
    const NodeStats stats = splitter_->enter(samples_of(node));
    if (node.depth == 0) state_.root_weight = stats.weight;
    set_size(node, stats.n, stats.weight);
    return stats;
}

template <NodeStore Store>
[[gnu::always_inline]] inline NodeSamples Builder<Store>::samples_of(const OpenNode& node) {
    if (!fast_splitter())
        place_ = {node.depth, &cells_, node.cell, interactions_.allowed(node.interactions)};
    return {node.begin, node.n(), node.key, node.bounds, fast_splitter() ? nullptr : &place_};
}

template <NodeStore Store>
[[gnu::always_inline]] inline void Builder<Store>::set_size(OpenNode& node, std::size_t n,
                                                            double weight) {
    n_visited_ += n;
    store_.set_size(node, n, weight * state_.subset.unit);
    node.weight = weight;
}

template <NodeStore Store>
void Builder<Store>::set_value(const OpenNode& node, const NodeStats& stats) {
    const Target& target = state_.target;
    if (!mode_.values_at_inner_nodes && target.n_outputs == 1 && stats.homogeneous)
        return store_.set_pure_class(node, splitter_->only_class());
    const std::span<double> value = store_.add_value(node);
    splitter_->write_value(value);
    const bool clips = !rules_.search.monotonic.empty();
    const auto clipped = [&](double x) {
        return std::clamp(x, node.bounds.lower, node.bounds.upper);
    };
    if (!target.classification()) {
        if (clips) value[0] = clipped(value[0]);
    } else if (!mode_.values_at_inner_nodes) {
        for (double& v : value) v *= state_.subset.unit;
    } else {  // class shares; a monotonic constraint holds for the second of two classes
        for (double& v : value) v /= stats.weight;
        if (!clips || value.size() != 2) return;
        value[1] = clipped(value[1]);
        value[0] = 1.0 - value[1];
    }
}

template <NodeStore Store>
void Builder<Store>::add_leaf(OpenNode& node) {
    store_.append(node);
    const NodeStats stats = enter(node);
    if (stats.n == 0) return inherit_value(node);
    store_.set_impurity(node, splitter_->impurity());
    set_value(node, stats);
    store_.set_leaf(node);
}

// In a fully grown tree half of the nodes are leaves of one sample.
template <NodeStore Store>
[[gnu::always_inline]] inline void Builder<Store>::add_sole_leaf(OpenNode& node) {
    store_.append(node);
    const SoleSample sole = sole_reader_->enter_sole(node.begin);
    set_size(node, 1, sole.weight);
    store_.set_sole_leaf(node, sole);
}

template <NodeStore Store>
void Builder<Store>::add_empty_leaf(OpenNode& node) {
    store_.append(node);
    inherit_value(node);
}

template <NodeStore Store>
void Builder<Store>::inherit_value(const OpenNode& node) {
    if constexpr (BranchStore<Store>) store_.inherit_value(node);
}

template <NodeStore Store>
Work Builder<Store>::work() const {
    Work all = work_of_subtrees_;
    all += splitter_->work();
    all.samples += n_visited_;
    return all;
}

FullStore TreeState::new_full_store(std::size_t capacity) const {
    GrowingTree growing;
    growing.nodes.reserve(capacity);
    growing.both_children = rules.search.missing == MissingRule::both;
    growing.depth_first = rules.growth == Growth::depth_first;
    return {std::move(growing), target.value_width(), mode.values_at_inner_nodes};
}

template class Builder<FullStore>;
template class Builder<CompactStore>;

}  // namespace silvics
