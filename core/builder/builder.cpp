#include "builder/builder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/thread_team.hpp"
#include "builder/growing_tree.hpp"
#include "sampling/feature_draw.hpp"
#include "tree/compact.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

// What all branches of a tree share while it grows.
struct TreeContext {
    const Table& table;
    const Target& target;
    LearningSubset subset;
    GrowthRules rules;
    const StopFlag& stop;
    SampleOrder order;
    std::vector<FeatureId> features;  // of the tree
    StreamKey order_of_growth = 0;
    bool per_node = false;  // whether every node keeps its value, or leaves alone
    bool derived = false;   // whether inner nodes are told from the leaves, once the tree is grown
    bool weighted = false;  // whether weights may be other than one
    PagePool* pool = nullptr;  // for the nodes
    double root_weight = 0.0;
    std::size_t n_samples = 0;

    SplitterParts parts() { return {table, target, subset, rules.search, stop, order, features}; }
};

// Grows nodes: a whole tree, or what lies below one node of it.
class SubtreeBuilder {
public:
    SubtreeBuilder(TreeContext& context, std::unique_ptr<Splitter> splitter, Constants constants,
                   Cells cells = {})
        : context_(context),
          rules_(context.rules),
          target_(context.target),
          per_node_(context.per_node),
          plain_(!context.rules.search.needs_general_splitter()),
          keeps_values_(context.rules.search.keeps_values()),
          splitter_(std::move(splitter)),
          frontier_(context.rules.growth, RandomStream(context.order_of_growth)),
          constants_(std::move(constants)),
          cells_(std::move(cells)) {
        growing_.both_children = rules_.search.missing == MissingRule::both;
    }

    // `grows_compact`: where the tree is derived, and grows in one go.
    void start(std::uint32_t seed, bool grows_compact) {
        OpenNode root;
        root.end = static_cast<RowId>(context_.order.size());
        root.key = root_key(seed);
        growing_.depth_first = rules_.growth == Growth::depth_first;
        const std::size_t most = 2 * context_.order.size();  // touched only as far as needed
        if (grows_compact)
            compact_growth_.emplace(
                PooledArray<Node>(context_.pool, most),
                CompactLeaves(target_.classification(), splitter_->impurity_exponent(),
                              context_.weighted));
        else
            growing_.nodes.reserve(most);
        add(root);
    }

    // Begins at a node that another branch put aside; it stands here as node 0.
    void start(OpenNode node) {
        node.parent = OpenNode::kNoParent;
        add(node);
    }

    // Nodes of at most `postponed_below` samples are not grown but put aside.
    void grow(std::size_t postponed_below = 0) {
        forgets_ = rules_.growth == Growth::depth_first && postponed_below == 0;
        std::size_t n_leaves = 1;
        while (!frontier_.empty() && n_leaves < rules_.stopping.max_leaf_nodes) {
            context_.stop.check();
            OpenNode& node = frontier_.next();
            if (!plain_ && node.n() == 0) {
                n_leaves += pass_empty();
            } else if (node.n() <= postponed_below) {
                make(node);
                postponed_.push_back(node);
                frontier_.drop();
            } else if (!best_first() && !open(node)) {
                frontier_.drop();
            } else {
                const std::size_t more = plain_ ? 1 : n_children(node) - 1;
                if (more > rules_.stopping.max_leaf_nodes - n_leaves) {  // stays a leaf
                    frontier_.drop();
                } else {
                    n_leaves += more;
                    split(node);
                }
            }
        }
        // What is left has been opened already, or remains to be made: leaves, all of them.
        while (!frontier_.empty()) {
            OpenNode node = frontier_.pop();
            if (node.nowhere) continue;
            if (node.n() == 0)
                make_empty(node);
            else if (!best_first())
                make_leaf(node);
        }
    }

