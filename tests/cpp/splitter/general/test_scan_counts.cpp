#include "splitter/general/general_parts.hpp"
#include "splitter/general/scan_counts.hpp"
#include "splitter/general/search_numbers.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::Rng;

// A number of few or many values, classes and whole weights.
struct Made {
    GeneralParts parts;

    explicit Made(Rng& rng, std::size_t n, std::size_t levels, std::size_t heaviest)
        : parts{test::random_matrix(rng, n, 1, levels),
                {-1},
                classes(rng, n),
                3,
                weights(rng, n, heaviest)} {}  // in this order

    static std::vector<std::int64_t> classes(Rng& rng, std::size_t n) {
        std::vector<std::int64_t> y(n);
        for (auto& c : y) c = static_cast<std::int64_t>(test::pick(rng, 3));
        return y;
    }
    static std::vector<double> weights(Rng& rng, std::size_t n, std::size_t heaviest) {
        std::vector<double> w(n);
        for (double& of : w) of = static_cast<double>(1 + test::pick(rng, heaviest));
        return w;
    }
};

// The candidates of the number, with class counts in integers or with a moving criterion.
template <class C>
std::vector<Candidate> candidates(GeneralParts& of, bool in_integers) {
    of.order = {};
    if (in_integers)
        NumberSearch<C>::fill(of.parts());
    else
        C::fill(of.target, of.subset, of.order);
    of.order.rows = of.subset.rows;
    REQUIRE(of.order.packed.empty() != in_integers);
    NodeSearch<C> search(of.parts());
    NumberSearch<C> numbers(of.parts(), search);
    search.structure.samples = of.order;
    search.begin();
    numbers.begin(1);
    numbers.try_number(of.node(), 0, {});
    return search.candidates;
}

template <class C>
void check_same(GeneralParts& of) {
    const std::vector<Candidate> expected = candidates<C>(of, false);
    const std::vector<Candidate> found = candidates<C>(of, true);
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k].decrease == expected[k].decrease);
        CHECK(found[k].worth == expected[k].worth);
        CHECK(found[k].threshold == expected[k].threshold);
        CHECK(found[k].information == expected[k].information);
        CHECK(found[k].missing == expected[k].missing);
    }
}

TEST_CASE("cuts and decreases are those of a moving criterion, to the last bit") {
    Rng rng(63);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 300);
        Made made(rng, n, repeat % 3 == 0 ? 0 : 1 + test::pick(rng, 30), repeat % 2 == 0 ? 1 : 6);
        SearchRules& rules = made.parts.rules;
        rules.choice = repeat % 4 < 2 ? Choice::one_of_best : Choice::gain_ratio;
        rules.min_samples_leaf = 1 + test::pick(rng, 4);
        rules.min_weight_leaf = static_cast<double>(test::pick(rng, 5));
        rules.range_sample = repeat % 5 == 0 ? 10 : 0;
        check_same<ClassCounts<Gini>>(made.parts);
        check_same<ClassCounts<Entropy>>(made.parts);
    }
}

TEST_CASE("a constant has no cut, and values that share a code are separated") {
    GeneralParts constant({3, 1, {2.0, 2.0, 2.0}}, {-1}, {0, 1, 0});
    CHECK(candidates<ClassCounts<Gini>>(constant, true).empty());
    // More values than there are codes.
    const std::size_t n = 70000;
    std::vector<double> values(n);
    std::vector<std::int64_t> classes(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<double>((i * 48271) % n);
        classes[i] = values[i] < 31003.0 ? 0 : 1;
    }
    GeneralParts many({n, 1, values}, {-1}, classes);
    REQUIRE(many.made.column().kind == Column::Kind::several_values);
    const auto found = candidates<ClassCounts<Entropy>>(many, true);
    REQUIRE(found.size() == 1);
    CHECK(found[0].threshold == 31002.5);
}

TEST_CASE("other columns and weights are scanned with a moving criterion") {
    Rng rng(64);
    Made made(rng, 20, 0, 2);
    NumberSearch<ClassCounts<Entropy>>::fill(made.parts.parts());
    CountsScan<TabledEntropy> scan(made.parts.parts());
    made.parts.order.rows = made.parts.subset.rows;
    scan.enter(made.parts.order);
    CHECK(scan.can_scan(0));
    CHECK(CountsScan<TabledEntropy>::suits(made.parts.parts()));
    made.parts.rules.missing = MissingRule::both;
    CHECK_FALSE(CountsScan<TabledEntropy>::suits(made.parts.parts()));
    GeneralParts fractional({3, 1, {1.0, NAN, 3.0}}, {-1}, {0, 1, 0}, 2, {0.5, 1.0, 1.5});
    CHECK_FALSE(CountsScan<TabledEntropy>::suits(fractional.parts()));
    GeneralParts missing({3, 1, {1.0, NAN, 3.0}}, {-1}, {0, 1, 0});
    NumberSearch<ClassCounts<Entropy>>::fill(missing.parts());
    CountsScan<TabledEntropy> of_missing(missing.parts());
    of_missing.enter(missing.order);
    CHECK_FALSE(of_missing.can_scan(0));
}

}  // namespace
}  // namespace silvics
