#include "tree/branches.hpp"

namespace silvics {
namespace {

void put(double number, std::vector<std::uint32_t>& records) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    records.push_back(static_cast<std::uint32_t>(bits));
    records.push_back(static_cast<std::uint32_t>(bits >> 32));
}

}  // namespace

std::size_t BranchRecord::append(const Branching& branching, std::vector<std::uint32_t>& records) {
    const std::size_t at = records.size();
    const bool levels = branching.test == Branching::Test::levels;
    const bool subset = branching.test == Branching::Test::subset;
    const std::size_t n_cuts = levels   ? branching.levels.size()
                               : subset ? 1
                                        : branching.thresholds.size();
    records.insert(records.end(), {static_cast<std::uint32_t>(branching.test), branching.n_children,
                                   branching.missing_child, branching.other_child,
                                   static_cast<std::uint32_t>(branching.terms.size()),
                                   static_cast<std::uint32_t>(n_cuts)});
    records.resize(records.size() + branching.n_children, 0);
    for (const Term& term : branching.terms) {
        records.push_back(term.feature);
        put(term.coefficient, records);
        records.push_back(std::bit_cast<std::uint32_t>(term.share));
    }
    if (levels)
        records.insert(records.end(), branching.levels.begin(), branching.levels.end());
    else if (subset)
        put(branching.subset.in_place(), records);
    else
        for (const double threshold : branching.thresholds) put(threshold, records);
    return at;
}

std::size_t BranchRecord::append_without_missing(const BranchRecord& record,
                                                 std::vector<std::uint32_t>& records) {
    const std::size_t at = records.size();
    const auto words = record.words().first(record.size() - (record.some_missing() ? 2 : 0));
    records.insert(records.end(), words.begin(), words.end());
    records[at] &= ~kSomeMissing;
    return at;
}

void BranchRecord::append_missing(std::size_t at, LevelRule levels,
                                  std::vector<std::uint32_t>& records) {
    records[at] |= kSomeMissing;
    put(levels.in_place(), records);
}

bool BranchRecord::valid(std::span<const std::uint32_t> at, std::size_t n_features,
                         std::span<const std::uint32_t> sets) {
    if (at.size() < kHead || BranchRecord(at.data()).test() > Branching::Test::subset) return false;
    // Each part is below 2^32, so that their sum does not wrap.
    if (size_of(at.data()) > at.size()) return false;
    const BranchRecord record(at.data());
    const std::uint32_t n = record.n_children();
    if (n == 0 || record.missing_child() >= n) return false;
    if (record.some_missing() &&
        (record.test() == Branching::Test::thresholds || !record.missing_levels().valid(sets)))
        return false;
    for (std::uint32_t i = 0; i < record.n_terms(); ++i)
        if (const Term t = record.term(i); t.feature >= n_features ||
                                           !std::isfinite(t.coefficient) || !(t.share >= 0.0F) ||
                                           !(t.share <= 1.0F))
            return false;
    switch (record.test()) {
        case Branching::Test::thresholds:  // missing values may have one more child
            for (std::uint32_t i = 0; i < record.n_cuts(); ++i)
                if (std::isnan(record.threshold(i)) ||
                    (i > 0 && !(record.threshold(i - 1) < record.threshold(i))))
                    return false;
            return record.n_cuts() < n;
        case Branching::Test::levels:
            return record.n_terms() == 0 && record.n_cuts() <= n && record.other_child() < n &&
                   std::ranges::is_sorted(record.levels(), std::ranges::less_equal{});
        default:
            return record.n_terms() == 0 && record.n_cuts() == 1 && n >= 2 &&
                   record.subset().valid(sets);
    }
}

}  // namespace silvics