    std::vector<OpenNode>& postponed() { return postponed_; }
    const Constants& constants() const { return constants_; }
    const Cells& cells() const { return cells_; }
    GrowingTree& growing() { return growing_; }
    GrowingTree take_growing() { return std::move(growing_); }
    Splitter& splitter() { return *splitter_; }
    Work work() const {
        Work all = below_;
        all += splitter_->work();
        all.samples += n_visited_;
        return all;
    }
    // The lean tree, if its leaves tell all there is; if not, it goes on as any other.
    std::optional<CompactTree> finish_compact(CompactionRule rule) {
        CompactGrowth grows_compact = *std::exchange(compact_growth_, std::nullopt);
        grows_compact.levels = std::move(growing_.levels);
        const bool exact = grows_compact.leaves.exact();
        if (!exact) {
            growing_ = expanded_growth(grows_compact);
            grows_compact.nodes.clear();  // the room of the next tree
        }
        grows_compact.nodes.fit(context_.pool);
        if (!exact) return std::nullopt;
        return silvics::finish_compact(std::move(grows_compact), target_,
                                       context_.table.n_features(), rule,
                                       splitter_->impurity_exponent());
    }
    bool grows_compact() const { return compact_growth_.has_value(); }
    void add_work(const Work& below) { below_ += below; }

    // Takes in what grew from one of its nodes on.
    void attach(NodeId at, GrowingTree below) {
        growing_.depth_first = false;
        const auto offset = static_cast<NodeId>(growing_.nodes.size()) - 1;
        checked_id(growing_.nodes.size() + below.nodes.size(), kMaxIds, "nodes per tree");
        const std::size_t width = target_.value_width();
        const auto row = checked_id(growing_.values.size() / width, kMaxIds, "values per tree");
        const Shift by{offset, growing_.levels.size(), growing_.records.size()};
        for (std::size_t i = 0; i < below.nodes.size(); ++i) {
            GrowingNode node = below.nodes[i];
            if (node.feature >= 0) shift(node, below.records, by);
            if ((node.value & kPureBit) == 0) node.value += row;
            if (i == 0)
                growing_.nodes[at] = node;
            else
                growing_.nodes.push_back(node);
        }
        growing_.values.insert(growing_.values.end(), below.values.begin(), below.values.end());
        growing_.levels.insert(growing_.levels.end(), below.levels.begin(), below.levels.end());
        growing_.records.insert(growing_.records.end(), below.records.begin(), below.records.end());
    }

    // What inner nodes have, found again from their samples.
    void fill_inner_nodes() {
        struct Range {
            NodeId id;
            std::size_t begin;
        };
        std::vector<Range> stack{{0, 0}};
        while (!stack.empty()) {
            context_.stop.check();
            const auto [id, begin] = stack.back();
            stack.pop_back();
            const GrowingNode at = growing_.nodes[id];
            if (at.feature < 0) continue;
            OpenNode node;
            node.id = id;
            keep_stats(node, splitter_->enter({begin, at.n}));
            stack.push_back({at.first, begin});
            stack.push_back({at.second, begin + growing_.nodes[at.first].n});
        }
    }

private:
    bool best_first() const { return rules_.growth == Growth::best_first; }

    // Best first has to know what a node's split is worth before its turn comes.
    void add(OpenNode node) {
        if (best_first() && node.n() == 0)
            make_empty(node);
        else if (!best_first() || open(node))
            frontier_.push(node);
    }

    // Of a lean tree only the node at hand is kept in this way.
    GrowingNode& made(const OpenNode& node) {
        return compact_growth_ ? at_hand_ : growing_.nodes[node.id];
    }

    void make(OpenNode& node) {
        if (compact_growth_) return make_compact(node);
        node.id = checked_id(growing_.nodes.size(), kMaxIds, "nodes per tree");
        if (node.parent != OpenNode::kNoParent) {
            GrowingNode& parent = growing_.nodes[node.parent];
            if (const auto record = plain_ ? std::nullopt : record_of(parent))
                BranchRecord::children_at(growing_.records, *record)[node.which] = node.id;
            else
                (node.which != 0 ? parent.second : parent.first) = node.id;
        }
        growing_.nodes.emplace_back();
    }

