// The nodes of a tree as read-only arrays under scikit-learn's names.
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bind_tree.hpp"
#include "tree/compact.hpp"

namespace silvics::bindings {
namespace {

// An array of value_of(t) for every node t.
template <class T, class ValueOf>
auto node_array(const TreeBase& tree, ValueOf&& value_of) {
    std::vector<T> values(tree.nodes.size());
    for (std::size_t t = 0; t < values.size(); ++t) values[t] = static_cast<T>(value_of(t));
    return to_numpy(std::move(values), tree.nodes.size());
}

}  // namespace

void bind_tree_arrays(nb::class_<StoredTree>& tree) {
    tree.def("children_left",
             [](const StoredTree& t) {
                 return node_array<std::int64_t>(t, [&](std::size_t i) {
                     return t->nodes[i].leaf() ? -1 : static_cast<std::int64_t>(i + 1);
                 });
             })
        .def("children_right",
             [](const StoredTree& t) {
                 return node_array<std::int64_t>(t, [&](std::size_t i) {
                     return t->nodes[i].leaf() ? -1
                                               : static_cast<std::int64_t>(t->nodes[i].second());
                 });
             })
        .def("feature",
             [](const StoredTree& t) {
                 return node_array<std::int64_t>(t, [&](std::size_t i) {
                     const Node& node = t->nodes[i];
                     const bool oblique =
                         !node.leaf() && t->has_record(node) && t->record(node).n_terms() > 0;
                     return oblique ? kOblique : node.feature;
                 });
             })
        .def("threshold",
             [](const StoredTree& t) {
                 return node_array<double>(t, [&](std::size_t i) {
                     return t->nodes[i].leaf() ? kLeaf : t->nodes[i].rule().stored();
                 });
             })
        .def("n_node_samples",
             [](const StoredTree& t) {
                 const Tree all = expand(t);
                 return node_array<std::int64_t>(
                     t, [&](std::size_t i) { return all.n_node_samples[i]; });
             })
        .def("weighted_n_node_samples",
             [](const StoredTree& t) {
                 return to_numpy(expand(t).weighted_n_node_samples, t->nodes.size());
             })
        .def("impurity",
             [](const StoredTree& t) {
                 const Tree all = expand(t);
                 return node_array<double>(t, [&](std::size_t i) {
                     return std::ldexp(all.impurity[i], t->impurity_exponent);
                 });
             })
        .def("missing_go_to_left",
             [](const StoredTree& t) {
                 return node_array<std::uint8_t>(t, [&](std::size_t i) {
                     return !t->nodes[i].leaf() && t->nodes[i].missing_left();
                 });
             })
        .def(
            "values",
            [](const StoredTree& t) {
                return to_numpy(expand(t).all_values(), t->nodes.size(), t->value_width());
            },
            "The prediction of every node: class shares of all outputs, or means.")
        .def("depths", [](const StoredTree& t) {
            const auto depths = t->depths();
            return node_array<std::int64_t>(t, [&](std::size_t i) { return depths[i]; });
        });
}

}  // namespace silvics::bindings
