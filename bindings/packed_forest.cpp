// Trees packed for prediction.
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"

namespace silvics::bindings {
namespace {

nb::dict arrays_of(nb::handle self) {
    const auto& forest = nb::cast<const PackedForest&>(self);
    ArrayViews views(self);
    views.put("first_node", forest.first_node);
    views.arrays["nodes"] = nb::ndarray<nb::numpy, const std::uint8_t>(
        reinterpret_cast<const std::uint8_t*>(forest.nodes.data()),
        {forest.nodes.size(), PackedNode::kBytes}, self);
    views.put("values", forest.values);
    views.put("first_set", forest.first_set);
    views.put("level_sets", forest.level_sets);
    views.put("first_branch", forest.first_branch);
    views.put("branches", forest.branches);
    return views.arrays;
}

std::shared_ptr<PackedForest> packed_from(nb::dict arrays, std::size_t n_features,
                                          std::size_t n_outputs,
                                          std::vector<std::uint32_t> n_classes,
                                          bool both_children) {
    auto held = std::make_shared<HeldArrays>(std::move(arrays));
    auto forest = std::make_shared<PackedForest>();
    forest->n_features = n_features;
    forest->n_outputs = n_outputs;
    forest->n_classes = std::move(n_classes);
    forest->both_children = both_children;
    forest->first_node = held->vector<std::uint64_t>("first_node");
    forest->nodes = held->nodes("nodes");
    forest->values = held->numbers("values");
    forest->first_set = held->vector<std::uint64_t>("first_set");
    forest->level_sets = held->vector<std::uint32_t>("level_sets");
    forest->first_branch = held->vector<std::uint64_t>("first_branch");
    forest->branches = held->vector<std::uint32_t>("branches");
    held->require_no_others();
    forest->memory = held;
    with_team(large(*forest), [&](ThreadTeam& team) { check_packed(*forest, team); });
    return forest;
}

}  // namespace

void bind_packed_forest(nb::module_& m) {
    nb::class_<PackedForest>(m, "PackedForest", "Trees in the form that predicts, as flat arrays.")
        .def_static(
            "of",
            [](const std::vector<std::shared_ptr<StoredTree>>& trees, std::size_t n_jobs) {
                auto forest = std::make_shared<PackedForest>();
                unlocked_or_raise(
                    n_jobs, [&](ThreadTeam& team) { *forest = pack(const_trees(trees), team); });
                return forest;
            },
            nb::arg("trees"), nb::arg("n_jobs") = 0, "The trees, packed by this many threads.")
        .def_static(
            "from_arrays", &packed_from, nb::arg("arrays"), nb::arg("n_features"),
            nb::arg("n_outputs"), nb::arg("n_classes"), nb::arg("both_children"),
            "The forest of arrays(), which it reads in place. Raises ValueError if it is not "
            "valid.")
        .def("arrays", &arrays_of, nb::sig("def arrays(self) -> dict[str, typing.Any]"),
             "All arrays of the forest, by name.")
        .def_prop_ro("n_trees", &PackedForest::n_trees)
        .def_prop_ro("n_features", [](const PackedForest& f) { return f.n_features; })
        .def_prop_ro("n_outputs", [](const PackedForest& f) { return f.n_outputs; })
        .def_prop_ro(
            "n_classes", [](const PackedForest& f) { return f.n_classes; },
            "Number of classes of each output; empty for regression.")
        .def_prop_ro("both_children", [](const PackedForest& f) { return f.both_children; })
        .def_prop_ro(
            "node_counts",
            [](const PackedForest& f) {
                std::vector<std::size_t> counts;
                for (const TreeShape& shape : f.shapes) counts.push_back(shape.n_nodes);
                return counts;
            },
            "Number of nodes of each tree.")
        .def(
            "leaves",
            [](const PackedForest& f, std::size_t m) {
                if (m >= f.n_trees()) throw nb::index_error("no such tree");
                std::vector<std::int64_t> leaves;
                for (const NumberedLeaf& leaf : numbered_leaves(PackedTree(f, m)))
                    leaves.push_back(leaf.id);
                const std::size_t n = leaves.size();
                return to_numpy(std::move(leaves), n);
            },
            nb::arg("tree"), "The node numbers of the leaves, ascending.");
}

}  // namespace silvics::bindings