    [[gnu::always_inline]] void make_compact(OpenNode& node) {
        node.id = checked_id(compact_growth_->nodes.size(), kMaxIds, "nodes per tree");
        if (node.which != 0) compact_growth_->nodes[node.parent].link |= node.id;
        compact_growth_->nodes.push_back({});
    }

    NodeStats enter(OpenNode& node) {
        const NodeStats stats = splitter_->enter(samples_of(node));
        if (node.depth == 0) context_.root_weight = stats.weight;
        keep_size(node, stats.n, stats.weight);
        return stats;
    }

    [[gnu::always_inline]] void keep_size(OpenNode& node, std::size_t n, double weight) {
        n_visited_ += n;
        if (compact_growth_ && node.which != 0) settle(node, node.weight - weight > weight);
        node.weight = weight;
        GrowingNode& at = made(node);
        at.n = static_cast<std::uint32_t>(n);
        at.weight = weight * context_.subset.unit;
    }

    // Where the parent sends what it has not seen: to its heavier child, of which this is the
    // second. Its split still stands in the node.
    [[gnu::always_inline]] void settle(const OpenNode& node, bool heavier_left) {
        Node& parent = compact_growth_->nodes[node.parent];
        if (heavier_left && node.missing == MissingSide::unseen)
            parent.link |= Node::kMissingLeftBit;
        if (!node.rule.is_threshold())
            parent.set_rule(node.rule.levels().sending_others(heavier_left));
    }

    NodeSamples samples_of(const OpenNode& node) {
        if (!plain_) place_ = {node.depth, &cells_, node.cell};
        return {node.begin, node.n(), node.key, node.bounds, plain_ ? nullptr : &place_};
    }

    // The next node has no samples. A cell is cut without looking at its samples: one without any
    // counts as well, but there is nothing to tell its parts apart. Returns how many leaves more
    // there are.
    [[gnu::noinline]] std::size_t pass_empty() {
        OpenNode node = frontier_.take();
        if (!node.nowhere) make_empty(node);
        if (!rules_.stopping.limits_leaves() || !rules_.search.by_cells()) return 0;
        node.nowhere = true;
        frontier_.push(node);
        frontier_.push(node);
        return 1;
    }

    // A leaf without samples predicts what its parent does.
    void make_empty(OpenNode& node) {
        make(node);
        predict_as_parent(node);
    }
    [[gnu::noinline]] void predict_as_parent(const OpenNode& node) {
        growing_.nodes[node.id].value = growing_.nodes[node.parent].value;
    }

    void make_leaf(OpenNode& node) {
        make(node);
        const NodeStats stats = enter(node);
        if (stats.n == 0) return predict_as_parent(node);
        keep_stats(node, stats);
    }

    // A sample by itself; half of a full tree's nodes are.
    void make_sole(OpenNode& node) {
        make(node);
        const SoleSample sole = splitter_->enter_sole(node.begin);
        keep_size(node, 1, sole.weight);
        if (compact_growth_) {
            compact_growth_->max_depth = std::max(compact_growth_->max_depth, node.depth);
            compact_growth_->nodes[node.id] =
                per_node_ ? compact_growth_->leaves.put_mean({1, sole.weight, 0.0, sole.value})
                          : compact_growth_->leaves.put_class(1, sole.weight, sole.only_class);
            return;
        }
        if (!per_node_) {
            made(node).value = kPureBit | sole.only_class;
        } else {
            made(node).value = static_cast<std::uint32_t>(growing_.values.size());
            growing_.values.push_back(sole.value);
        }
    }

