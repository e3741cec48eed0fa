// All arrays of a tree, by name, for digests and pickles.
#include <nanobind/stl/shared_ptr.h>

#include <cstring>

#include "bind_tree.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"

namespace silvics::bindings {
namespace {

// Collects arrays under the names that digests and pickles use.
class ArrayDict {
public:
    template <class T>
    void put(const char* name, std::vector<T> values) {
        const std::size_t n = values.size();
        arrays[name] = to_numpy(std::move(values), n);
    }

    nb::dict arrays;
};

void put_base(const TreeBase& tree, ArrayDict& state) {
    std::vector<double> threshold(tree.nodes.size());
    std::vector<std::int32_t> feature(tree.nodes.size());
    std::vector<std::uint32_t> link(tree.nodes.size());
    for (std::size_t t = 0; t < tree.nodes.size(); ++t) {
        threshold[t] = tree.nodes[t].payload();
        feature[t] = tree.nodes[t].feature;
        link[t] = tree.nodes[t].link;
    }
    state.put("shape", std::vector<std::uint64_t>{tree.n_features, tree.n_outputs, tree.max_depth});
    state.put("n_classes", tree.n_classes);
    state.put("threshold", std::move(threshold));
    state.put("feature", std::move(feature));
    state.put("link", std::move(link));
}

// The order of names is part of digests and pickles: those of statistics come between those of the
// splits.
void put_splits(const TreeBase& tree, ArrayDict& state) {
    state.put("impurity_exponent", std::vector<std::int32_t>{tree.impurity_exponent});
    state.put("level_sets", tree.level_sets);
    if (!tree.branches.empty()) state.put("branches", tree.branches);
    if (tree.both_children) state.put("both_ways", std::vector<std::uint8_t>{1});
}

void put_form(const Tree& tree, ArrayDict& state) {
    state.put("n_node_samples", tree.n_node_samples);
    state.put("weighted_n_node_samples", tree.weighted_n_node_samples);
    state.put("impurity", tree.impurity);
    put_splits(tree, state);
    state.put("leaf_weights", tree.leaf_weights);
    state.put("node_values", tree.node_values);
}

// The names of arrays are those of a plain tree, although they have one entry per leaf.
void put_form(const CompactTree& tree, ArrayDict& state) {
    state.put("n_node_samples", tree.n_leaf_samples);
    state.put("weighted_n_node_samples", tree.weighted_n_leaf_samples);
    state.put("impurity", tree.leaf_impurity);
    put_splits(tree, state);
    state.put("leaf_weights", tree.leaf_weights);
    state.put("node_values", std::vector<double>{});
    state.put("derivation", std::vector<std::uint8_t>{static_cast<std::uint8_t>(tree.rule)});
    state.put("narrow_weights", tree.whole_weights.narrow);
    state.put("whole_weights", tree.whole_weights.wide);
}

nb::dict stored_arrays(const StoredTree& tree) {
    ArrayDict state;
    put_base(tree, state);
    tree.visit([&](const auto& form) { put_form(form, state); });
    return state.arrays;
}

// For pickle: the bytes of each array, since the description of an array takes more bytes than the
// content of a small tree.
nb::dict state_of(const StoredTree& tree) {
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

TreeBase base_from(const nb::dict& state) {
    TreeBase tree;
    const auto shape = taken<std::uint64_t>(state, "shape");
    if (shape.size() != 3) throw std::invalid_argument("not a valid tree: shape");
    tree.n_features = shape[0];
    tree.n_outputs = shape[1];
    tree.max_depth = checked_id(shape[2], kMaxIds, "levels");
    tree.n_classes = taken<std::uint32_t>(state, "n_classes");
    const auto threshold = taken<double>(state, "threshold");
    const auto feature = taken<std::int32_t>(state, "feature");
    const auto link = taken<std::uint32_t>(state, "link");
    if (feature.size() != threshold.size() || link.size() != threshold.size())
        throw std::invalid_argument("not a valid tree: length of an array");
    tree.nodes.resize(threshold.size());
    for (std::size_t t = 0; t < threshold.size(); ++t)
        tree.nodes[t] = Node::from_stored(threshold[t], feature[t], link[t]);
    const auto exponent = taken<std::int32_t>(state, "impurity_exponent");
    if (exponent.size() != 1) throw std::invalid_argument("not a valid tree: impurity_exponent");
    tree.impurity_exponent = exponent[0];
    tree.level_sets = taken<std::uint32_t>(state, "level_sets");
    if (state.contains("branches")) tree.branches = taken<std::uint32_t>(state, "branches");
    if (state.contains("both_ways")) {
        const auto both = taken<std::uint8_t>(state, "both_ways");
        if (both.size() != 1) throw std::invalid_argument("not a valid tree: both_ways");
        tree.both_children = both[0] != 0;
    }
    return tree;
}

Tree plain_from(const nb::dict& state) {
    Tree tree(base_from(state));
    tree.n_node_samples = taken<std::uint32_t>(state, "n_node_samples");
    tree.weighted_n_node_samples = taken<double>(state, "weighted_n_node_samples");
    tree.impurity = taken<double>(state, "impurity");
    tree.leaf_weights = taken<double>(state, "leaf_weights");
    tree.node_values = taken<double>(state, "node_values");
    return tree;
}

CompactTree compact_from(const nb::dict& state) {
    const auto derivation = taken<std::uint8_t>(state, "derivation");
    if (derivation.size() != 1) throw std::invalid_argument("not a valid tree: derivation");
    CompactTree tree(base_from(state), static_cast<CompactionRule>(derivation[0]));
    tree.n_leaf_samples = taken<std::uint32_t>(state, "n_node_samples");
    tree.weighted_n_leaf_samples = taken<double>(state, "weighted_n_node_samples");
    tree.leaf_impurity = taken<double>(state, "impurity");
    tree.leaf_weights = taken<double>(state, "leaf_weights");
    if (!taken<double>(state, "node_values").empty())
        throw std::invalid_argument("not a valid tree: values");
    tree.whole_weights.narrow = taken<std::uint16_t>(state, "narrow_weights");
    tree.whole_weights.wide = taken<std::uint32_t>(state, "whole_weights");
    return tree;
}

std::shared_ptr<StoredTree> from_stored_arrays(const nb::dict& state) {
    auto tree = state.contains("derivation") ? std::make_shared<StoredTree>(compact_from(state))
                                             : std::make_shared<StoredTree>(plain_from(state));
    check_tree(*tree);
    return tree;
}

}  // namespace

void bind_tree_state(nb::class_<StoredTree>& tree) {
    tree.def(
            "expanded", [](const StoredTree& t) { return std::make_shared<StoredTree>(expand(t)); },
            "The same tree in plain form, with the statistics of every node.")
        .def("stored_arrays", &stored_arrays, "All arrays of the tree, by name.")
        .def("__getstate__", &state_of)
        .def("__setstate__",
             [](StoredTree& self, const nb::dict& state) {
                 new (&self) StoredTree(*from_stored_arrays(state));
             })
        .def_static("from_stored_arrays", &from_stored_arrays, nb::arg("arrays"),
                    "The tree of stored_arrays(). Raises ValueError if they are not a valid tree.");
}

}  // namespace silvics::bindings
