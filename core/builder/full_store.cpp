#include "builder/full_store.hpp"

namespace silvics {

SplitRule FullStore::encode_rule(const Split& split) {
    const SplitRule rule = split.by_levels ? keep_levels(growing_.levels, split.left, split.right)
                                           : SplitRule::from_stored(split.threshold);
    if (split.general == nullptr || !split.general->branches) return rule;
    Branching branching = split.general->branching;
    if (branching.test == Branching::Test::subset) branching.subset = rule.levels();
    return keep_record(growing_, branching, split.general->sizes);
}

std::span<const std::uint32_t> FullStore::child_sizes(const OpenNode& node) const {
    const auto record = record_of(node.rule);
    if (!record) return {};
    return growing_.record_at(*record).children();
}

void FullStore::attach(NodeId at, GrowingTree subtree) {
    growing_.depth_first = false;
    const auto offset = static_cast<NodeId>(growing_.nodes.size()) - 1;
    checked_id(growing_.nodes.size() + subtree.nodes.size(), kMaxIds, "nodes per tree");
    const auto row = checked_id(growing_.values.size() / width_, kMaxIds, "values per tree");
    const Shift by{offset, growing_.levels.size(), growing_.records.size()};
    for (std::size_t i = 0; i < subtree.nodes.size(); ++i) {
        GrowingNode node = subtree.nodes[i];
        if (node.feature >= 0) shift(node, subtree.records, by);
        if ((node.value & kPureBit) == 0) node.value += row;
        if (i == 0)
            growing_.nodes[at] = node;
        else
            growing_.nodes.push_back(node);
    }
    growing_.values.insert(growing_.values.end(), subtree.values.begin(), subtree.values.end());
    growing_.levels.insert(growing_.levels.end(), subtree.levels.begin(), subtree.levels.end());
    growing_.records.insert(growing_.records.end(), subtree.records.begin(), subtree.records.end());
}

}  // namespace silvics