    // Of the node last entered.
    void keep_compact_leaf(const OpenNode& node) {
        const GrowingNode& at = made(node);
        compact_growth_->max_depth = std::max(compact_growth_->max_depth, node.depth);
        Node& leaf = compact_growth_->nodes[node.id];
        if (per_node_)
            leaf = compact_growth_->leaves.put_mean(
                {at.n, at.weight, at.impurity, growing_.values[0]});
        else if (at.value & kPureBit)
            leaf = compact_growth_->leaves.put_class(at.n, at.weight, at.value & ~kPureBit);
        else
            leaf = compact_growth_->leaves.put_classes(at.n, at.weight, growing_.values);
        growing_.values.clear();
    }

    // Makes the node and looks for its split; a leaf if there is none.
    bool open(OpenNode& node) {
        if (node.n() == 1 && context_.derived && rules_.stopping.min_samples_split > 1)
            return make_sole(node), false;
        make(node);
        const NodeStats stats = enter(node);
        if (!plain_ && stats.n == 0) return predict_as_parent(node), false;
        // Where they follow from the leaves, a node that is split needs neither impurity nor value.
        // The impurity is summed in row order: before a split that may be rejected moves samples.
        const bool limited = rules_.stopping.limits_leaves();
        const bool before =
            !context_.derived || limited || rules_.stopping.min_impurity_decrease > 0.0;
        if (before) keep_impurity(node);
        if (keeps_values_) keep_value(node, stats);  // samples may be copied elsewhere
        const bool found = find_split(node, stats);
        if (!found && !before) keep_impurity(node);
        if (keeps_values_) return found;
        // A node that stays open may yet end as a leaf where leaves are limited.
        if (!found || limited || (per_node_ && !context_.derived)) keep_value(node, stats);
        if (!found && compact_growth_) keep_compact_leaf(node);
        return found;
    }

    // What is not of plain trees is kept out of the way: most nodes cost next to nothing.
    [[gnu::always_inline]] bool find_split(OpenNode& node, const NodeStats& stats) {
        if (rules_.stopping.stops(stats, node.depth, rules_.search)) return false;
        constants_.load(node.constants);
        if (forgets_) constants_.forget_later();
        if (!plain_ && growing_.both_children && rules_.growth == Growth::depth_first)
            context_.order.shorten(std::max<std::size_t>(frontier_.samples_end(), node.end));
        const auto split = splitter_->find_split(samples_of(node), constants_);
        // A matrix that changes under our hands may give a split of none.
        if (!split || (!keeps_values_ && (split->n_left == 0 || split->n_left == stats.n)))
            return false;
        node.weighted_decrease = stats.weight / context_.root_weight * split->decrease;
        if (rules_.stopping.rejects(node.weighted_decrease, splitter_->impurity_exponent()))
            return false;
        node.feature = split->feature;
        node.rule = plain_ && !split->by_levels ? split_rule(*split) : kept_rule(*split);
        if (!plain_) place_children(node, *split);
        node.missing = split->missing;
        node.middle = split->middle;
        node.n_left = static_cast<RowId>(split->n_left);
        node.constants = constants_.inherit();
        return true;
    }

    // Where the samples of the children are.
    [[gnu::noinline]] void place_children(OpenNode& node, const Split& split) {
        const OtherSplit& other = *split.other;
        if (!other.copied) return;
        count_copies(split.n_left + other.n_right - node.n());
        node.begin = static_cast<RowId>(other.begin);
        node.end = checked_id(other.begin + split.n_left + other.n_right, kMaxRows,
                              "samples, those on two ways counted twice");
    }

    // Copies of a sample are copied again below: their number can double at every level.
    void count_copies(std::size_t more) {
        constexpr std::size_t kAlways = std::size_t{1} << 18, kPerSample = 32;
        n_copies_ += more;
        if (n_copies_ <= kAlways + kPerSample * context_.n_samples) return;
        throw std::invalid_argument(
            "missing=\"both\" puts samples with missing values into both children, and a tree on " +
            std::to_string(context_.n_samples) + " samples has made more than " +
            std::to_string(kAlways + kPerSample * context_.n_samples) +
            " copies: use missing=\"learned\" or \"apart\", limit the tree (max_depth, "
            "min_samples_split, max_leaf_nodes), or fill in missing values first.");
    }

