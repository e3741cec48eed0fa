#include "splitter/general/association.hpp"

#include <algorithm>
#include <cmath>

namespace silvics {
namespace {

// Weight and sum of numbers of one class.
struct Group {
    double weight = 0.0, sum = 0.0;
};

struct Numbers {
    double weight = 0.0, mean = 0.0, squares = 0.0;  // sum of squares around the mean
};

Numbers numbers_of(std::span<const double> values, std::span<const double> weights) {
    Numbers of;
    for (std::size_t i = 0; i < values.size(); ++i) {
        of.weight += weights[i];
        of.mean += weights[i] * values[i];
    }
    of.mean /= of.weight;
    // The mean of equal values may round to another value.
    if (std::ranges::all_of(values, [&](double x) { return x == values[0]; })) return of;
    for (std::size_t i = 0; i < values.size(); ++i)
        of.squares += weights[i] * (values[i] - of.mean) * (values[i] - of.mean);
    return of;
}

struct Strength {
    double explained = 0.0, degrees = 0.0, weight = 0.0;
};

Strength of_numbers(const Margin& x, const Margin& y, std::span<const double> weights) {
    const Numbers of_x = numbers_of(x.values, weights), of_y = numbers_of(y.values, weights);
    double product = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        product += weights[i] * (x.values[i] - of_x.mean) * (y.values[i] - of_y.mean);
    if (!(of_x.squares > 0.0) || !(of_y.squares > 0.0)) return {};
    return {product / of_x.squares * (product / of_y.squares), 1.0, of_x.weight};
}

Strength of_number_and_classes(const Margin& number, const Margin& classes,
                               std::span<const double> weights) {
    const Numbers of = numbers_of(number.values, weights);
    std::vector<Group> groups(classes.n_classes);
    for (std::size_t i = 0; i < number.size(); ++i) {
        Group& group = groups[classes.classes[i]];
        group.weight += weights[i];
        group.sum += weights[i] * (number.values[i] - of.mean);
    }
    double between = 0.0, present = 0.0;
    for (const Group& group : groups) {
        if (!(group.weight > 0.0)) continue;
        between += group.sum / group.weight * group.sum;
        present += 1.0;
    }
    if (!(of.squares > 0.0)) return {};
    return {between / of.squares, present - 1.0, of.weight};
}

Strength of_classes(const Margin& x, const Margin& y, std::span<const double> weights) {
    std::vector<double> of_x(x.n_classes, 0.0), of_y(y.n_classes, 0.0);
    std::vector<double> both(x.n_classes * y.n_classes, 0.0);
    double whole = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        of_x[x.classes[i]] += weights[i];
        of_y[y.classes[i]] += weights[i];
        both[x.classes[i] * y.n_classes + y.classes[i]] += weights[i];
        whole += weights[i];
    }
    double explained = 0.0, rows = 0.0, columns = 0.0;
    for (std::size_t a = 0; a < of_x.size(); ++a) {
        if (!(of_x[a] > 0.0)) continue;
        rows += 1.0;
        for (std::size_t b = 0; b < of_y.size(); ++b) {
            if (!(of_y[b] > 0.0)) continue;
            const double share = both[a * y.n_classes + b] / of_x[a];
            explained += share * (both[a * y.n_classes + b] / of_y[b]);
        }
    }
    for (const double w : of_y) columns += w > 0.0;
    return {explained - 1.0, (rows - 1.0) * (columns - 1.0), whole};
}

}  // namespace

double chi_square_tail(double x, double degrees) {
    // The regularised upper incomplete gamma function: its series below the mean, its continued
    // fraction (by Lentz's method) above.
    const double a = degrees / 2, z = x / 2;
    if (!(z > 0.0)) return 1.0;
    const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
    if (z < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (double k = a + 1.0; term > sum * 1e-16; k += 1.0) sum += term *= z / k;
        return 1.0 - front * sum;
    }
    double b = z + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
    for (int i = 1; i < 10000; ++i) {
        const double n = i * (a - i);
        b += 2.0;
        d = 1.0 / (n * d + b);
        c = b + n / c;
        h *= d * c;
        if (std::fabs(d * c - 1.0) < 1e-15) break;
    }
    return front * h;
}

double p_value_of_independence(const Margin& x, const Margin& y, std::span<const double> weights) {
    const bool x_classes = x.n_classes > 0, y_classes = y.n_classes > 0;
    const Strength of = x_classes && y_classes ? of_classes(x, y, weights)
                        : x_classes            ? of_number_and_classes(y, x, weights)
                        : y_classes            ? of_number_and_classes(x, y, weights)
                                               : of_numbers(x, y, weights);
    if (!(of.degrees >= 1.0)) return 1.0;
    return chi_square_tail((of.weight - 1.0) * of.explained, of.degrees);
}

}  // namespace silvics
