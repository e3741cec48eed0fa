// check_packed on forests with random changes of any array.
#include <cstring>
#include <limits>
#include <set>

#include "doctest/doctest.h"
#include "predictor/packed_parts.hpp"

namespace silvics {
namespace {

using namespace packed_parts;

// Small forests of every kind.
std::vector<std::pair<std::string, Parts>> small_forests() {
    Rng rng(350);
    std::vector<std::pair<std::string, Parts>> made;
    for (const test::Kind& kind : test::all_kinds())
        for (const test::Trials& trials : {test::Trials{}, test::Trials{true, true}}) {
            made.emplace_back(kind.name, Parts(kind.forest(rng, 3, trials)));
            StoredTree kept = with_other_splits(rng, kind.trees[3], trials);
            made.emplace_back(kind.name + ", one tree", Parts(shared({std::move(kept)})));
        }
    for (int repeat = 0; repeat < 12; ++repeat) {
        test::Shape shape;
        shape.deepest = 3;
        if (repeat % 3 == 1) shape.n_classes = {3};
        if (repeat % 3 == 2) shape.n_classes = {2, 3};
        const bool both = repeat % 4 == 3;
        if (both) shape.kinds = {Branches::plain, Branches::thresholds, Branches::levels};
        std::vector<StoredTree> trees;
        for (int m = 0; m < 3; ++m) {
            Tree tree = test::random_branches(rng, shape);
            tree.both_children = both;
            trees.push_back(std::move(tree));
        }
        made.emplace_back(both ? "records, both ways" : "records", Parts(shared(trees)));
    }
    return made;
}

std::uint64_t odd_number(Rng& rng) {
    constexpr std::uint64_t kOdd[] = {0,          1,          2,          3,          7,
                                      0x7FFFFFFF, 0x80000000, 0x80000001, 0x80000003, 0xFFFFFFFF,
                                      1ULL << 32, 1ULL << 47, 1ULL << 63, ~0ULL};
    return pick(rng, 3) == 0 ? rng() : kOdd[pick(rng, std::size(kOdd))];
}

// A bit, a word, a part copied to another place, or the length.
template <class T>
void change(Rng& rng, std::vector<T>& array) {
    const std::size_t size = array.size(), n_bytes = size * sizeof(T);
    auto* const bytes = reinterpret_cast<unsigned char*>(array.data());
    switch (n_bytes == 0 ? 5 : pick(rng, 7)) {
        case 0:
        case 1:
            bytes[pick(rng, n_bytes)] ^= static_cast<unsigned char>(1U << pick(rng, 8));
            return;
        case 2: {  // anywhere: nodes are not aligned
            const std::uint64_t word = odd_number(rng);
            const std::size_t width = std::min<std::size_t>(pick(rng, 2) == 0 ? 4 : 8, n_bytes);
            std::memcpy(bytes + pick(rng, n_bytes - width + 1), &word, width);
            return;
        }
        case 3:
            array[pick(rng, size)] = array[pick(rng, size)];
            return;
        case 4: {  // a number a little off
            bytes[pick(rng, size) * sizeof(T)] += static_cast<unsigned char>(pick(rng, 7) - 3);
            return;
        }
        case 5: {
            const T last = size == 0 ? T{} : array[pick(rng, size)];
            array.resize(size + 1 + pick(rng, 3), last);
            return;
        }
        default:
            array.resize(size - std::min<std::size_t>(size, 1 + pick(rng, 3)));
    }
}

void change_node(Rng& rng, Parts& parts) {
    PackedNode& node = parts.nodes[pick(rng, parts.nodes.size())];
    const auto n = parts.nodes.size() + 2;
    switch (pick(rng, 5)) {
        case 0: {
            const Child child = Child::inner(static_cast<Place>(pick(rng, n)));
            node.set_child(pick(rng, 2) == 0, child);
            return;
        }
        case 1: {
            const Child child = Child::leaf(static_cast<std::uint32_t>(pick(rng, n)));
            node.set_child(pick(rng, 2) == 0, child);
            return;
        }
        case 2: {  // a rule, or a record, of any place
            const auto form = static_cast<LevelRule::Form>(pick(rng, 8));
            const std::uint64_t most = parts.level_sets.size() + parts.branches.size() + 3;
            const bool others_left = pick(rng, 2) == 0;
            node = with_rule(node, LevelRule(form, pick(rng, most), others_left).in_place());
            return;
        }
        case 3:
            node = with_feature(node, static_cast<FeatureId>(pick(rng, parts.n_features + 2)));
            return;
        default:
            node.set_child(1, node.child(0));
    }
}

void change_sizes(Rng& rng, Parts& parts) {
    switch (pick(rng, 6)) {
        case 0:
            parts.n_features = pick(rng, 6);
            return;
        case 1:
            parts.n_outputs = pick(rng, 4);
            return;
        case 2:
            parts.n_classes.resize(pick(rng, 4), 2);
            return;
        case 3:
            if (!parts.n_classes.empty())
                parts.n_classes[pick(rng, parts.n_classes.size())] = pick(rng, 30);
            return;
        case 4:
            parts.both_children = !parts.both_children;
            return;
        default:  // the same numbers in another width
            std::visit(
                [&](const auto& from) {
                    const std::vector<double> all(from.begin(), from.end());
                    for (const double x : all)
                        if (!(x >= 0.0 && x < 256.0)) return;
                    if (pick(rng, 2) == 0)
                        parts.values = std::vector<std::uint8_t>(all.begin(), all.end());
                    else
                        parts.values = all;
                },
                Parts(parts).values);
    }
}

void change(Rng& rng, Parts& parts) {
    switch (pick(rng, 10)) {
        case 0:
            return change(rng, parts.first_node);
        case 1:
            return change(rng, pick(rng, 2) == 0 ? parts.first_set : parts.first_branch);
        case 2:
            return change(rng, parts.level_sets);
        case 3:
        case 4:
            return change(rng, parts.branches);
        case 5:
            return std::visit([&](auto& values) { change(rng, values); }, parts.values);
        case 6:
            return change_sizes(rng, parts);
        case 7:
            return parts.nodes.empty() ? void() : change_node(rng, parts);
        default:
            return change(rng, parts.nodes);
    }
}

// Values of every kind, on levels and beyond.
test::Matrix odd_samples(Rng& rng, std::size_t rows, std::size_t cols) {
    constexpr double kOdd[] = {NAN,           -NAN,         INFINITY, -INFINITY, 0.0,  -0.0,  -1.0,
                               kUnknownLevel, -3.0,         0.5,      46.0,      47.0, 71.0,  90000,
                               4294967295.0,  4294967296.0, 1e300,    -1e300,    1e10, 5e-324};
    test::Matrix X = test::samples_of_branches(rng, rows, cols);
    for (double& x : X.values)
        if (pick(rng, 3) == 0) x = kOdd[pick(rng, std::size(kOdd))];
    return X;
}

// Whether the paths begin at roots and end in leaves.
bool paths_valid(const PackedForest& forest, const test::Predictions& found, std::size_t rows) {
    const std::size_t n_trees = forest.n_trees();
    bool right = true;
    for (std::size_t i = 0; i < rows; ++i) {
        std::int64_t before = 0;
        auto at = found.path_nodes.begin() + found.path_starts[i];
        const auto end = found.path_nodes.begin() + found.path_starts[i + 1];
        for (std::size_t m = 0; m < n_trees; ++m) {
            const auto n = static_cast<std::int64_t>(forest.shapes[m].n_nodes);
            const std::int64_t leaf = found.leaves[i * n_trees + m];
            right &= leaf >= 0 && leaf < n && at != end && *at == before;
            while (right && *at != before + leaf) {
                const std::int64_t last = *at++;
                right &= at != end && *at > last && *at < before + n;
            }
            if (right) ++at;
            before += n;
        }
        right &= at == end;
    }
    return right;
}

// Whether every leaf has a number of its own.
bool numbers_right(const PackedForest& forest) {
    for (std::size_t m = 0; m < forest.n_trees(); ++m) {
        const PackedTree tree(forest, m);
        const NodeNumbers numbers(tree);
        std::set<NodeId> seen;
        std::size_t n_leaves = 0;
        for (Place t = 0; t < tree.n_places(); ++t)
            for (std::uint32_t k = 0; k < tree.n_children(t); ++k) {
                n_leaves += tree.child(t, k).leaf();
                seen.insert(numbers.child(tree, t, k));
            }
        const TreeShape& shape = tree.shape();
        if (n_leaves != shape.n_leaves) return false;
        if (shape.n_nodes > 1 && seen.size() + 1 != shape.n_nodes) return false;
        if (*seen.rbegin() + 1 != shape.n_nodes) return false;
    }
    return true;
}

void walk_all(Rng& rng, const PackedForest& forest) {
    ThreadTeam team;
    for (const bool by_majority : {false, true}) {
        const Predictor predictor(forest, by_majority, by_majority);
        for (const std::size_t rows : {3U, 9U}) {
            const test::Matrix X = odd_samples(rng, rows, forest.n_features);
            std::vector<double> averages(rows * predictor.value_width()),
                one(predictor.value_width());
            predictor.average(X.view(), averages, team);
            for (std::size_t i = 0; i < rows; ++i) {
                std::vector<double> sample(X.row(i), X.row(i) + X.cols);
                predictor.average(sample, one);
                CHECK(
                    test::same_bits(one, std::span(averages).subspan(i * one.size(), one.size())));
            }
            if (forest.both_children || by_majority) continue;
            const test::Predictions found = test::predictions_of(predictor, X.view(), team);
            CHECK(paths_valid(predictor.forest(), found, rows));
        }
    }
}

TEST_CASE("any change of any array is refused, or the forest can still be traversed") {
    Rng rng(351);
    std::size_t refused = 0, accepted = 0;
    for (const auto& [name, good] : small_forests()) {
        CAPTURE(name);
        for (int repeat = 0; repeat < 1000; ++repeat) {
            Parts parts = good;
            const bool several = pick(rng, 2) == 1;
            const std::size_t more = pick(rng, 3);
            for (std::size_t k = several ? 1 + more : 1; k > 0; --k) change(rng, parts);
            PackedForest forest = parts.forest();
            try {
                check_packed(forest);
            } catch (const std::invalid_argument&) {
                ++refused;
                continue;
            }
            ++accepted;
            CHECK(numbers_right(forest));
            walk_all(rng, forest);
        }
    }
    CHECK(refused > 10000);
    CHECK(accepted > 2000);
}

}  // namespace
}  // namespace silvics
