#include <algorithm>
#include <cmath>

#include "doctest/doctest.h"
#include "splitter/general/association.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

doctest::Approx close_to(double value) { return doctest::Approx(value).epsilon(1e-10).scale(0); }

TEST_CASE("tails of chi-square are those of tables") {
    struct Known {
        double x, degrees, tail;
    };
    // Abramowitz & Stegun, table 26.8, with more digits.
    for (const auto& [x, degrees, tail] :
         {Known{3.841458820694124, 1, 0.05}, Known{6.634896601021213, 1, 0.01},
          Known{0.003932140000019522, 1, 0.95}, Known{5.991464547107979, 2, 0.05},
          Known{18.307038053275146, 10, 0.05}, Known{3.940299136119127, 10, 0.95},
          Known{124.34211340400407, 100, 0.05}}) {
        CAPTURE(x);
        CHECK(chi_square_tail(x, degrees) == close_to(tail));
    }
}

TEST_CASE("tails of chi-square are their closed forms, far out too") {
    for (double x = 0.001; x < 1400.0; x *= 1.3) {
        CAPTURE(x);
        CHECK(chi_square_tail(x, 1) == close_to(std::erfc(std::sqrt(x / 2))));
        // Of an even number: P(Poisson(x / 2) < degrees / 2).
        double term = std::exp(-x / 2), sum = 0.0;
        for (int half = 1; half <= 60; ++half) {
            sum += term;
            term *= x / 2 / half;
            if (sum > 1e-290) CHECK(chi_square_tail(x, 2 * half) == close_to(sum));
        }
    }
    CHECK(chi_square_tail(0.0, 3) == 1.0);
    CHECK(chi_square_tail(-1e-12, 3) == 1.0);
}

// ---- the test, by its formulas

struct Data {
    std::vector<double> numbers, others, weights;
    std::vector<Code> classes, levels;
    std::size_t n_classes = 4, n_levels = 3;

    Margin number() const { return {numbers, {}, 0}; }
    Margin other() const { return {others, {}, 0}; }
    Margin of_classes() const { return {{}, classes, n_classes}; }
    Margin of_levels() const { return {{}, levels, n_levels}; }
    std::size_t size() const { return weights.size(); }
    double whole() const {
        double sum = 0.0;
        for (const double w : weights) sum += w;
        return sum;
    }
};

Data random_data(test::Rng& rng, std::size_t n, bool weighted) {
    Data data;
    for (std::size_t i = 0; i < n; ++i) {
        data.weights.push_back(weighted ? static_cast<double>(1 + test::pick(rng, 3)) : 1.0);
        data.numbers.push_back(100.0 + test::pick_real(rng, -1.0, 1.0));
        data.classes.push_back(static_cast<Code>(test::pick(rng, 3)));  // one class is absent
        data.levels.push_back(static_cast<Code>(test::pick(rng, 3)));
        data.others.push_back(0.3 * data.numbers.back() + test::pick_real(rng, -1.0, 1.0) +
                              0.2 * data.classes.back());
    }
    return data;
}

double mean_of(const std::vector<double>& x, const Data& data, const std::vector<char>& in = {}) {
    double sum = 0.0, whole = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (in.empty() || in[i] != 0) {
            sum += data.weights[i] * x[i];
            whole += data.weights[i];
        }
    return sum / whole;
}

double variance_of(const std::vector<double>& x, const Data& data) {
    const double mean = mean_of(x, data);
    std::vector<double> squares;
    for (const double v : x) squares.push_back((v - mean) * (v - mean));
    return mean_of(squares, data);
}

TEST_CASE("two numbers: (n - 1) r^2, one degree of freedom") {
    test::Rng rng(470);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Data data = random_data(rng, 3 + test::pick(rng, 40), repeat % 2 == 1);
        const double mx = mean_of(data.numbers, data), my = mean_of(data.others, data);
        std::vector<double> products;
        for (std::size_t i = 0; i < data.size(); ++i)
            products.push_back((data.numbers[i] - mx) * (data.others[i] - my));
        const double r = mean_of(products, data) / std::sqrt(variance_of(data.numbers, data) *
                                                             variance_of(data.others, data));
        const double expected = std::erfc(std::sqrt((data.whole() - 1.0) * r * r / 2));
        for (const bool turned : {false, true})
            CHECK(p_value_of_independence(turned ? data.other() : data.number(),
                                          turned ? data.number() : data.other(),
                                          data.weights) == doctest::Approx(expected).epsilon(1e-8));
    }
}

TEST_CASE("a number and classes: (n - 1) times the variance between classes over all of it") {
    test::Rng rng(471);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Data data = random_data(rng, 6 + test::pick(rng, 40), repeat % 2 == 1);
        const double mean = mean_of(data.others, data);
        double between = 0.0, present = 0.0;
        for (Code c = 0; c < data.n_classes; ++c) {
            std::vector<char> in;
            double w = 0.0;
            for (std::size_t i = 0; i < data.size(); ++i) {
                in.push_back(data.classes[i] == c);
                if (in.back() != 0) w += data.weights[i];
            }
            if (w == 0.0) continue;
            const double m = mean_of(data.others, data, in);
            between += w * (m - mean) * (m - mean);
            present += 1.0;
        }
        const double eta = between / data.whole() / variance_of(data.others, data);
        const double expected = chi_square_tail((data.whole() - 1.0) * eta, present - 1.0);
        CHECK(p_value_of_independence(data.other(), data.of_classes(), data.weights) ==
              doctest::Approx(expected).epsilon(1e-8));
        CHECK(p_value_of_independence(data.of_classes(), data.other(), data.weights) ==
              doctest::Approx(expected).epsilon(1e-8));
    }
}

