// Everything that a tree holds, by name: for digests and pickles.
#include <nanobind/stl/shared_ptr.h>

#include <cstring>

#include "bind_tree.hpp"
#include "tree/compact.hpp"

namespace silvics::bindings {
namespace {

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
    if (tree.both_children) put("both_ways", std::vector<std::uint8_t>{1});
    put("leaf_weights", tree.leaf_weights);
    put("node_values", tree.node_values);
    if (tree.compact()) {
        put("derivation", std::vector<std::uint8_t>{static_cast<std::uint8_t>(tree.derivation)});
        put("narrow_weights", tree.whole_weights.narrow);
        put("whole_weights", tree.whole_weights.wide);
    }
    return state;
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
        tree->both_children = both[0] != 0;
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

void bind_tree_state(nb::class_<Tree>& tree) {
    tree.def("expanded", &expand, "The same tree, everything told of every node.")
        .def("stored_arrays", &stored_arrays, "Everything the tree holds, by name.")
        .def("__getstate__", &state_of)
        .def(
            "__setstate__",
            [](Tree& self, const nb::dict& state) { new (&self) Tree(*from_stored_arrays(state)); })
        .def_static("from_stored_arrays", &from_stored_arrays, nb::arg("arrays"),
                    "The tree of stored_arrays(); ValueError if they are not a valid tree.");
}

}  // namespace silvics::bindings
