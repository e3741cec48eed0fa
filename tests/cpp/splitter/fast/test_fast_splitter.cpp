#include "splitter/fast/at_root.hpp"
#include "splitter/fast/split_node.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::category;
using test::Loss;
using test::Matrix;
using test::OtherTable;
using test::Rng;
using test::Rows;
using Kind = Column::Kind;
using Marks = std::vector<std::uint8_t>;
using test::alternating;
using test::AtRoot;
using test::check_parted;
using test::mixed_problem;
using test::MixedProblem;
using test::Parted;
using test::parted;
using test::stands;

TEST_CASE("stats of a node are its size, weight, impurity and homogeneity") {
    test::Rng rng(80);
    AtRoot root(test::random_matrix(rng, 4, 1), alternating(4));
    root.subset.rows = {1, 3, 0, 2};
    SampleOrder order;
    const auto splitter = find_criterion("gini").make_splitter(
        {root.table, root.target, root.subset, root.rules, root.stop, order, root.features});
    order.rows = root.subset.rows;
    const auto another = splitter->another();
    for (Splitter* each : {another.get(), splitter.get()}) {
        const NodeStats stats = each->enter({0, 4});
        CHECK(stats.n == 4);
        CHECK(stats.weight == 4.0);
        CHECK(each->impurity() == 0.5);
        CHECK_FALSE(stats.homogeneous);
        CHECK(each->enter({2, 2}).homogeneous);
        CHECK(each->only_class() == 0);
        CHECK(each->enter({0, 2}).homogeneous);
        CHECK(each->only_class() == 1);
    }
}

TEST_CASE("with K = p the best variable is found from any draw order") {
    test::Rng rng(81);
    test::Matrix X = test::random_matrix(rng, 60, 6);
    for (std::size_t i = 0; i < 60; ++i) X.values[i * 6 + 4] += i % 2 == 0 ? -5.0 : 5.0;
    AtRoot root(X, alternating(60));
    for (StreamKey key = 0; key < 30; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        CHECK(split->feature == 4);
        CHECK(split->decrease == doctest::Approx(0.5));
        CHECK(split->threshold > -4.0);
        CHECK(split->threshold < 4.0);
    }
}

TEST_CASE("with K = 1 every variable has its turn") {
    test::Rng rng(82);
    AtRoot root(test::random_matrix(rng, 30, 5), alternating(30));
    root.rules.max_features = 1;
    std::set<FeatureId> chosen;
    for (StreamKey key = 0; key < 200; ++key) chosen.insert(root.find(derive(1, key))->feature);
    CHECK(chosen.size() == 5);
}

TEST_CASE("constants count among the K or are skipped, and a useful variable is found either way") {
    // One variable separates, one is noise, four are constant.
    test::Rng rng(83);
    test::Matrix X{40, 6, std::vector<double>(240, 3.0)};
    for (std::size_t i = 0; i < 40; ++i) {
        X.values[i * 6 + 1] = static_cast<double>(i % 2);
        X.values[i * 6 + 5] = test::pick_real(rng, 0.0, 1.0);
    }
    AtRoot root(X, alternating(40));
    root.rules.max_features = 2;
    const auto times_best = [&] {
        int times = 0;
        for (StreamKey key = 0; key < 300; ++key) {
            const auto split = root.find(derive(2, key));
            REQUIRE(split);
            times += split->feature == 1;
        }
        return times;
    };
    SUBCASE("skipped: both useful variables are always tried") {
        root.rules.constants_count = false;
        CHECK(times_best() == 300);
    }
    SUBCASE("counted: the noise is sometimes alone") {
        // Among the first two of six with probability 1/3; or neither useful variable is (2/5),
        // and it comes before the other (1/2): 8/15 of 300, within five standard deviations.
        CHECK(std::abs(times_best() - 160) < 43);
    }
}

TEST_CASE("constant variables are reported, and known ones are not searched again") {
    test::Matrix X{6, 3, std::vector<double>(18, 1.0)};
    for (std::size_t i = 0; i < 6; ++i) X.values[i * 3 + 2] = static_cast<double>(i);
    AtRoot root(X, alternating(6));
    Constants constants(3);
    REQUIRE(root.find(5, constants));
    const auto list = constants.inherit();
    constants.load(list);
    CHECK(constants.known(0));
    CHECK(constants.known(1));
    CHECK_FALSE(constants.known(2));
    // A variable said to be constant is believed: then nothing is left to split on.
    constants.found(2);
    constants.load(constants.inherit());
    CHECK_FALSE(root.find(5, constants));
}