    // The threshold or the coins of a split.
    static SplitRule split_rule(const Split& split) {
        return SplitRule::from_stored(split.threshold);
    }
    // The rule of a split whose levels or whose record have to be stored.
    [[gnu::noinline]] SplitRule kept_rule(const Split& split) {
        const SplitRule rule =
            split.by_levels ? keep_levels(growing_, split.left, split.right) : split_rule(split);
        if (split.other == nullptr || !split.other->branches) return rule;
        Branching branching = split.other->branching;
        if (branching.test == Branching::Test::subset) branching.subset = rule.levels();
        return keep_record(growing_, branching, split.other->sizes);
    }

    // Of a node whose split has been found.
    std::size_t n_children(const OpenNode& node) const {
        if (!node.rule.is_record()) return 2;
        return growing_.record_at(node.rule.record_offset()).n_children();
    }

    // Of the node last entered.
    void keep_stats(const OpenNode& node, const NodeStats& stats) {
        keep_impurity(node);
        keep_value(node, stats);
    }

    void keep_impurity(const OpenNode& node) { made(node).impurity = splitter_->impurity(); }

    void keep_value(const OpenNode& node, const NodeStats& stats) {
        GrowingNode& at = made(node);
        if (!per_node_ && target_.n_outputs == 1 && stats.homogeneous) {
            at.value = kPureBit | splitter_->only_class();
            return;
        }
        const std::size_t width = target_.value_width();
        at.value = checked_id(growing_.values.size() / width, kMaxIds, "values per tree");
        growing_.values.resize(growing_.values.size() + width);
        const auto value = std::span(growing_.values).last(width);
        splitter_->write_value(value);
        if (!target_.classification()) {
            if (!rules_.search.monotonic.empty())
                value[0] = std::clamp(value[0], node.bounds.lower, node.bounds.upper);
        } else if (!per_node_) {
            for (double& v : value) v *= context_.subset.unit;
        } else {  // shares; a monotonic constraint is on the second of two classes
            for (double& v : value) v /= stats.weight;
            if (rules_.search.monotonic.empty() || width != 2) return;
            value[1] = std::clamp(value[1], node.bounds.lower, node.bounds.upper);
            value[0] = 1.0 - value[1];
        }
    }

    // Makes the split found of the next node: its children take its place. Depth first, the left
    // one is next.
    void split(OpenNode& node) {
        if (compact_growth_) {
            const bool left = node.missing == MissingSide::left;
            compact_growth_->nodes[node.id] = {node.rule, static_cast<std::int32_t>(node.feature),
                                               left ? Node::kMissingLeftBit : 0};
            return part(node, frontier_.put_blank());
        }
        GrowingNode& at = made(node);
        at.feature = static_cast<std::int32_t>(node.feature);
        at.rule = node.rule;
        at.missing = node.missing;
        if (!plain_)
            if (const auto record = record_of(at)) return branch_out(frontier_.take(), *record);
        if (rules_.growth == Growth::depth_first) return part(node, frontier_.put_blank());
        OpenNode right = frontier_.take(), left;
        part(right, left);
        add(left);
        add(right);
    }

