// A grown tree: its shape, its splits, and what can be made of it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "bind_tree.hpp"
#include "importance/impurity_decrease.hpp"
#include "tree/compact.hpp"
#include "tree/on_combinations.hpp"
#include "tree/prune.hpp"
#include "tree/relabel.hpp"

namespace silvics::bindings {
namespace {

// The rule of levels of a category node with two children, or with a third for missing values.
std::optional<LevelRule> levels_of(const TreeBase& tree, std::size_t node) {
    if (node >= tree.nodes.size()) throw nb::index_error("no such node");
    const Node& at = tree.nodes[node];
    if (at.leaf() || at.rule().is_threshold()) return std::nullopt;
    if (!tree.has_record(at)) return at.rule().levels();
    const BranchRecord record = tree.record(at);
    if (record.test() != Branching::Test::subset) return std::nullopt;
    return record.subset();
}

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<StoredTree> tree(m, "Tree", "A grown tree, immutable.");
    tree.def_prop_ro("n_features", [](const StoredTree& t) { return t->n_features; })
        .def_prop_ro("n_outputs", [](const StoredTree& t) { return t->n_outputs; })
        .def_prop_ro(
            "n_classes", [](const StoredTree& t) { return t->n_classes; },
            "Classes of each output; empty for regression.")
        .def_prop_ro("value_width", [](const StoredTree& t) { return t->value_width(); })
        .def_prop_ro("max_depth", [](const StoredTree& t) { return t->max_depth; })
        .def_prop_ro("node_count", [](const StoredTree& t) { return t->nodes.size(); })
        .def_prop_ro("n_leaves", [](const StoredTree& t) { return t->n_leaves(); })
        .def_prop_ro("memory_bytes", &StoredTree::memory_bytes)
        .def_prop_ro(
            "is_binary",
            [](const StoredTree& t) {
                for (const Node& node : t->nodes)
                    if (!node.leaf() && t->has_record(node) && t->record(node).n_children() != 2)
                        return false;
                return true;
            },
            "Whether every inner node has two children.")
        .def_prop_ro("both_children", [](const StoredTree& t) { return t->both_children; })
        .def(
            "children",
            [](const StoredTree& t, std::size_t node) {
                if (node >= t->nodes.size()) throw nb::index_error("no such node");
                std::vector<std::int64_t> children;
                if (!t->nodes[node].leaf())
                    t->for_children(static_cast<NodeId>(node),
                                    [&](NodeId child) { children.push_back(child); });
                const std::size_t n = children.size();
                return to_numpy(std::move(children), n);
            },
            nb::arg("node"), "The children of a node, in their order.")
        .def(
            "record",
            [](const StoredTree& t, std::size_t node) -> nb::object {
                if (node >= t->nodes.size()) throw nb::index_error("no such node");
                const Node& at = t->nodes[node];
                if (at.leaf() || !t->has_record(at)) return nb::none();
                const BranchRecord record = t->record(at);
                nb::dict described;
                const bool levels = record.test() == Branching::Test::levels;
                const char* const names[] = {"thresholds", "levels", "subset"};
                described["test"] = names[static_cast<std::size_t>(record.test())];
                nb::list cuts, terms;
                for (std::uint32_t i = 0; i < record.n_cuts(); ++i) {
                    if (levels)
                        cuts.append(record.levels()[i]);
                    else if (record.test() == Branching::Test::subset)
                        cuts.append(record.subset().in_place());
                    else
                        cuts.append(record.threshold(i));
                }
                for (std::uint32_t i = 0; i < record.n_terms(); ++i)
                    terms.append(
                        nb::make_tuple(record.term(i).feature, record.term(i).coefficient));
                described["cuts"] = cuts;
                described["terms"] = terms;
                described["missing_child"] = record.missing_child();
                described["other_child"] = record.other_child();
                return described;
            },
            nb::arg("node"), nb::sig("def record(self, node: int) -> dict[str, typing.Any] | None"),
            "What a node keeps that is not a plain split in two; or None.")
        .def(
            "on_combinations",
            [](const StoredTree& t,
               const std::vector<std::vector<std::tuple<FeatureId, double, double>>>& combinations,
               std::size_t n_features) {
                std::vector<std::vector<Term>> terms;
                for (const auto& combination : combinations) {
                    terms.emplace_back();
                    for (const auto& [f, a, share] : combination)
                        terms.back().push_back({f, a, static_cast<float>(share)});
                }
                return std::make_shared<StoredTree>(on_combinations(t, terms, n_features));
            },
            nb::arg("combinations"), nb::arg("n_features"),
            "The tree of these combinations of variables as one of the variables themselves.")
        .def(
            "relabelled",
            [](const std::shared_ptr<StoredTree>& t, std::vector<ClassId> n_classes,
               std::vector<std::vector<ClassId>> classes,
               const std::vector<Vector<std::int32_t>>& levels) {
                Relabelling by{std::move(n_classes), std::move(classes), {}};
                for (const auto& of_variable : levels) by.levels.push_back(span_of(of_variable));
                return relabels(by, *t) ? std::make_shared<StoredTree>(relabelled(*t, by)) : t;
            },
            nb::arg("n_classes"), nb::arg("classes"), nb::arg("levels"),
            "The same tree in new numbers of classes and levels; itself where nothing changes.")
        .def(
            "end_cuts",
            [](const StoredTree& t, double share) {
                const Tree all = expand(t);
                std::size_t splits = 0, ends = 0;
                for (NodeId i = 0; i < all.nodes.size(); ++i) {
                    // A node of 1 / share samples or fewer has no side that small.
                    if (all.nodes[i].leaf() ||
                        share * static_cast<double>(all.n_node_samples[i]) <= 1.0)
                        continue;
                    double least = all.weighted_n_node_samples[i];
                    all.for_children(i, [&](NodeId child) {
                        least = std::min(least, all.weighted_n_node_samples[child]);
                    });
                    ++splits;
                    ends += least < share * all.weighted_n_node_samples[i];
                }
                return std::make_tuple(splits, ends);
            },
            nb::arg("share"),
            "Splits of nodes that are large enough for an end cut, and how many have a side with "
            "less than this share of the weight.")
        .def(
            "pruned_by_errors",
            [](const StoredTree& t, Vector<double> errors, double slack) {
                return std::make_shared<StoredTree>(prune_by_errors(t, span_of(errors), slack));
            },
            nb::arg("errors"), nb::arg("slack"))
        .def(
            "left_levels",
            [](const StoredTree& t, std::size_t node, std::size_t n_levels) {
                std::vector<std::int64_t> levels;
                if (const auto rule = levels_of(t, node))
                    for (Level level = 0; level < n_levels; ++level)
                        if (rule->goes_left(level, t->level_sets)) levels.push_back(level);
                const std::size_t n = levels.size();
                return to_numpy(std::move(levels), n);
            },
            nb::arg("node"), nb::arg("n_levels"),
            "Which of so many levels go left at a category node.")
        .def(
            "others_left",
            [](const StoredTree& t, std::size_t node) {
                const auto rule = levels_of(t, node);
                return rule && rule->others_left();
            },
            nb::arg("node"), "Whether levels that no tree has seen go left at a category node.")
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
    bind_tree_arrays(tree);
    bind_tree_state(tree);
}

}  // namespace silvics::bindings
