#include "builder/build_tree.hpp"

#include <stdexcept>
#include <utility>

#include "builder/builder.hpp"
#include "builder/compact_store.hpp"
#include "builder/full_store.hpp"
#include "builder/shared_growth.hpp"
#include "sampling/feature_draw.hpp"
#include "tree/compact.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

GrowthRules rules_of_tree(GrowthRules rules, const LearningSubset& subset) {
    // Without a limit on leaves the order of growth does not change the tree.
    if (!rules.stopping.limits_leaves()) rules.growth = Growth::depth_first;
    rules.search.min_weight_leaf = rules.min_weight_fraction_leaf * subset.whole;
    return rules;
}

OpenNode root_node(const TreeState& state, std::uint32_t seed) {
    OpenNode root;
    root.end = static_cast<RowId>(state.order.size());
    root.key = root_key(seed);
    return root;
}

// Computes impurity and value of inner nodes from their samples. Their sizes are known.
void fill_inner_nodes(GrowingTree& growing, const TreeState& state, Splitter& splitter) {
    struct Range {
        NodeId id;
        std::size_t begin;
    };
    std::vector<Range> stack{{0, 0}};
    while (!stack.empty()) {
        state.stop.check();
        const auto [id, begin] = stack.back();
        stack.pop_back();
        GrowingNode& node = growing.nodes[id];
        if (node.feature < 0) continue;
        splitter.enter({begin, node.n});
        node.impurity = splitter.impurity();
        if (state.mode.values_at_inner_nodes) {
            node.value = checked_id(growing.values.size(), kMaxIds, "values per tree");
            growing.values.emplace_back();
            splitter.write_value(std::span(growing.values).last(1));
        }
        stack.push_back({node.first, begin});
        stack.push_back({node.second, begin + growing.nodes[node.first].n});
    }
}

// The rule by which trees of this growth may be compact. Values clipped to bounds do not follow
// from the leaves.
CompactionRule compaction_of(const BuildContext& context, const TreeState& state) {
    const SearchRules& search = state.rules.search;
    return search.monotonic.empty() && !search.keeps_values() ? context.criterion.compaction
                                                              : CompactionRule::none;
}

template <NodeStore Store>
StoredTree finish(const BuildContext& context, const TreeState& state, Builder<Store>& builder) {
    const std::size_t n_features = state.table.n_features();
    const CompactionRule rule = context.criterion.compaction;
    const int exponent = builder.splitter().impurity_exponent();
    const bool from_leaves = state.mode.inner_nodes_from_leaves;
    if (from_leaves)
        if (auto tree =
                builder.store().finish_from_leaves(state.target, n_features, rule, exponent))
            return *std::move(tree);
    GrowingTree growing = std::move(builder.store()).take_growing();
    if (from_leaves) fill_inner_nodes(growing, state, builder.splitter());
    Tree tree =
        finish_tree(std::move(growing), state.target, n_features, state.mode.values_at_inner_nodes);
    tree.impurity_exponent = exponent;
    return stored(std::move(tree), compaction_of(context, state));
}

template <NodeStore Store>
BuiltTree build(const BuildContext& context, TreeState& state, std::unique_ptr<Splitter> splitter,
                std::uint32_t seed, Store store) {
    Builder<Store> builder(state, std::move(splitter), std::move(store),
                           Constants(state.table.n_features()));
    builder.start(root_node(state, seed));
    if constexpr (std::same_as<Store, FullStore>) {
        if (state.mode.shared)
            grow_shared(state, builder, *context.team);
        else
            builder.grow();
    } else {
        builder.grow();
    }
    const Work work = builder.work();
    if (state.rules.detailed) {
        DetailedTree detailed = finish_detailed(
            std::move(builder.store()).take_growing(), state.target, state.table.n_features(),
            state.mode.values_at_inner_nodes, builder.splitter().impurity_exponent());
        detailed.compaction = compaction_of(context, state);
        return {{}, work, std::move(detailed)};
    }
    StoredTree tree = finish(context, state, builder);
    // Pruning comes last: a pruning path computed from the finished tree has the same numbers.
    if (state.rules.ccp_alpha > 0.0) tree = prune(tree, state.rules.ccp_alpha);
    return {std::move(tree), work, {}};
}

}  // namespace

BuiltTree build_tree(const BuildContext& context, LearningSubset subset, std::uint32_t seed) {
    if (subset.rows.empty()) throw std::invalid_argument("no row has a positive weight");
    if (context.rules.search.missing == MissingRule::both) subset.whole_weights = false;
    const bool weighted = !subset.weights.empty();
    TreeState state{.table = context.table,
                    .target = context.target,
                    .stop = context.stop,
                    .rules = rules_of_tree(context.rules, subset),
                    .subset = std::move(subset)};
    state.order.estimates = state.subset.estimates;
    state.growth_key = derive(root_key(seed), kOrderPart);
    const std::vector<FeatureId>& columns = context.rules.columns;
    state.features = draw_columns(
        columns.empty() ? FeatureDraw::first_features(context.table.n_features()) : columns,
        context.rules.columns_of_tree, seed);
    auto splitter = context.criterion.make_splitter(state.splitter_parts());
    state.mode = choose_mode(context.criterion, *splitter, context.target, state.subset,
                             state.rules, context.team != nullptr);
    // The splitter has copied the weights into the order of the samples.
    state.n_samples = state.subset.rows.size();
    state.order.rows = std::move(state.subset.rows);
    state.subset.weights = std::vector<double>();
    const std::size_t capacity = 2 * state.n_samples;  // memory is touched only as far as needed
    if (state.mode.compact) {
        const int exponent = splitter->impurity_exponent();
        return build(context, state, std::move(splitter), seed,
                     CompactStore(context.pool, capacity, context.target, exponent, weighted));
    }
    return build(context, state, std::move(splitter), seed, state.new_full_store(capacity));
}

}  // namespace silvics