    // A node becomes its right child; and the left one.
    [[gnu::always_inline]] void part(OpenNode& node, OpenNode& left) {
        left.parent = node.parent = node.id;
        left.which = 0;
        node.which = 1;
        left.depth = ++node.depth;
        left.constants = node.constants;
        if (!plain_) {
            if (rules_.search.by_cells() && node.rule.is_threshold()) {
                const double threshold = node.rule.threshold();
                left.cell = cells_.cut(node.cell, node.feature, threshold, true);
                node.cell = cells_.cut(node.cell, node.feature, threshold, false);
            } else {
                left.cell = node.cell;
            }
        }
        left.begin = node.begin;
        left.end = node.begin += node.n_left;
        left.key = child_key(node.key, 0);
        node.key = child_key(node.key, 1);
        left.bounds = node.bounds;
        if (const int sign = rules_.search.monotonic_sign(node.feature); sign != 0) {
            (sign > 0 ? left : node).bounds.upper = node.middle;
            (sign > 0 ? node : left).bounds.lower = node.middle;
        }
    }

    // The same of a node with any number of children.
    [[gnu::noinline]] void branch_out(const OpenNode& node, std::size_t record) {
        const auto sizes = BranchRecord::children_at(growing_.records, record);
        std::vector<OpenNode> children(sizes.size());
        RowId begin = node.begin;
        for (std::uint32_t k = 0; k < children.size(); ++k) {
            OpenNode& child = children[k];
            child.parent = node.id;
            child.which = k;
            child.depth = node.depth + 1;
            child.constants = node.constants;
            child.cell = node.cell;
            child.begin = begin;
            begin += sizes[k];
            child.end = begin;
            child.key = child_key(node.key, k);
            child.bounds = node.bounds;
        }
        if (rules_.growth == Growth::depth_first) {
            for (std::size_t k = children.size(); k-- > 0;) frontier_.push(children[k]);
            return;
        }
        for (const OpenNode& child : children) add(child);
    }

    TreeContext& context_;
    const GrowthRules& rules_;
    const Target& target_;
    const bool per_node_;
    const bool plain_;         // all splits in two, of samples that are there
    const bool keeps_values_;  // of all nodes, whatever becomes of them
    std::unique_ptr<Splitter> splitter_;
    Frontier frontier_;
    Constants constants_;
    bool forgets_ = false;  // those of nodes that are grown
    Cells cells_;
    NodeSamples::Place place_;  // of the node at hand
    GrowingTree growing_;
    std::optional<CompactGrowth> compact_growth_;
    GrowingNode at_hand_;
    std::vector<OpenNode> postponed_;
    std::uint64_t n_visited_ = 0;  // samples
    Work below_;                   // what other branches did
    std::size_t n_copies_ = 0;     // of samples that went to both children
};

// Several threads on one tree. The variables of a large node are shared out by the splitter;
// what lies below smaller ones grows side by side. The order of growth plays no part in a tree
// whose leaves are not limited, so it is the same tree.
void grow_shared(TreeContext& context, SubtreeBuilder& top, ThreadTeam& team) {
    const std::size_t below =
        std::max(context.order.size() / (2 * team.size()), context.rules.search.shared_from / 4);
    top.splitter().share(&team);
    top.grow(below);
    top.splitter().share(nullptr);
    std::vector<OpenNode>& nodes = top.postponed();
    std::ranges::stable_sort(nodes, std::greater{}, [](const OpenNode& node) { return node.n(); });
    std::vector<GrowingTree> grown(nodes.size());
    std::vector<Work> work(nodes.size());
    team.run_steps(nodes.size(), [&](std::size_t i, std::size_t) {
        SubtreeBuilder subtree(context, top.splitter().another(), top.constants(), top.cells());
        subtree.start(nodes[i]);
        subtree.grow();
        grown[i] = subtree.take_growing();
        work[i] = subtree.work();
    });
    for (const Work& done : work) top.add_work(done);
    for (std::size_t i = 0; i < nodes.size(); ++i) top.attach(nodes[i].id, std::move(grown[i]));
}

// Whether leaves of a derived tree are likely to tell all there is. Where they are limited, a node
// may become one long after it was opened.
bool leaves_suffice(const TreeContext& context) {
    const StoppingRule& stopping = context.rules.stopping;
    if (stopping.limits_leaves()) return false;
    return context.target.classification() ||
           (context.rules.search.min_samples_leaf <= 1 && stopping.min_samples_split <= 2 &&
            stopping.max_depth >= kMaxRows && stopping.min_impurity_decrease == 0.0);
}

