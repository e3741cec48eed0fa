// Trees with the statistics of their inner nodes, and scores of the forests that they contain.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "predictor/predictor.hpp"
#include "tuning/limit_scores.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

using SharedDetails = std::shared_ptr<DetailedTree>;

// The limits of a tuple: max_depth, min_samples_split, min_impurity_decrease, max_leaf_nodes,
// shrinkage. Zero means no limit.
using LimitsTuple = std::tuple<std::size_t, std::size_t, double, std::size_t, double>;

TreeLimits limits_of(const LimitsTuple& given) {
    const auto& [max_depth, min_split, min_decrease, max_leaves, shrinkage] = given;
    const auto limit = [](std::size_t n) { return n == 0 ? TreeLimits::kNone : n; };
    return {limit(max_depth), min_split, min_decrease, limit(max_leaves), shrinkage};
}

// Adds the votes of the trees for rows of X, which are the rows of the scores. `rows` has their
// numbers in the training set. With a sampling, a row counts in the trees that have not drawn it;
// without one, it counts in all trees if it is `counted`.
void add_votes(LimitScores& scores, const std::vector<SharedDetails>& trees, bool as_float32,
               const HeldMatrix& X, Vector<std::uint32_t> rows, Vector<bool> counted,
               const SamplingPlan* sampling, const std::vector<std::uint32_t>& seeds,
               std::size_t n_jobs) {
    require_rows(X);
    if (X.rows != scores.n_rows() || rows.size() != X.rows || counted.size() != X.rows ||
        (sampling != nullptr && seeds.size() != trees.size()))
        throw std::invalid_argument("rows, scores and seeds do not fit together");
    for (const std::uint32_t row : span_of(rows))
        if (sampling != nullptr && row >= sampling->n_rows)
            throw std::invalid_argument("a row is out of range");
    std::vector<SharedTree> plain;
    for (const SharedDetails& tree : trees) plain.push_back(tree->tree);
    unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
        constexpr std::size_t kBatch = 8;
        const Predictor predictor(plain, as_float32);
        std::vector<std::int64_t> leaves;
        for (std::size_t first = 0; first < trees.size(); first += kBatch) {
            const std::size_t size = std::min(kBatch, trees.size() - first);
            leaves.resize(checked_product(X.rows, size));
            predictor.apply(X, first, size, leaves, team);
            std::vector<const DetailedTree*> batch;
            for (std::size_t k = 0; k < size; ++k) {
                batch.push_back(trees[first + k].get());
                const auto out = sampling == nullptr
                                     ? std::vector<bool>()
                                     : out_of_bag(*sampling, seeds[first + k], team.stop());
                for (std::size_t i = 0; i < X.rows; ++i) {
                    const bool votes = out.empty() ? span_of(counted)[i] : out[span_of(rows)[i]];
                    if (!votes) leaves[i * size + k] = LimitScores::kNoVote;
                }
            }
            scores.add(batch, leaves, team);
        }
    });
}

}  // namespace

void bind_tuning(nb::module_& m) {
    nb::class_<DetailedTree>(m, "DetailedTree",
                             "A grown tree with the statistics of its inner nodes.")
        .def_prop_ro(
            "tree",
            [](const DetailedTree& tree) { return std::const_pointer_cast<StoredTree>(tree.tree); })
        .def_prop_ro("memory_bytes", &DetailedTree::memory_bytes)
        .def("decrease",
             [](const DetailedTree& tree) {
                 std::vector<double> decrease = tree.decrease;
                 const std::size_t n = decrease.size();
                 return to_numpy(std::move(decrease), n);
             })
        .def(
            "collapse",
            [](const DetailedTree& tree, const LimitsTuple& limits) {
                return std::make_shared<StoredTree>(collapse(tree, limits_of(limits)));
            },
            nb::arg("limits"), nb::call_guard<nb::gil_scoped_release>(),
            "The tree as it would have grown under the limits.");
    nb::class_<LimitScores>(m, "LimitScores",
                            "Sums of votes and of squared errors, for many limits of growth.")
        .def(
            "__init__",
            [](LimitScores* self, const std::vector<LimitsTuple>& limits, Vector<double> outputs,
               std::vector<double> scale, std::vector<std::uint32_t> n_classes, bool by_majority) {
                std::vector<TreeLimits> each;
                for (const LimitsTuple& given : limits) each.push_back(limits_of(given));
                new (self)
                    LimitScores(std::move(each), {outputs.data(), outputs.data() + outputs.size()},
                                std::move(scale), std::move(n_classes), by_majority);
            },
            nb::arg("limits"), nb::arg("outputs"), nb::arg("scale"), nb::arg("n_classes"),
            nb::arg("by_majority"))
        .def("add", &add_votes, nb::arg("trees"), nb::arg("as_float32"), nb::arg("X"),
             nb::arg("rows"), nb::arg("counted"), nb::arg("sampling").none(), nb::arg("seeds"),
             nb::arg("n_jobs"), "Adds the votes of trees for rows that they have not drawn.")
        .def("votes",
             [](const LimitScores& scores) {
                 return to_numpy(std::vector<double>(scores.votes), scores.n_rows(),
                                 scores.n_limits(), scores.width());
             })
        .def("squares",
             [](const LimitScores& scores) {
                 return to_numpy(std::vector<double>(scores.squares), scores.n_rows(),
                                 scores.n_limits());
             })
        .def("counts",
             [](const LimitScores& scores) {
                 return to_numpy(std::vector<std::int64_t>(scores.counts), scores.n_rows());
             })
        .def("n_leaves", [](const LimitScores& scores) {
            return to_numpy(std::vector<std::int64_t>(scores.n_leaves), scores.n_limits());
        });
}

}  // namespace silvics::bindings