TEST_CASE("a node of constant variables has no split") {
    AtRoot root(test::Matrix{4, 2, std::vector<double>(8, 1.0)}, alternating(4));
    CHECK_FALSE(root.find(1));
    root.rules.constants_count = false;
    CHECK_FALSE(root.find(1));
    root.rules.random_cut = true;
    CHECK_FALSE(root.find(1));
}

// Whether two splits are equal to the last bit.
bool same_splits(const Split& a, const Split& b) {
    return a.feature == b.feature && a.threshold == b.threshold && a.decrease == b.decrease &&
           a.middle == b.middle && a.n_left == b.n_left;
}

TEST_CASE("sort, histogram and the automatic choice find the same split") {
    test::Rng rng(84);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t n = 5 + test::pick(rng, 300);
        const ClassId n_classes = repeat % 3 == 0 ? 2 : 3;
        const Target y = test::random_classes(rng, n, {n_classes});
        AtRoot classes(test::random_matrix(rng, n, 4, repeat % 2 == 0 ? 0 : 9), y);
        AtRoot values(classes.X, test::random_reals(rng, n, 1));
        for (const char* criterion :
             {"gini", "entropy", "misclassification", "squared_error", "absolute_error"})
            for (const test::Weights weights : test::kAllWeights) {
                CAPTURE(std::string(criterion));
                AtRoot& root = find_criterion(criterion).classification ? classes : values;
                root.subset = test::random_subset(rng, n, weights);
                std::vector<Split> splits;
                for (const Search search : {Search::automatic, Search::sort, Search::histogram}) {
                    root.rules.search = search;
                    const auto split = root.find(9, criterion);
                    REQUIRE(split);
                    splits.push_back(*split);
                }
                for (const Split& split : splits) CHECK(same_splits(split, splits[0]));
            }
    }
}

TEST_CASE("a team that shares in the search finds the same split") {
    test::Rng rng(79);
    ThreadTeam team(3, nullptr);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t n = 40 + test::pick(rng, 200);
        test::Matrix X = test::random_matrix(rng, n, 7, repeat % 2 == 0 ? 0 : 5);
        for (std::size_t i = 0; i < n; ++i) X.values[i * 7 + 3] = 1.0;  // one is constant
        AtRoot classes(X, test::random_classes(rng, n, {static_cast<ClassId>(2 + repeat % 2)}));
        AtRoot values(X, test::random_reals(rng, n, 1));
        for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
            CAPTURE(std::string(criterion));
            AtRoot& root = find_criterion(criterion).classification ? classes : values;
            root.subset = test::random_subset(rng, n, test::kAllWeights[repeat % 3]);
            root.rules.random_cut = repeat % 4 == 3;
            root.rules.max_features = 1 + test::pick(rng, 7);
            root.rules.constants_count = repeat % 5 < 3;
            root.rules.shared_from = n;
            const NodeSamples node{0, n, rng(), {}};
            Constants alone_constants(7), shared_constants(7);
            const auto alone = root.find(node, alone_constants, criterion);
            const auto shared = root.find(node, shared_constants, criterion, &team);
            REQUIRE(alone);
            REQUIRE(shared);
            CHECK(same_splits(*shared, *alone));
        }
    }
}

// The search as it is defined: variables in the order drawn, every cut on its own, in whole
// numbers, and of equals the first.
class PlainSearch {
public:
    PlainSearch(const AtRoot& root, std::span<const RowId> rows) : root_(root), rows_(rows) {}

    struct Found {
        double score = -kInfinity;
        FeatureId feature = 0;
        double threshold = 0.0;
    };

    std::optional<Found> find(StreamKey key) {
        FeatureDraw draw(root_.table.n_features());
        draw.begin(key);
        std::optional<Found> best;
        std::size_t counted = 0;
        bool useful = false;
        while (!draw.done() && (counted < root_.rules.max_features || !useful)) {
            const FeatureId f = draw.next();
            const auto cuts = cuts_on(f, key);
            counted += !cuts.empty() || root_.rules.constants_count;
            useful = useful || !cuts.empty();
            for (const double threshold : cuts)
                if (const auto score = score_of(f, threshold);
                    score && (!best || *score > best->score))
                    best = {*score, f, threshold};
        }
        return best;
    }

private:
    double value(FeatureId f, RowId row) const { return root_.X.row(row)[f]; }