StoredTree finish(const TreeContext& context, SubtreeBuilder& subtree,
                  const CriterionEntry& criterion) {
    const std::size_t n_features = context.table.n_features();
    const int exponent = subtree.splitter().impurity_exponent();
    if (subtree.grows_compact()) {
        if (auto tree = subtree.finish_compact(criterion.compaction)) return *std::move(tree);
        subtree.fill_inner_nodes();
    } else if (context.derived) {
        if (auto tree = finish_leaves(subtree.growing(), context.target, n_features,
                                      criterion.compaction, exponent))
            return *std::move(tree);
        subtree.fill_inner_nodes();
    }
    Tree tree = finish_tree(subtree.take_growing(), context.target, n_features, context.per_node);
    tree.impurity_exponent = exponent;
    // Values clipped to bounds do not follow from the leaves. Pruning comes after: the path that
    // a finished tree tells is in the same numbers.
    const SearchRules& search = context.rules.search;
    return stored(std::move(tree), search.monotonic.empty() && !search.keeps_values()
                                       ? criterion.compaction
                                       : CompactionRule::none);
}

}  // namespace

StoredTree build_tree(const CriterionEntry& criterion, const Table& table, const Target& target,
                      LearningSubset subset, const GrowthRules& rules, std::uint32_t seed,
                      const StopFlag& stop, ThreadTeam* team, Work* work, PagePool* pool) {
    if (subset.rows.empty()) throw std::invalid_argument("no row has a positive weight");
    TreeContext context{table, target, std::move(subset), rules, stop, {}, {}};
    context.pool = pool;
    // Medians and values clipped to bounds cannot be summed up from the leaves.
    context.per_node =
        !target.classification() || !rules.search.monotonic.empty() || rules.search.keeps_values();
    if (rules.search.missing == MissingRule::both) context.subset.whole_weights = false;
    // Where leaves are not limited the order of growth plays no part.
    if (!rules.stopping.limits_leaves()) context.rules.growth = Growth::depth_first;
    // A fraction of the tree's weight becomes a weight.
    context.rules.search.min_weight_leaf = rules.min_weight_fraction_leaf * context.subset.whole;
    context.order.estimates = context.subset.estimates;
    context.order_of_growth = derive(root_key(seed), kOrderPart);
    context.features = draw_columns(table.n_features(), rules.columns_of_tree, seed);
    auto splitter = criterion.make_splitter(context.parts());
    context.derived = criterion.compaction != CompactionRule::none && splitter->sums_are_exact() &&
                      context.subset.unit == 1.0 && context.subset.whole_weights &&
                      target.n_outputs == 1 && rules.search.monotonic.empty() &&
                      !rules.search.keeps_values();
    context.n_samples = context.subset.rows.size();
    context.order.rows = std::move(context.subset.rows);
    context.weighted = !context.subset.weights.empty();
    context.subset.weights = std::vector<double>();  // the samples carry theirs from here on
    SubtreeBuilder subtree(context, std::move(splitter), Constants(table.n_features()));
    const bool shared = team != nullptr && shareable(rules);
    subtree.start(seed, context.derived && !shared && leaves_suffice(context));
    if (shared)
        grow_shared(context, subtree, *team);
    else
        subtree.grow();
    if (work != nullptr) *work += subtree.work();
    StoredTree tree = finish(context, subtree, criterion);
    if (rules.ccp_alpha > 0.0) return prune(tree, rules.ccp_alpha);
    return tree;
}

bool shareable(const GrowthRules& rules) {
    return !rules.stopping.limits_leaves() && rules.search.missing != MissingRule::both &&
           !rules.search.honest;
}

}  // namespace silvics
