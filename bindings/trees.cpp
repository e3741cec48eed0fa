// Trees as Python sees them: read-only arrays under scikit-learn's names.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "builder/growing_tree.hpp"
#include "forest/forest.hpp"
#include "importance/impurity_decrease.hpp"
#include "tree/compact.hpp"
#include "tree/level_rule.hpp"
#include "tree/prune.hpp"
#include "tree/relabel.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

template <class T, class From, class Of>
auto node_array(const Tree& tree, const From& from, Of&& of) {
    std::vector<T> values(from.size());
    for (std::size_t t = 0; t < from.size(); ++t) values[t] = static_cast<T>(of(t));
    return to_numpy(std::move(values), tree.nodes.size());
}

// The tree's own memory, named after what is stored: for digest and pickle.
nb::dict stored_arrays(const Tree& tree) {
    nb::dict state;
    std::vector<double> threshold(tree.nodes.size());
    std::vector<std::int32_t> feature(tree.nodes.size());
    std::vector<std::uint32_t> link(tree.nodes.size());
    for (std::size_t t = 0; t < tree.nodes.size(); ++t) {
        threshold[t] = tree.nodes[t].threshold;
        feature[t] = tree.nodes[t].feature;
        link[t] = tree.nodes[t].link;
    }
    const auto put = [&](const char* name, auto values) {
        const std::size_t n = values.size();
        state[name] = to_numpy(std::move(values), n);
    };
    put("shape", std::vector<std::uint64_t>{tree.n_features, tree.n_outputs, tree.max_depth});
    put("n_classes", tree.n_classes);
    put("threshold", std::move(threshold));
    put("feature", std::move(feature));
    put("link", std::move(link));
    put("n_node_samples", tree.n_node_samples);
    put("weighted_n_node_samples", tree.weighted_n_node_samples);
    put("impurity", tree.impurity);
    put("impurity_exponent", std::vector<std::int32_t>{tree.impurity_exponent});
    put("level_sets", tree.level_sets);
    if (!tree.branches.empty()) put("branches", tree.branches);
    if (tree.both_ways) put("both_ways", std::vector<std::uint8_t>{1});
    put("leaf_weights", tree.leaf_weights);
    put("node_values", tree.node_values);
    if (tree.compact()) {
        put("derivation", std::vector<std::uint8_t>{static_cast<std::uint8_t>(tree.derivation)});
        put("narrow_weights", tree.whole_weights.narrow);
        put("whole_weights", tree.whole_weights.wide);
    }
    return state;
}

// The rule of levels of a category node, or none: of two children, or of three.
std::optional<LevelRule> rule_of(const Tree& tree, std::size_t node) {
    if (node >= tree.nodes.size()) throw nb::index_error("no such node");
    const Node& at = tree.nodes[node];
    if (at.leaf() || !at.category()) return std::nullopt;
    if (!tree.has_record(at)) return LevelRule(at.threshold);
    const BranchRecord record = tree.record(at);
    if (record.test() != Branching::Test::subset) return std::nullopt;
    return LevelRule(record.threshold(0));
}

// For pickle: the bytes of each array, since an array tells more about itself than a small tree
// has to say.
nb::dict state_of(const Tree& tree) {
    nb::dict state;
    for (const auto [name, array] : stored_arrays(tree)) state[name] = array.attr("tobytes")();
    return state;
}