    // Thresholds, in order; none if the variable is constant.
    std::vector<double> cuts_on(FeatureId f, StreamKey key) const {
        std::map<double, std::pair<double, double>> ranges;  // of the values at each place
        for (const RowId row : rows_) {
            const auto& column = test::numeric(root_.table, f);
            const double v = value(f, row);
            const bool bin = column.kind == Column::Kind::bin && !root_.rules.random_cut;
            auto& [low, high] = ranges.try_emplace(bin ? column.codes[row] : v, v, v).first->second;
            low = std::min(low, v);
            high = std::max(high, v);
        }
        std::vector<double> cuts;
        if (ranges.size() < 2) return cuts;
        if (root_.rules.random_cut)
            return {draw_threshold(key, f, ranges.begin()->second.first,
                                   ranges.rbegin()->second.second)};
        for (auto at = ranges.begin(), next = std::next(at); next != ranges.end(); ++at, ++next)
            cuts.push_back(middle_of_gap(at->second.second, next->second.first));
        return cuts;
    }

    // Whole numbers as long as possible, and rounded as the core rounds.
    std::optional<double> score_of(FeatureId f, double threshold) const {
        const Target& target = root_.target;
        const std::size_t n_sums = target.classification() ? target.n_classes[0] : 1;
        std::vector<double> left(n_sums, 0.0), node(n_sums, 0.0);
        double L = 0.0, W = 0.0;
        std::size_t n_left = 0;
        for (const RowId row : rows_) {
            const double w = root_.subset.weight(row);
            const std::size_t k = target.classification() ? target.classes[row] : 0;
            const double term = target.classification() ? w : w * target.original[row];
            node[k] += term;
            W += w;
            if (value(f, row) > threshold) continue;
            left[k] += term;
            L += w;
            ++n_left;
        }
        const SearchRules& rules = root_.rules;
        if (n_left < rules.min_samples_leaf || rows_.size() - n_left < rules.min_samples_leaf ||
            L < rules.min_weight_leaf || W - L < rules.min_weight_leaf)
            return std::nullopt;
        double sum = 0.0;
        for (std::size_t k = 0; k < n_sums; ++k) {
            const double d = left[k] * W - node[k] * L;
            sum += d * d;
        }
        return sum / (L * (W - L));
    }

    const AtRoot& root_;
    std::span<const RowId> rows_;
};

// Nodes of any size, in the midst of others, under all rules.
void check_plainly(test::Rng& rng, AtRoot& root, const char* criterion, std::size_t n) {
    const std::size_t n_rows = root.X.rows, p = root.X.cols;
    std::vector<double> weights(n_rows, 0.0);
    for (std::size_t i = 0; i < n + 5; ++i) {
        std::size_t row = test::pick(rng, n_rows);
        while (weights[row] != 0.0) row = (row + 1) % n_rows;
        weights[row] = static_cast<double>(1 + test::pick(rng, 3));
    }
    root.subset = test::subset_of(n_rows, weights);
    root.rules.max_features = 1 + test::pick(rng, p);
    root.rules.constants_count = test::pick(rng, 2) == 0;
    root.rules.min_samples_leaf = test::pick(rng, 3) == 0 ? 1 + test::pick(rng, n / 2) : 1;
    root.rules.min_weight_leaf =
        test::pick(rng, 3) == 0 ? test::pick_real(rng, 0.0, static_cast<double>(n)) : 0.0;
    const NodeSamples node{test::pick(rng, 6), n, rng(), {}};
    const auto rows = std::span(root.subset.rows).subspan(node.begin, n);
    std::vector<double> of_row(root.target.original.begin(), root.target.original.end());
    if (root.target.classification())
        of_row.assign(root.target.classes.begin(), root.target.classes.end());
    if (std::ranges::all_of(rows, [&](RowId row) { return of_row[row] == of_row[rows[0]]; }))
        return;  // such a node is not searched
    Constants constants(p);
    const auto split = root.find(node, constants, criterion);
    const auto plain = PlainSearch(root, rows).find(node.key);
    CHECK(split.has_value() == plain.has_value());
    if (!split || !plain) return;
    CHECK(split->feature == plain->feature);
    CHECK(split->threshold == plain->threshold);
    double weight = 0.0;
    for (const RowId row : rows) weight += root.subset.weight(row);
    const double scale = root.target.classification() ? 1.0 : root.target.scale;
    CHECK(split->decrease / scale / scale ==
          doctest::Approx(plain->score / weight / weight).epsilon(1e-12));
}

