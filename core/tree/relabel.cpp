#include "tree/relabel.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "tree/check_tree.hpp"
#include "tree/goes_left.hpp"

namespace silvics {
namespace {

void require(bool holds, const char* what) {
    if (!holds)
        throw std::invalid_argument(std::string("trees are not given new numbers: ") + what);
}

// ---- classes

// The new column of each class, in rows of the class weights of all outputs.
std::vector<std::size_t> places_of_classes(const TreeBase& tree, const Relabelling& by) {
    require(
        by.n_classes.size() == tree.n_classes.size() && by.classes.size() == tree.n_classes.size(),
        "number of outputs");
    std::vector<std::size_t> places;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < by.classes.size(); ++k) {
        const auto& numbers = by.classes[k];
        require(numbers.size() == tree.n_classes[k], "one number for each class");
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            // In order, so that the first of equal shares stays the first.
            require(numbers[c] < by.n_classes[k] && (c == 0 || numbers[c - 1] < numbers[c]),
                    "classes in order");
            places.push_back(begin + numbers[c]);
        }
        begin += by.n_classes[k];
    }
    return places;
}

template <class T>
void spread(std::vector<T>& rows, const std::vector<std::size_t>& places, std::size_t width) {
    std::vector<T> wide(rows.size() / places.size() * width, T{0});
    for (std::size_t i = 0; i < rows.size(); ++i)
        wide[i / places.size() * width + places[i % places.size()]] = rows[i];
    rows = std::move(wide);
}

void widen_arrays(const std::vector<std::size_t>& places, std::size_t width, Tree& tree) {
    spread(tree.leaf_weights, places, width);
    spread(tree.node_values, places, width);
}

void widen_arrays(const std::vector<std::size_t>& places, std::size_t width, CompactTree& tree) {
    spread(tree.leaf_weights, places, width);
    spread(tree.whole_weights.narrow, places, width);
    spread(tree.whole_weights.wide, places, width);
}

template <class Form>
void widen_classes(const std::vector<std::size_t>& places, const Relabelling& by, Form& tree) {
    for (Node& node : tree.nodes)
        if (node.leaf() && tree.pure(node))
            node.link = kPureBit | static_cast<ClassId>(places[node.pure_class()]);
    tree.n_classes = by.n_classes;
    widen_arrays(places, tree.value_width(), tree);
}

// ---- levels

bool tests_levels(const TreeBase& tree, const Node& node) {
    if (node.leaf()) return false;
    return tree.has_record(node) ? tree.record(node).test() != Branching::Test::thresholds
                                 : node.rule().is_levels();
}

bool renumbers(const Relabelling& by, const TreeBase& tree, const Node& node) {
    return tests_levels(tree, node) && !by.levels[static_cast<std::size_t>(node.feature)].empty();
}

std::uint32_t child_of(const TreeBase& tree, const Node& node, std::int32_t level) {
    const auto x = static_cast<double>(level);
    if (tree.has_record(node)) return tree.record(node).child_of(x, tree.level_sets);
    return level_goes_left(node.rule().levels(), node.missing_left(), x, tree.level_sets) ? 0 : 1;
}

// Rewrites the category rules of a tree for the new numbers of levels, node by node.
class LevelChange {
public:
    LevelChange(const TreeBase& tree, const Relabelling& by, TreeBase& made)
        : tree_(tree), by_(by), made_(made), reaching_(tree.n_features), numbers_(tree.n_features) {
        made_.level_sets.clear();
        made_.branches.clear();
        for (std::size_t f = 0; f < tree.n_features; ++f) {
            const auto of_new = by.levels[f];
            for (std::size_t level = 0; level < of_new.size(); ++level) {
                if (of_new[level] < 0) continue;
                const auto old = static_cast<std::size_t>(of_new[level]);
                if (numbers_[f].size() <= old) numbers_[f].resize(old + 1, kNone);
                numbers_[f][old] = static_cast<Level>(level);
            }
        }
    }

    void write() {
        const std::vector<NodeId> ends = tree_.subtree_ends();
        for (NodeId t = 0; t < tree_.nodes.size(); ++t) {
            const Node& node = tree_.nodes[t];
            if (node.leaf() || node.rule().is_threshold()) continue;
            made_.nodes[t].set_rule(renumbers(by_, tree_, node) ? renumbered(t, ends[t])
                                                                : copied(node));
        }
    }

private:
    using Levels = std::vector<Level>;

    // The levels that reach the nodes up to `end`: few levels of a large set reach deep nodes.
    struct Reaching {
        NodeId end;
        Levels levels;
    };

