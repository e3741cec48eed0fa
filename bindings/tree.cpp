// A stored tree: its shape, its splits, and the trees and numbers that are derived from it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "bind_tree.hpp"
#include "importance/impurity_decrease.hpp"
#include "tree/compact.hpp"
#include "tree/doubled.hpp"
#include "tree/on_combinations.hpp"
#include "tree/prune.hpp"
#include "tree/relabel.hpp"

namespace silvics::bindings {
namespace {

const Node& node_at(const TreeBase& tree, std::size_t node) {
    if (node >= tree.nodes.size()) throw nb::index_error("no such node");
    return tree.nodes[node];
}

// The rule of levels of a category node with two children, or with a third for missing values.
std::optional<LevelRule> levels_of(const TreeBase& tree, std::size_t number) {
    const Node& node = node_at(tree, number);
    if (node.leaf() || node.rule().is_threshold()) return std::nullopt;
    if (!tree.has_record(node)) return node.rule().levels();
    const BranchRecord record = tree.record(node);
    if (record.test() != Branching::Test::subset) return std::nullopt;
    return record.subset();
}

bool is_binary(const StoredTree& tree) {
    for (const Node& node : tree->nodes)
        if (!node.leaf() && tree->has_record(node) && tree->record(node).n_children() != 2)
            return false;
    return true;
}

auto children(const StoredTree& tree, std::size_t number) {
    std::vector<std::int64_t> children;
    if (!node_at(tree, number).leaf())
        tree->for_children(static_cast<NodeId>(number),
                           [&](NodeId child) { children.push_back(child); });
    const std::size_t n = children.size();
    return to_numpy(std::move(children), n);
}

nb::object record_as_dict(const StoredTree& tree, std::size_t number) {
    const Node& node = node_at(tree, number);
    if (node.leaf() || !tree->has_record(node)) return nb::none();
    const BranchRecord record = tree->record(node);
    const char* const names[] = {"thresholds", "levels", "subset"};
    nb::list cuts, terms;
    for (std::uint32_t i = 0; i < record.n_cuts(); ++i) {
        if (record.test() == Branching::Test::levels)
            cuts.append(record.levels()[i]);
        else if (record.test() == Branching::Test::subset)
            cuts.append(record.subset().in_place());
        else
            cuts.append(record.threshold(i));
    }
    for (std::uint32_t i = 0; i < record.n_terms(); ++i)
        terms.append(nb::make_tuple(record.term(i).feature, record.term(i).coefficient));
    nb::dict described;
    described["test"] = names[static_cast<std::size_t>(record.test())];
    described["cuts"] = cuts;
    described["terms"] = terms;
    described["missing_child"] = record.missing_child();
    described["other_child"] = record.other_child();
    return described;
}

// A term of a combination: its variable, its coefficient, and its share of the importance.
using TermTuple = std::tuple<FeatureId, double, double>;

auto tree_on_combinations(const StoredTree& tree,
                          const std::vector<std::vector<TermTuple>>& combinations,
                          std::size_t n_features) {
    std::vector<std::vector<Term>> terms;
    for (const auto& combination : combinations) {
        terms.emplace_back();
        for (const auto& [feature, coefficient, share] : combination)
            terms.back().push_back({feature, coefficient, static_cast<float>(share)});
    }
    return std::make_shared<StoredTree>(on_combinations(tree, terms, n_features));
}

auto relabelled_tree(const std::shared_ptr<StoredTree>& tree, std::vector<ClassId> n_classes,
                     std::vector<std::vector<ClassId>> classes,
                     const std::vector<Vector<std::int32_t>>& levels) {
    Relabelling numbers{std::move(n_classes), std::move(classes), {}};
    for (const auto& variable : levels) numbers.levels.push_back(span_of(variable));
    return relabels(numbers, *tree) ? std::make_shared<StoredTree>(relabelled(*tree, numbers))
                                    : tree;
}

auto end_cuts(const StoredTree& stored, double share) {
    const Tree tree = expand(stored);
    std::size_t n_splits = 0, n_end_cuts = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        // A node of at most 1 / share samples cannot have so small a side.
        if (tree.nodes[t].leaf() || share * static_cast<double>(tree.n_node_samples[t]) <= 1.0)
            continue;
        double smallest = tree.weighted_n_node_samples[t];
        tree.for_children(t, [&](NodeId child) {
            smallest = std::min(smallest, tree.weighted_n_node_samples[child]);
        });
        ++n_splits;
        n_end_cuts += smallest < share * tree.weighted_n_node_samples[t];
    }
    return std::make_tuple(n_splits, n_end_cuts);
}

auto left_levels(const StoredTree& tree, std::size_t number, std::size_t n_levels) {
    std::vector<std::int64_t> levels;
    if (const auto rule = levels_of(tree, number))
        for (Level level = 0; level < n_levels; ++level)
            if (rule->goes_left(level, tree->level_sets)) levels.push_back(level);
    const std::size_t n = levels.size();
    return to_numpy(std::move(levels), n);
}

bool others_left(const StoredTree& tree, std::size_t number) {
    const auto rule = levels_of(tree, number);
    return rule && rule->others_left();
}

void bind_shape(nb::class_<StoredTree>& tree) {
    tree.def_prop_ro("n_features", [](const StoredTree& t) { return t->n_features; })
        .def_prop_ro("n_outputs", [](const StoredTree& t) { return t->n_outputs; })
        .def_prop_ro(
            "n_classes", [](const StoredTree& t) { return t->n_classes; },
            "Number of classes of each output; empty for regression.")
        .def_prop_ro("value_width", [](const StoredTree& t) { return t->value_width(); })
        .def_prop_ro("max_depth", [](const StoredTree& t) { return t->max_depth; })
        .def_prop_ro("node_count", [](const StoredTree& t) { return t->nodes.size(); })
        .def_prop_ro("n_leaves", [](const StoredTree& t) { return t->n_leaves(); })
        .def_prop_ro("memory_bytes", &StoredTree::memory_bytes)
        .def_prop_ro("is_binary", &is_binary, "Whether every inner node has two children.")
        .def_prop_ro("both_children", [](const StoredTree& t) { return t->both_children; });
}

void bind_methods(nb::class_<StoredTree>& tree) {
    tree.def("children", &children, nb::arg("node"), "The children of a node, in their order.")
        .def("record", &record_as_dict, nb::arg("node"),
             nb::sig("def record(self, node: int) -> dict[str, typing.Any] | None"),
             "The branch record of a node as a dict, or None if the node is a plain binary split.")
        .def("on_combinations", &tree_on_combinations, nb::arg("combinations"),
             nb::arg("n_features"),
             "A tree that was grown on these combinations of variables, as a tree with oblique "
             "splits on the variables.")
        .def("relabelled", &relabelled_tree, nb::arg("n_classes"), nb::arg("classes"),
             nb::arg("levels"),
             "The tree with new numbers for classes and levels; the same object if no number "
             "changes.")
        .def(
            "doubled",
            [](const StoredTree& t, int impurity_degree) {
                return std::make_shared<StoredTree>(doubled(t, impurity_degree));
            },
            nb::arg("impurity_degree"),
            "The regression tree of outputs that are twice as large. Impurities have the unit of "
            "outputs to this power.")
        .def("end_cuts", &end_cuts, nb::arg("share"),
             "The number of splits of nodes that are large enough for an end cut, and how many of "
             "them have a side with less than this share of the weight.")
        .def(
            "pruned_by_errors",
            [](const StoredTree& t, Vector<double> errors, double slack) {
                return std::make_shared<StoredTree>(prune_by_errors(t, span_of(errors), slack));
            },
            nb::arg("errors"), nb::arg("slack"))
        .def("left_levels", &left_levels, nb::arg("node"), nb::arg("n_levels"),
             "The levels below `n_levels` that go left at a category node.")
        .def("others_left", &others_left, nb::arg("node"),
             "Whether unseen levels go left at a category node.")
        .def(
            "impurity_decrease",
            [](const StoredTree& t, bool normalize, std::size_t min_samples) {
                return to_numpy(impurity_decrease(t, normalize, min_samples), t->n_features);
            },
            nb::arg("normalize"), nb::arg("min_samples") = 0)
        .def("pruning_path", [](const StoredTree& t) {
            PruningPath path = pruning_path(t);
            const std::size_t n = path.alphas.size();
            return std::make_tuple(to_numpy(std::move(path.alphas), n),
                                   to_numpy(std::move(path.impurities), n));
        });
}

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<StoredTree> tree(m, "Tree", "A grown tree, immutable.");
    bind_shape(tree);
    bind_methods(tree);
    bind_tree_arrays(tree);
    bind_tree_state(tree);
}

}  // namespace silvics::bindings