template <class T>
std::vector<T> taken(const nb::dict& state, const char* name) {
    if (!state.contains(name))
        throw std::invalid_argument(std::string("not a valid tree: no ") + name);
    if (nb::bytes bytes; nb::try_cast(state[name], bytes)) {
        std::vector<T> values(bytes.size() / sizeof(T));
        if (bytes.size() != values.size() * sizeof(T))
            throw std::invalid_argument(std::string("not a valid tree: ") + name + " is cut off");
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    Vector<T> array;
    if (!nb::try_cast(state[name], array))
        throw std::invalid_argument(std::string("not a valid tree: ") + name +
                                    " is not a vector of the right type");
    return {array.data(), array.data() + array.size()};
}

std::shared_ptr<Tree> from_stored_arrays(const nb::dict& state) {
    auto tree = std::make_shared<Tree>();
    const auto shape = taken<std::uint64_t>(state, "shape");
    if (shape.size() != 3) throw std::invalid_argument("not a valid tree: shape");
    tree->n_features = shape[0];
    tree->n_outputs = shape[1];
    tree->max_depth = checked_id(shape[2], kMaxIds, "levels");
    tree->n_classes = taken<std::uint32_t>(state, "n_classes");
    const auto threshold = taken<double>(state, "threshold");
    const auto feature = taken<std::int32_t>(state, "feature");
    const auto link = taken<std::uint32_t>(state, "link");
    if (feature.size() != threshold.size() || link.size() != threshold.size())
        throw std::invalid_argument("not a valid tree: length of an array");
    tree->nodes.resize(threshold.size());
    for (std::size_t t = 0; t < threshold.size(); ++t)
        tree->nodes[t] = {threshold[t], feature[t], link[t]};
    tree->n_node_samples = taken<std::uint32_t>(state, "n_node_samples");
    tree->weighted_n_node_samples = taken<double>(state, "weighted_n_node_samples");
    tree->impurity = taken<double>(state, "impurity");
    const auto exponent = taken<std::int32_t>(state, "impurity_exponent");
    if (exponent.size() != 1) throw std::invalid_argument("not a valid tree: impurity_exponent");
    tree->impurity_exponent = exponent[0];
    tree->level_sets = taken<std::uint32_t>(state, "level_sets");
    if (state.contains("branches")) tree->branches = taken<std::uint32_t>(state, "branches");
    if (state.contains("both_ways")) {
        const auto both = taken<std::uint8_t>(state, "both_ways");
        if (both.size() != 1) throw std::invalid_argument("not a valid tree: both_ways");
        tree->both_ways = both[0] != 0;
    }
    tree->leaf_weights = taken<double>(state, "leaf_weights");
    tree->node_values = taken<double>(state, "node_values");
    if (state.contains("derivation")) {
        const auto derivation = taken<std::uint8_t>(state, "derivation");
        if (derivation.size() != 1) throw std::invalid_argument("not a valid tree: derivation");
        tree->derivation = static_cast<Derivation>(derivation[0]);
        tree->whole_weights.narrow = taken<std::uint16_t>(state, "narrow_weights");
        tree->whole_weights.wide = taken<std::uint32_t>(state, "whole_weights");
    }
    check_tree(*tree);
    return tree;
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<Tree>(m, "Tree", "A grown tree, immutable.")
        .def_prop_ro("n_features", [](const Tree& t) { return t.n_features; })
        .def_prop_ro("n_outputs", [](const Tree& t) { return t.n_outputs; })
        .def_prop_ro(
            "n_classes", [](const Tree& t) { return t.n_classes; },
            "Classes of each output; empty for regression.")
        .def_prop_ro("value_width", &Tree::value_width)
        .def_prop_ro("max_depth", [](const Tree& t) { return t.max_depth; })
        .def_prop_ro("node_count", [](const Tree& t) { return t.nodes.size(); })
        .def_prop_ro("n_leaves", &Tree::n_leaves)
        .def_prop_ro("memory_bytes", &Tree::memory_bytes)
        .def_prop_ro(
            "is_binary",
            [](const Tree& t) {
                for (const Node& node : t.nodes)
                    if (!node.leaf() && t.has_record(node) && t.record(node).n_children() != 2)
                        return false;
                return true;
            },
            "Whether every inner node has two children.")
        .def_prop_ro("both_ways", [](const Tree& t) { return t.both_ways; })
        .def(
            "children",
            [](const Tree& t, std::size_t node) {
                if (node >= t.nodes.size()) throw nb::index_error("no such node");
                std::vector<std::int64_t> children;
                if (!t.nodes[node].leaf())
                    t.for_children(static_cast<NodeId>(node),
                                   [&](NodeId child) { children.push_back(child); });
                const std::size_t n = children.size();
                return to_numpy(std::move(children), n);
            },
            nb::arg("node"), "The children of a node, in their order.")
        .def(
            "record",
            [](const Tree& t, std::size_t node) -> nb::object {
                if (node >= t.nodes.size()) throw nb::index_error("no such node");
                const Node& at = t.nodes[node];
                if (at.leaf() || !t.has_record(at)) return nb::none();
                const BranchRecord record = t.record(at);
                nb::dict told;
                const bool levels = record.test() == Branching::Test::levels;
                const char* const names[] = {"thresholds", "levels", "subset"};
                told["test"] = names[static_cast<std::size_t>(record.test())];
                nb::list cuts, terms;
                for (std::uint32_t i = 0; i < record.n_cuts(); ++i) {
                    if (levels)
                        cuts.append(record.levels()[i]);
                    else
                        cuts.append(record.threshold(i));
                }
                for (std::uint32_t i = 0; i < record.n_terms(); ++i)
                    terms.append(
                        nb::make_tuple(record.term(i).feature, record.term(i).coefficient));
                told["cuts"] = cuts;
                told["terms"] = terms;
                told["missing_child"] = record.missing_child();
                told["other_child"] = record.other_child();
                return told;
            },
            nb::arg("node"), nb::sig("def record(self, node: int) -> dict[str, typing.Any] | None"),
            "What a node keeps that is not a plain split in two; or None.")
        .def(
            "on_combinations",
            [](const Tree& t,
               const std::vector<std::vector<std::tuple<FeatureId, double, double>>>& combinations,
               std::size_t n_features) {
                std::vector<std::vector<Term>> terms;
                for (const auto& combination : combinations) {
                    terms.emplace_back();
                    for (const auto& [f, a, share] : combination)
                        terms.back().push_back({f, a, static_cast<float>(share)});
                }
                return std::make_shared<Tree>(on_combinations(t, terms, n_features));
            },
            nb::arg("combinations"), nb::arg("n_features"),
            "The tree of these combinations of variables as one of the variables themselves.")
        .def(
            "relabelled",
            [](const std::shared_ptr<Tree>& t, std::vector<ClassId> n_classes,
               std::vector<std::vector<ClassId>> classes,
               const std::vector<Vector<std::int32_t>>& levels) {
                Relabelling by{std::move(n_classes), std::move(classes), {}};
                for (const auto& of_variable : levels) by.levels.push_back(span_of(of_variable));
                return relabels(by, *t) ? std::make_shared<Tree>(relabelled(*t, by)) : t;
            },
            nb::arg("n_classes"), nb::arg("classes"), nb::arg("levels"),
            "The same tree in new numbers of classes and levels; itself where nothing changes.")
        .def(
            "end_cuts",
            [](const Tree& t, double share) {
                const Tree all = expand(t);
                std::size_t splits = 0, ends = 0;
                for (NodeId i = 0; i < all.nodes.size(); ++i) {
                    if (all.nodes[i].leaf()) continue;
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
            "Splits, and how many of them have a side with less than this share of the weight.")
        .def(
            "pruned_by_errors",
            [](const Tree& t, Vector<double> errors, double slack) {
                return std::make_shared<Tree>(prune_by_errors(t, span_of(errors), slack));
            },
            nb::arg("errors"), nb::arg("slack"))
        .def("children_left",
             [](const Tree& t) {
                 return node_array<std::int64_t>(t, t.nodes, [&](std::size_t i) {
                     return t.nodes[i].leaf() ? -1 : static_cast<std::int64_t>(i + 1);
                 });
             })
        .def("children_right",
             [](const Tree& t) {
                 return node_array<std::int64_t>(t, t.nodes, [&](std::size_t i) {
                     return t.nodes[i].leaf() ? -1 : static_cast<std::int64_t>(t.nodes[i].second());
                 });
             })
        .def("feature",
             [](const Tree& t) {
                 return node_array<std::int64_t>(t, t.nodes, [&](std::size_t i) {
                     const Node& node = t.nodes[i];
                     const bool oblique =
                         !node.leaf() && t.has_record(node) && t.record(node).n_terms() > 0;
                     return oblique ? kOblique : node.feature;
                 });
             })
        .def("threshold",
             [](const Tree& t) {
                 return node_array<double>(t, t.nodes, [&](std::size_t i) {
                     return t.nodes[i].leaf() ? kLeaf : t.nodes[i].threshold;
                 });
             })
        .def("n_node_samples",
             [](const Tree& t) {
                 const Tree all = expand(t);
                 return node_array<std::int64_t>(
                     t, t.nodes, [&](std::size_t i) { return all.n_node_samples[i]; });
             })
        .def("weighted_n_node_samples",
             [](const Tree& t) {
                 return to_numpy(expand(t).weighted_n_node_samples, t.nodes.size());
             })
        .def("impurity",
             [](const Tree& t) {
                 const Tree all = expand(t);
                 return node_array<double>(t, t.nodes, [&](std::size_t i) {
                     return std::ldexp(all.impurity[i], t.impurity_exponent);
                 });
             })
        .def("missing_go_to_left",
             [](const Tree& t) {
                 return node_array<std::uint8_t>(t, t.nodes, [&](std::size_t i) {
                     return !t.nodes[i].leaf() && t.nodes[i].missing_left();
                 });
             })
        .def(
            "left_levels",
            [](const Tree& t, std::size_t node, std::size_t n_levels) {
                std::vector<std::int64_t> levels;
                if (const auto rule = rule_of(t, node))
                    for (Level level = 0; level < n_levels; ++level)
                        if (rule->goes_left(level, t.level_sets)) levels.push_back(level);
                const std::size_t n = levels.size();
                return to_numpy(std::move(levels), n);
            },
            nb::arg("node"), nb::arg("n_levels"),
            "Which of so many levels go left at a category node.")
        .def(
            "others_left",
            [](const Tree& t, std::size_t node) {
                const auto rule = rule_of(t, node);
                return rule && rule->others_left();
            },
            nb::arg("node"), "Whether levels that no tree has seen go left at a category node.")
        .def(
            "values",
            [](const Tree& t) { return to_numpy(t.all_values(), t.nodes.size(), t.value_width()); },
            "What every node predicts: class shares of all outputs, or means.")
        .def("depths",
             [](const Tree& t) {
                 const auto depths = t.depths();
                 return node_array<std::int64_t>(t, t.nodes,
                                                 [&](std::size_t i) { return depths[i]; });
             })
        .def(
            "impurity_decrease",
            [](const Tree& t, bool normalize, std::size_t min_samples) {
                return to_numpy(impurity_decrease(t, normalize, min_samples), t.n_features);
            },
            nb::arg("normalize"), nb::arg("min_samples") = 0)
        .def("pruning_path",
             [](const Tree& t) {
                 PruningPath path = pruning_path(t);
                 const std::size_t n = path.alphas.size();
                 return std::make_tuple(to_numpy(std::move(path.alphas), n),
                                        to_numpy(std::move(path.impurities), n));
             })
        .def("expanded", &expand, "The same tree, everything told of every node.")
        .def("stored_arrays", &stored_arrays, "Everything the tree holds, by name.")
        .def("__getstate__", &state_of)
        .def(
            "__setstate__",
            [](Tree& self, const nb::dict& state) { new (&self) Tree(*from_stored_arrays(state)); })
        .def_static("from_stored_arrays", &from_stored_arrays, nb::arg("arrays"),
                    "The tree of stored_arrays(); ValueError if they are not a valid tree.");
}

}  // namespace silvics::bindings