    SplitRule copied(const Node& node) {
        if (!tree_.has_record(node)) return copied(node.rule().levels());
        const BranchRecord record = tree_.record(node);
        const std::size_t at = BranchRecord::append_without_missing(record, made_.branches);
        if (record.test() == Branching::Test::subset)
            BranchRecord::set_subset(made_.branches, at, copied(record.subset()));
        if (record.some_missing())
            BranchRecord::append_missing(at, copied(record.missing_levels()), made_.branches);
        return SplitRule::record(at);
    }
    LevelRule copied(LevelRule levels) { return levels.copied(tree_.level_sets, made_.level_sets); }

    SplitRule renumbered(NodeId t, NodeId end) {
        const Node& node = tree_.nodes[t];
        const std::vector<Levels> to = parted(t, end);
        if (!tree_.has_record(node)) {
            require(!tree_.both_children || !has_missing(node.feature), "a level in both children");
            return rule(to, node.rule().levels().others_left());
        }
        const BranchRecord record = tree_.record(node);
        const std::size_t at = BranchRecord::append_without_missing(record, made_.branches);
        Levels missing = to[record.missing_child()];
        bool by_test = false;  // whether the test itself sends them there
        if (record.test() == Branching::Test::subset) {
            BranchRecord::set_subset(made_.branches, at, rule(to, record.subset().others_left()));
            by_test = record.missing_child() < 2;
        } else {
            const auto levels = BranchRecord::levels_at(made_.branches, at);
            for (Level& level : levels) level = number(node.feature, level);
            if (record.missing_child() < levels.size())
                std::erase(missing, levels[record.missing_child()]);
            by_test = record.missing_child() == record.other_child();
        }
        if (!by_test && !missing.empty())
            BranchRecord::append_missing(at, LevelRule::of(missing, {}, false, made_.level_sets),
                                         made_.branches);
        return SplitRule::record(at);
    }

    // The levels that reach a node, grouped by the child that they go to.
    std::vector<Levels> parted(NodeId t, NodeId end) {
        const Node& node = tree_.nodes[t];
        const auto of_new = by_.levels[static_cast<std::size_t>(node.feature)];
        auto& reaching = reaching_[static_cast<std::size_t>(node.feature)];
        while (!reaching.empty() && reaching.back().end <= t) reaching.pop_back();
        if (reaching.empty()) {
            Levels all(of_new.size());
            std::iota(all.begin(), all.end(), Level{0});
            reaching.push_back({static_cast<NodeId>(tree_.nodes.size()), std::move(all)});
        }
        std::vector<NodeId> ends;  // of the children's subtrees
        tree_.for_children(t, [&](NodeId child) { ends.push_back(child); });
        ends.erase(ends.begin());
        ends.push_back(end);
        std::vector<Levels> to(ends.size());
        for (const Level level : reaching.back().levels)
            to[child_of(tree_, node, of_new[level])].push_back(level);
        for (std::size_t k = ends.size(); k-- > 0;) reaching.push_back({ends[k], to[k]});
        return to;
    }

    LevelRule rule(const std::vector<Levels>& to, bool others_left) {
        return LevelRule::of(to[0], to[1], others_left, made_.level_sets);
    }

    Level number(std::int32_t feature, Level old) const {
        const Levels& numbers = numbers_[static_cast<std::size_t>(feature)];
        require(old < numbers.size() && numbers[old] != kNone, "a level without one");
        return numbers[old];
    }

    bool has_missing(std::int32_t feature) const {
        return std::ranges::count(by_.levels[static_cast<std::size_t>(feature)],
                                  Relabelling::kMissing) > 0;
    }

    static constexpr Level kNone = ~Level{0};

    const TreeBase& tree_;
    const Relabelling& by_;
    TreeBase& made_;
    std::vector<std::vector<Reaching>> reaching_;  // per variable, the innermost last
    std::vector<Levels> numbers_;                  // per variable, the new number of each old level
};

bool any_renumbered(const Relabelling& by, const TreeBase& tree) {
    require(by.levels.size() == tree.n_features, "number of variables");
    return std::ranges::any_of(tree.nodes,
                               [&](const Node& node) { return renumbers(by, tree, node); });
}

}  // namespace

bool relabels(const Relabelling& by, const TreeBase& tree) {
    return by.n_classes != tree.n_classes || any_renumbered(by, tree);
}

StoredTree relabelled(const StoredTree& tree, const Relabelling& by) {
    const auto places = places_of_classes(tree, by);
    return tree.visit([&](auto made) -> StoredTree {
        if (by.n_classes != tree->n_classes) widen_classes(places, by, made);
        if (any_renumbered(by, tree)) LevelChange(tree, by, made).write();
        check_tree(made);
        return made;
    });
}

}  // namespace silvics