TEST_CASE("two categories: Pearson's statistic times (n - 1) / n") {
    test::Rng rng(472);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Data data = random_data(rng, 12 + test::pick(rng, 40), repeat % 2 == 1);
        double pearson = 0.0, rows = 0.0, columns = 0.0;
        const auto weight = [&](int a, int b) {
            double sum = 0.0;
            for (std::size_t i = 0; i < data.size(); ++i)
                if ((a < 0 || data.levels[i] == static_cast<Code>(a)) &&
                    (b < 0 || data.classes[i] == static_cast<Code>(b)))
                    sum += data.weights[i];
            return sum;
        };
        for (int a = 0; a < 3; ++a) rows += weight(a, -1) > 0.0;
        for (int b = 0; b < 4; ++b) columns += weight(-1, b) > 0.0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 4; ++b) {
                const double by_chance = weight(a, -1) * weight(-1, b) / data.whole();
                if (by_chance == 0.0) continue;
                const double d = weight(a, b) - by_chance;
                pearson += d * d / by_chance;
            }
        const double expected = chi_square_tail(pearson * (data.whole() - 1.0) / data.whole(),
                                                (rows - 1.0) * (columns - 1.0));
        CHECK(p_value_of_independence(data.of_levels(), data.of_classes(), data.weights) ==
              doctest::Approx(expected).epsilon(1e-8));
        CHECK(p_value_of_independence(data.of_classes(), data.of_levels(), data.weights) ==
              doctest::Approx(expected).epsilon(1e-8));
    }
}

TEST_CASE("neither order, nor units, nor names play a part") {
    test::Rng rng(473);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const Data data = random_data(rng, 30, true);
        std::vector<std::size_t> order(30);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, rng);
        Data other = data;
        for (std::size_t i = 0; i < 30; ++i) {
            const std::size_t j = order[i];
            other.numbers[i] = 7.0 - 3e5 * data.numbers[j];
            other.others[i] = 1e-8 * data.others[j];
            other.weights[i] = data.weights[j];
            other.classes[i] = 3 - data.classes[j];
            other.levels[i] = (data.levels[j] + 1) % 3;
        }
        const auto same = [&](Margin (Data::*x)() const, Margin (Data::*y)() const) {
            const double a = p_value_of_independence((data.*x)(), (data.*y)(), data.weights);
            const double b = p_value_of_independence((other.*x)(), (other.*y)(), other.weights);
            return std::fabs(a - b) <= 1e-7 * a;
        };
        CHECK(same(&Data::number, &Data::other));
        CHECK(same(&Data::number, &Data::of_classes));
        CHECK(same(&Data::of_levels, &Data::other));
        CHECK(same(&Data::of_levels, &Data::of_classes));
    }
}

TEST_CASE("where one side is constant there is no dependence") {
    test::Rng rng(474);
    Data data = random_data(rng, 20, false);
    const Data varied = data;
    data.numbers.assign(20, 3.25);
    data.levels.assign(20, 2);
    for (const Margin& constant : {data.number(), data.of_levels()})
        for (const Margin& y : {varied.other(), varied.of_classes()}) {
            CHECK(p_value_of_independence(constant, y, data.weights) == 1.0);
            CHECK(p_value_of_independence(y, constant, data.weights) == 1.0);
        }
}

TEST_CASE("a constant is one whatever its mean rounds to") {
    test::Rng rng(476);
    for (std::size_t n = 2; n < 40; ++n)
        for (const double x : {0.1, -0.3, 1e-9, 123.456}) {
            Data data = random_data(rng, n, n % 2 == 0);
            data.numbers.assign(n, x);
            for (const Margin& y : {data.other(), data.of_classes(), data.of_levels()}) {
                CHECK(p_value_of_independence(data.number(), y, data.weights) > 0.99);
                CHECK(p_value_of_independence(y, data.number(), data.weights) > 0.99);
            }
        }
}

TEST_CASE("where there is no dependence, p-values are about uniform") {
    test::Rng rng(475);
    const std::size_t n = 60, trials = 4000;
    std::vector<double> small(4, 0.0);
    for (std::size_t trial = 0; trial < trials; ++trial) {
        const Data a = random_data(rng, n, false), b = random_data(rng, n, false);
        const std::vector<double> p = {
            p_value_of_independence(a.number(), b.number(), a.weights),
            p_value_of_independence(a.number(), b.of_classes(), a.weights),
            p_value_of_independence(a.of_levels(), b.number(), a.weights),
            p_value_of_independence(a.of_levels(), b.of_classes(), a.weights)};
        for (std::size_t k = 0; k < 4; ++k) small[k] += p[k] <= 0.1;
    }
    // The distribution is that of many samples: a tenth, to two hundredths.
    for (const double count : small)
        CHECK(count / static_cast<double>(trials) == doctest::Approx(0.1).epsilon(0.2));
}

}  // namespace
}  // namespace silvics
