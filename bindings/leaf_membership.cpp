// The training rows of every tree, grouped by leaf.
#include "predictor/leaf_membership.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace silvics::bindings {
namespace {

nb::dict membership_arrays(nb::handle self) {
    const auto& membership = nb::cast<const LeafMembership&>(self);
    ArrayViews views(self);
    views.put("first_leaf", membership.first_leaf);
    views.put("ends", membership.ends, true);
    views.put("rows", membership.rows, true);
    if (size_of(membership.weights) > 0) views.put("weights", membership.weights);
    views.put("row_weights", membership.row_weights);
    return views.arrays;
}

std::shared_ptr<LeafMembership> membership_from(const PackedForest& forest, nb::dict arrays,
                                                std::size_t n_rows, std::size_t n_parts) {
    auto held = std::make_shared<HeldArrays>(std::move(arrays));
    auto membership = std::make_shared<LeafMembership>();
    membership->n_rows = n_rows;
    membership->n_parts = n_parts;
    membership->first_leaf = held->vector<std::uint64_t>("first_leaf");
    membership->ends = held->vector<std::uint32_t>("ends");
    membership->rows = held->vector<RowId>("rows");
    if (held->has("weights")) membership->weights = held->numbers("weights");
    membership->row_weights = held->vector<double>("row_weights");
    membership->memory = held;
    with_team(membership->rows.size() > 1'000'000,
              [&](ThreadTeam& team) { check_membership(*membership, forest, team); });
    return membership;
}

// The number of rows in bag and their weight, for every leaf of a tree.
auto leaf_stats(const LeafMembership& membership, std::size_t m) {
    if (m >= membership.n_trees()) throw nb::index_error("no such tree");
    const TreeMembership tree = membership.tree(m);
    std::vector<std::int64_t> sizes;
    std::vector<double> weights;
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
        const std::size_t n = tree.in_bag(leaf).size();
        double weight = 0.0;
        for (std::size_t k = 0; k < n; ++k) weight += membership.weight(m, tree.begin(leaf) + k);
        sizes.push_back(static_cast<std::int64_t>(n));
        weights.push_back(weight);
    }
    return std::make_tuple(to_numpy(std::move(sizes), tree.n_leaves()),
                           to_numpy(std::move(weights), tree.n_leaves()));
}

// The rows in bag of a tree, with the number of the leaf and the weight of each.
auto in_bag(const LeafMembership& membership, std::size_t m) {
    if (m >= membership.n_trees()) throw nb::index_error("no such tree");
    const TreeMembership tree = membership.tree(m);
    std::vector<std::int64_t> rows, leaves;
    std::vector<double> weights;
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
        const auto in_leaf = tree.in_bag(leaf);
        for (std::size_t k = 0; k < in_leaf.size(); ++k) {
            rows.push_back(in_leaf[k]);
            leaves.push_back(static_cast<std::int64_t>(leaf));
            weights.push_back(membership.weight(m, tree.begin(leaf) + k));
        }
    }
    const std::size_t n = rows.size();
    return std::make_tuple(to_numpy(std::move(rows), n), to_numpy(std::move(leaves), n),
                           to_numpy(std::move(weights), n));
}

}  // namespace

void bind_leaf_membership(nb::module_& m) {
    nb::class_<LeafMembership>(m, "LeafMembership",
                               "The training rows of every tree, grouped by leaf.")
        .def_static(
            "of",
            [](const Predictor& predictor, const HeldMatrix& X, const Target& target,
               std::vector<std::uint32_t> seeds, const SamplingPlan& sampling, std::size_t n_jobs) {
                require_rows(X);
                auto membership = std::make_shared<LeafMembership>();
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    *membership = leaf_membership(predictor, X, target, {0, seeds, sampling}, team);
                });
                return membership;
            },
            nb::arg("predictor"), nb::arg("X"), nb::arg("target"), nb::arg("seeds"),
            nb::arg("sampling"), nb::arg("n_jobs"),
            "The membership of the rows of fit, by one descent; the seeds are those of all trees.")
        .def_static("from_arrays", &membership_from, nb::arg("forest"), nb::arg("arrays"),
                    nb::arg("n_rows"), nb::arg("n_parts"),
                    "The membership of arrays(), which it reads in place. Raises ValueError if the "
                    "arrays are not valid for the forest.")
        .def("arrays", &membership_arrays, nb::sig("def arrays(self) -> dict[str, typing.Any]"),
             "All arrays of the membership, by name.")
        .def_prop_ro("n_rows", [](const LeafMembership& self) { return self.n_rows; })
        .def_prop_ro(
            "n_parts", [](const LeafMembership& self) { return self.n_parts; },
            "Parts of a leaf: 2, or 3 if some rows are neither in bag nor out of bag.")
        .def_prop_ro("n_trees", &LeafMembership::n_trees)
        .def_prop_ro("nbytes", &LeafMembership::bytes)
        .def("leaf_stats", &leaf_stats, nb::arg("tree"),
             "The number of rows in bag and their weight, for every leaf of a tree.")
        .def("in_bag", &in_bag, nb::arg("tree"),
             "The rows in bag of a tree, the number of the leaf of each, and its weight.")
        .def(
            "out_of_bag",
            [](const LeafMembership& self, const Predictor& predictor, std::size_t n_jobs) {
                const std::size_t width = predictor.value_width();
                std::vector<double> sums(checked_product(self.n_rows, width));
                std::vector<std::int64_t> counts(self.n_rows);
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    out_of_bag(self, predictor, {sums, counts}, team);
                });
                return std::make_tuple(to_numpy(std::move(sums), self.n_rows, width),
                                       to_numpy(std::move(counts), self.n_rows));
            },
            nb::arg("predictor"), nb::arg("n_jobs"),
            "Sums of out-of-bag predictions of every row, and the number of trees in each sum.")
        .def(
            "add_out_of_bag",
            [](const LeafMembership& self, const Predictor& predictor, std::size_t first,
               std::size_t size,
               nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums,
               nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> counts,
               std::size_t n_jobs) {
                const OutOfBagSums out{{sums.data(), sums.size()}, {counts.data(), counts.size()}};
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    add_out_of_bag(self, predictor, first, size, out, team);
                });
            },
            nb::arg("predictor"), nb::arg("first"), nb::arg("size"), nb::arg("sums"),
            nb::arg("counts"), nb::arg("n_jobs"),
            "Adds the out-of-bag predictions of some trees to sums and counts, in place.");
}

}  // namespace silvics::bindings