// Classes of any number, or whole values.
AtRoot plain_problem(test::Rng& rng, const test::Matrix& X, ClassId n_classes,
                     const BinRule& bins = {}) {
    return {X,
            n_classes > 0 ? test::random_classes(rng, X.rows, {n_classes})
                          : test::random_counts(rng, X.rows, 1),
            bins};
}

TEST_CASE("nodes of any size are split as a plain search splits them") {
    test::Rng rng(78);
    const auto check = [&](const test::Matrix& X, const BinRule& bins = {}) {
        for (const ClassId n_classes : {0U, 2U, 3U, 6U}) {
            AtRoot root = plain_problem(rng, X, n_classes, bins);
            const char* criterion = n_classes == 0 ? "squared_error" : "gini";
            CAPTURE(n_classes);
            for (std::size_t n = 2; n <= 40; ++n)
                for (const bool random_cut : {false, true}) {
                    CAPTURE(n);
                    CAPTURE(random_cut);
                    root.rules.random_cut = random_cut;
                    for (int repeat = 0; repeat < 3; ++repeat)
                        check_plainly(rng, root, criterion, n);
                }
        }
    };
    SUBCASE("few values, many ties") { check(test::random_matrix(rng, 100, 4, 3)); }
    SUBCASE("some values") { check(test::random_matrix(rng, 100, 4, 30)); }
    SUBCASE("no ties") { check(test::random_matrix(rng, 3000, 3)); }
    SUBCASE("a wide table") { check(test::random_matrix(rng, 60, 140, 4)); }
    SUBCASE("values that differ in their last bits") {
        test::Matrix X = test::random_matrix(rng, 100, 3, 40);
        for (double& x : X.values) x = 1.0 + x * 0x1.0p-50;
        check(X);
    }
    SUBCASE("zeros of both signs") {
        test::Matrix X = test::random_matrix(rng, 100, 3, 3);
        for (double& x : X.values) x = x == -1.0 ? -0.0 : x == -0.75 ? 0.0 : x;
        check(X);
    }
    SUBCASE("the ends of the doubles") {
        test::Matrix X = test::random_matrix(rng, 100, 3);
        for (double& x : X.values) x *= std::numeric_limits<double>::max();
        check(X);
    }
}

TEST_CASE("nodes of a table of more values than codes are split as a plain search splits them") {
    test::Rng rng(77);
    // Few stretches of the variables, so that samples of one node share codes.
    const std::size_t n = 80000;
    test::Matrix X = test::random_matrix(rng, n, 2);
    AtRoot classes = plain_problem(rng, X, 2), many = plain_problem(rng, X, 4),
           values = plain_problem(rng, X, 0);
    REQUIRE(test::numeric(classes.table).kind == Column::Kind::several_values);
    std::vector<RowId> by_value(n);
    std::iota(by_value.begin(), by_value.end(), RowId{0});
    std::ranges::sort(by_value, {}, [&](RowId row) { return X.row(row)[0]; });
    for (const std::size_t size : {2U, 3U, 10U, 31U, 33U, 65U, 120U, 500U})
        for (int repeat = 0; repeat < 8; ++repeat)
            for (AtRoot* root : {&classes, &many, &values}) {
                std::vector<double> weights(n, 0.0);
                for (std::size_t i = 0, at = 0; i < size; ++i) {
                    at = i % 8 == 0 ? test::pick(rng, n - 8) : at + 1;
                    weights[by_value[at]] = 1.0;
                }
                root->subset = test::subset_of(n, weights);
                root->rules.random_cut = repeat % 4 == 3;
                root->rules.max_features = 1 + repeat % 2;
                const std::size_t found = root->subset.rows.size();
                const NodeSamples node{0, found, rng(), {}};
                const bool same = std::ranges::all_of(root->subset.rows, [&](RowId row) {
                    const RowId first = root->subset.rows[0];
                    return root->target.classification()
                               ? root->target.classes[row] == root->target.classes[first]
                               : root->target.original[row] == root->target.original[first];
                });
                if (same) continue;
                CAPTURE(found);
                Constants constants(2);
                const auto split = root->find(
                    node, constants, root->target.classification() ? "gini" : "squared_error");
                const auto plain = PlainSearch(*root, root->subset.rows).find(node.key);
                REQUIRE(split.has_value());
                REQUIRE(plain.has_value());
                CHECK(split->feature == plain->feature);
                CHECK(split->threshold == plain->threshold);
            }
}

