#include "sampling/patch_rows.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace silvics {
namespace {

__extension__ using Wide = unsigned __int128;

// Levels of parts are below it: a stratum has a key that no part has.
constexpr std::uint64_t kStrataPart = 64;

// The most probable number of special elements.
std::uint64_t mode(std::uint64_t n_special, std::uint64_t n_other, std::uint64_t wanted) {
    return static_cast<std::uint64_t>(Wide{wanted + 1} * (n_special + 1) /
                                      (Wide{n_special} + n_other + 2));
}

// Draws a number from low to high whose probabilities are given by ratio(x): that of x + 1 over
// that of x. The sums begin at the most probable number, first upwards and then downwards; numbers
// below the precision of the uniform draw are left out.
template <class Ratio>
std::uint64_t draw_by_ratios(std::uint64_t low, std::uint64_t high, std::uint64_t most_probable,
                             const Ratio& ratio, RandomStream& stream,
                             std::vector<double>& weights) {
    if (low == high) return low;
    const std::uint64_t peak = std::clamp(most_probable, low, high);
    constexpr double kNegligible = 0x1.0p-64;
    weights.assign(1, 1.0);
    double sum = 1.0;
    const auto add = [&](double weight) {
        weights.push_back(weight);
        sum += weight;
        return weight > kNegligible;
    };
    double weight = 1.0;
    for (std::uint64_t x = peak; x < high; ++x)
        if (!add(weight *= ratio(x))) break;
    const std::size_t n_up = weights.size();
    weight = 1.0;
    for (std::uint64_t x = peak; x > low; --x)
        if (!add(weight /= ratio(x - 1))) break;
    double place = stream.uniform() * sum;
    std::size_t at = 0;
    while (at + 1 < weights.size() && place >= weights[at]) place -= weights[at++];
    return at < n_up ? peak + at : peak - (at - n_up + 1);
}

}  // namespace

std::uint64_t draw_hypergeometric(std::uint64_t n_special, std::uint64_t n_other,
                                  std::uint64_t wanted, RandomStream& stream,
                                  std::vector<double>& weights) {
    const std::uint64_t low = wanted > n_other ? wanted - n_other : 0;
    const std::uint64_t high = std::min(n_special, wanted);
    const auto ratio = [&](std::uint64_t x) {
        return static_cast<double>(n_special - x) * static_cast<double>(wanted - x) /
               (static_cast<double>(x + 1) * static_cast<double>(n_other + x + 1 - wanted));
    };
    return draw_by_ratios(low, high, mode(n_special, n_other, wanted), ratio, stream, weights);
}

std::uint64_t draw_binomial(std::uint64_t n_special, std::uint64_t n_other, std::uint64_t wanted,
                            RandomStream& stream, std::vector<double>& weights) {
    if (n_special == 0 || n_other == 0) return n_special == 0 ? 0 : wanted;
    const auto ratio = [&](std::uint64_t x) {
        return static_cast<double>(wanted - x) * static_cast<double>(n_special) /
               (static_cast<double>(x + 1) * static_cast<double>(n_other));
    };
    const auto peak =
        static_cast<std::uint64_t>(Wide{wanted + 1} * n_special / (Wide{n_special} + n_other));
    return draw_by_ratios(0, wanted, peak, ratio, stream, weights);
}

PatchRows::PatchRows(std::uint32_t seed, std::uint64_t n_rows, std::uint64_t n_drawn,
                     bool replacement, std::uint64_t stratum)
    : key_(derive(root_key(seed), kRowsPart)), n_rows_(n_rows), replacement_(replacement) {
    if (stratum != 0) key_ = derive(derive(key_, kStrataPart), stratum);
    if (n_rows >= std::uint64_t{1} << 53 || n_drawn >= std::uint64_t{1} << 53)
        throw std::invalid_argument("there are too many rows");
    if (replacement ? n_rows == 0 && n_drawn > 0 : n_drawn > n_rows)
        throw std::invalid_argument("a patch cannot have more rows than the table");
    const unsigned bits = n_rows > 1 ? static_cast<unsigned>(std::bit_width(n_rows - 1)) : 0;
    parts_.push_back({0, n_drawn, std::max(bits, kBlockLevel)});
}

std::uint64_t PatchRows::size(const Part& part) const {
    return std::min(std::uint64_t{1} << part.level, n_rows_ - part.first);
}

StreamKey PatchRows::key(const Part& part) const {
    return derive(derive(key_, part.level), part.first);
}

bool PatchRows::draw_block(std::uint64_t end) {
    while (!parts_.empty()) {
        const Part part = parts_.back();
        if (part.count > 0 && part.first >= end) return false;
        parts_.pop_back();
        if (part.count == 0) continue;
        if (part.level == kBlockLevel) {
            if (replacement_)
                draw_rows_with_replacement(part);
            else
                draw_rows_of(part);
            return true;
        }
        divide(part);
    }
    return false;
}

void PatchRows::divide(const Part& part) {
    const std::uint64_t half = std::uint64_t{1} << (part.level - 1), all = size(part);
    Part left{part.first, part.count, part.level - 1};
    if (all > half) {
        RandomStream stream(key(part));
        left.count = (replacement_ ? draw_binomial : draw_hypergeometric)(
            half, all - half, part.count, stream, weights_);
        parts_.push_back({part.first + half, part.count - left.count, part.level - 1});
    }
    parts_.push_back(left);
}

// Draws without replacement (Floyd): each number from n - wanted on is taken, unless the number
// drawn up to it has not been taken yet. If most rows are drawn, the others are drawn instead.
void PatchRows::draw_rows_of(const Part& block) {
    RandomStream stream(key(block));
    const std::uint64_t n = size(block), wanted = std::min(block.count, n - block.count);
    const bool others = wanted != block.count;
    taken_.fill(0);
    const auto word = [&](std::uint64_t i) -> std::uint64_t& { return taken_[i / 64]; };
    const auto bit = [](std::uint64_t i) { return std::uint64_t{1} << (i % 64); };
    for (std::uint64_t j = n - wanted; j < n; ++j) {
        const std::uint64_t drawn = stream.below(j + 1);
        const std::uint64_t i = (word(drawn) & bit(drawn)) != 0 ? j : drawn;
        word(i) |= bit(i);
    }
    rows_.clear();
    next_ = 0;
    for (std::uint64_t first = 0; first < n; first += 64) {
        std::uint64_t rest = others ? ~word(first) : word(first);
        if (n - first < 64) rest &= bit(n - first) - 1;
        for (; rest != 0; rest &= rest - 1)
            rows_.push_back(block.first + first +
                            static_cast<std::uint64_t>(std::countr_zero(rest)));
    }
}

void PatchRows::draw_rows_with_replacement(const Part& block) {
    RandomStream stream(key(block));
    const std::uint64_t n = size(block);
    rows_.resize(block.count);
    next_ = 0;
    for (std::uint64_t& row : rows_) row = block.first + stream.below(n);
    std::ranges::sort(rows_);
}

}  // namespace silvics
