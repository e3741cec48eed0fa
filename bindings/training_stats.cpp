// The training statistics of trees, for model files.
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "model_file/check_stats.hpp"

namespace silvics::bindings {
namespace {

nb::dict stats_arrays(nb::handle self) {
    const auto& stats = nb::cast<const TrainingStats&>(self);
    ArrayViews views(self);
    views.put("layout", stats.layout);
    views.put("impurity_exponent", stats.impurity_exponent);
    views.put("samples", stats.samples);
    views.put("weights", stats.weights);
    views.put("first_impurity", stats.first_impurity);
    views.put("impurity", stats.impurity);
    views.put("first_class_weight", stats.first_class_weight);
    views.put("class_weights", stats.class_weights);
    views.put("first_node_value", stats.first_node_value);
    views.put("node_values", stats.node_values);
    return views.arrays;
}

std::shared_ptr<TrainingStats> stats_from(const PackedForest& forest, nb::dict arrays) {
    auto held = std::make_shared<HeldArrays>(std::move(arrays));
    auto stats = std::make_shared<TrainingStats>();
    stats->layout = held->vector<std::uint8_t>("layout");
    stats->impurity_exponent = held->vector<std::int32_t>("impurity_exponent");
    stats->samples = held->numbers("samples");
    stats->weights = held->numbers("weights");
    stats->first_impurity = held->vector<std::uint64_t>("first_impurity");
    stats->impurity = held->vector<double>("impurity");
    stats->first_class_weight = held->vector<std::uint64_t>("first_class_weight");
    stats->class_weights = held->vector<double>("class_weights");
    stats->first_node_value = held->vector<std::uint64_t>("first_node_value");
    stats->node_values = held->vector<double>("node_values");
    held->require_no_others();
    stats->memory = held;
    with_team(large(forest), [&](ThreadTeam& team) { check_stats(forest, *stats, team); });
    return stats;
}

}  // namespace

void bind_training_stats(nb::module_& m) {
    nb::class_<TrainingStats>(m, "TrainingStats",
                              "Statistics of nodes that prediction does not need.")
        .def_static(
            "of",
            [](const PackedForest& forest, const std::vector<std::shared_ptr<StoredTree>>& trees) {
                if (trees.size() != forest.n_trees())
                    throw std::invalid_argument("the trees are not those of the forest");
                return std::make_shared<TrainingStats>(stats_of(forest, const_trees(trees)));
            },
            nb::arg("forest"), nb::arg("trees"))
        .def_static(
            "from_arrays", &stats_from, nb::arg("forest"), nb::arg("arrays"),
            "The statistics of arrays(), which are read in place. Raises ValueError if they are "
            "not valid.")
        .def("arrays", &stats_arrays, nb::sig("def arrays(self) -> dict[str, typing.Any]"),
             "All arrays of the statistics, by name.")
        .def(
            "trees",
            [](const TrainingStats& self, const PackedForest& forest) {
                std::vector<std::shared_ptr<StoredTree>> trees;
                for (const SharedTree& tree : trees_of(forest, self))
                    trees.push_back(std::const_pointer_cast<StoredTree>(tree));
                return trees;
            },
            nb::arg("forest"), "The trees that the statistics were computed from.");
}

}  // namespace silvics::bindings