TEST_CASE(
    "samples of one code that differ in value are parted, and those that do not are constant") {
    test::Rng rng(74);
    // 70000 values, each in two rows: some codes hold two of them.
    std::vector<double> x(140000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sqrt(static_cast<double>(i / 2));
    AtRoot classes(test::column_of(x), alternating(x.size()));
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 3);
    AtRoot values(test::column_of(x), real_target(y, y.size(), 1, true));
    std::vector<std::vector<RowId>> sharing, alone;
    const CodeView& codes = test::numeric(classes.table).codes;
    for (RowId first = 0, end; first < x.size(); first = end) {
        for (end = first; end < x.size() && codes[end] == codes[first];) ++end;
        std::vector<RowId> rows(end - first);
        std::iota(rows.begin(), rows.end(), first);
        (rows.size() == 4 ? sharing : alone).push_back(rows);
    }
    REQUIRE(sharing.size() == 70000 - 65536);
    for (int repeat = 0; repeat < 20; ++repeat)
        for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
            AtRoot& root = find_criterion(criterion).classification ? classes : values;
            CAPTURE(std::string(criterion));
            root.rules.random_cut = repeat % 2 == 1;
            const auto find_in = [&](const std::vector<RowId>& rows) {
                Constants constants(1);
                root.subset.rows = rows;
                const auto split =
                    root.find({0, rows.size(), derive(3, rng()), {}}, constants, criterion);
                constants.load(constants.inherit());
                if (split) CHECK_FALSE(constants.known(0));
                return split;
            };
            const auto& rows = sharing[test::pick(rng, sharing.size())];
            const auto split = find_in(rows);
            REQUIRE(split);
            CHECK(split->n_left == 2);
            CHECK(split->threshold >= x[rows[0]]);
            CHECK(split->threshold < x[rows[3]]);
            CHECK_FALSE(find_in(alone[test::pick(rng, alone.size())]));
        }
}

TEST_CASE("nodes of a binned table are split as a plain search splits them") {
    test::Rng rng(76);
    const BinRule bins{5, BinRule::Widths::equal_frequency};
    for (const ClassId n_classes : {0U, 2U, 3U}) {
        AtRoot root = plain_problem(rng, test::random_matrix(rng, 200, 4), n_classes, bins);
        REQUIRE(test::numeric(root.table).kind == Column::Kind::bin);
        for (std::size_t n = 2; n <= 60; ++n)
            for (int repeat = 0; repeat < 4; ++repeat) {
                CAPTURE(n);
                check_plainly(rng, root, n_classes == 0 ? "squared_error" : "gini", n);
            }
    }
}

TEST_CASE("special statistics find the split that the general one finds") {
    test::Rng rng(75);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, repeat % 2 == 0 ? 30 : 300);
        const auto n_classes = static_cast<ClassId>(2 + repeat % 3);
        const Target y = test::random_classes(rng, n, {n_classes});
        AtRoot root(test::random_matrix(rng, n, 3, repeat % 4 < 2 ? 0 : 6), y);
        root.subset = test::random_subset(
            rng, n, repeat % 2 == 0 ? test::Weights::unit : test::Weights::whole);
        root.rules.random_cut = repeat % 5 == 0;
        const NodeSamples node{0, n, rng(), {}};
        const auto [low, high] = std::ranges::minmax(root.target.classes);
        if (low == high) continue;
        Constants constants(3);
        const auto special = root.find(node, constants, "gini");
        SampleOrder order;
        using C = ClassCounts<Gini>;
        C::fill(root.target, root.subset, order);
        order.rows = root.subset.rows;
        FastSplitter<C> splitter(
            {root.table, root.target, root.subset, root.rules, root.stop, order, root.features});
        splitter.enter(node);
        const auto general = splitter.find_split(node, constants);
        REQUIRE(special);
        REQUIRE(general);
        CHECK(same_splits(*special, *general));
    }
}

TEST_CASE("a random cut parts the node inside its range") {
    test::Rng rng(85);
    const test::Matrix X = test::random_matrix(rng, 50, 3);
    AtRoot root(X, alternating(50));
    root.rules.random_cut = true;
    std::set<double> thresholds;
    for (StreamKey key = 0; key < 100; ++key) {
        const auto split = root.find(derive(3, key));
        REQUIRE(split);
        thresholds.insert(split->threshold);
        const auto n_left = std::ranges::count_if(root.subset.rows, [&](RowId row) {
            return X.row(row)[split->feature] <= split->threshold;
        });
        REQUIRE(split->n_left == static_cast<std::size_t>(n_left));
        REQUIRE(n_left > 0);
        REQUIRE(n_left < 50);
    }
    CHECK(thresholds.size() == 100);
}

TEST_CASE("a search feels a stop request") {
    test::Rng rng(87);
    AtRoot root(test::random_matrix(rng, 10, 2), alternating(10));
    root.stop.request();
    CHECK_THROWS_AS(root.find(1), Interrupted);
}

TEST_CASE("two samples are split by any variable in which they differ") {
    // Levels, levels missing, numbers, numbers missing; each on its own.
    const Target classes = class_target(std::vector<std::int64_t>{0, 1, 0, 1, 1, 0}, 6, {2}),
                 reals = real_target(std::vector<double>{1, 5, 2, 7, 9, 4}, 6, 1, true);
    const LearningSubset subset = test::subset_of(6);
    const std::vector<double> x = {2, 3, 3, NAN, NAN, 2};
    const auto same = [&](std::size_t i, std::size_t k) {
        return x[i] == x[k] || (std::isnan(x[i]) && std::isnan(x[k]));
    };
    const OtherTable tables[] = {category(x, 4), category(x, 100000),
                                 test::other_table(test::column_of(x), {}),
                                 test::sparse_table(test::column_of(x))};
    for (const OtherTable& made : tables)
        for (const bool random : {false, true})
            for (const char* criterion :
                 {"gini", "entropy", "squared_error", "absolute_error", "friedman_mse"})
                for (std::size_t i = 0; i < 5; ++i) {
                    CAPTURE(std::string(criterion));
                    CAPTURE(random);
                    CAPTURE(i);
                    const Target& target =
                        find_criterion(criterion).classification ? classes : reals;
                    SearchRules rules;
                    rules.random_cut = random;
                    for (StreamKey key = 0; key < 20; ++key) {
                        const NodeSamples node{i, 2, derive(5, key), {}};
                        if (target.classification() && target.classes[i] == target.classes[i + 1])
                            continue;  // of one class: nothing to part
                        const Parted got =
                            parted(criterion, made.table(), target, subset, rules, node);
                        CHECK(got.split.has_value() == !same(i, i + 1));
                        if (!got.split) continue;
                        CHECK(got.split->n_left == 1);
                        CHECK(stands(got, *made.X, node));
                        CHECK(got.split->decrease > 0.0);
                        CHECK((got.split->missing == MissingSide::unseen) ==
                              !(std::isnan(x[i]) || std::isnan(x[i + 1])));
                    }
                }
}

TEST_CASE("two samples that the first variables cannot part are parted by a later one") {
    const Matrix X{2, 4, {1, NAN, 5, 0, 1, NAN, 5, 1}};
    const OtherTable made = test::other_table(X, {3, 3, -1, 2});
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const LearningSubset subset = test::subset_of(2);
    for (const bool random : {false, true})
        for (StreamKey key = 0; key < 30; ++key) {
            SearchRules rules;
            rules.random_cut = random;
            rules.max_features = 1 + key % 4;
            const Parted got = parted("gini", made.table(), target, subset, rules, {0, 2, key, {}});
            REQUIRE(got.split);
            CHECK(got.split->feature == 3);
            CHECK(stands(got, X, {0, 2, key, {}}));
        }
}

}  // namespace
}  // namespace silvics
