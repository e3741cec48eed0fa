#include "criterion/catalogue.hpp"

#include <algorithm>
#include <stdexcept>

#include "criterion/class_counts.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/splitter_for.hpp"

namespace silvics {
namespace {

template <Criterion C>
std::unique_ptr<Splitter> make(const SplitterParts& parts) {
    return std::make_unique<SplitterFor<C>>(parts);
}

}  // namespace

const std::vector<CriterionEntry>& criteria() {
    static const std::vector<CriterionEntry> entries = {
        {"gini", true, false, make<ClassCounts<Gini>>},
        {"entropy", true, false, make<ClassCounts<Entropy>>},
        {"log_loss", true, false, make<ClassCounts<Entropy>>},
        {"misclassification", true, false, make<ClassCounts<Misclassification>>},
        {"squared_error", false, true, make<Moments<SquaredError>>},
        {"friedman_mse", false, true, make<Moments<FriedmanImprovement>>},
        {"poisson", false, false, make<Moments<PoissonDeviance>>},
        {"absolute_error", false, true, make<OrderedTargets>},
    };
    return entries;
}

const CriterionEntry& find_criterion(const std::string& name) {
    const auto& entries = criteria();
    const auto at = std::ranges::find(entries, name, &CriterionEntry::name);
    if (at != entries.end()) return *at;
    std::string known;
    for (const auto& entry : entries)
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    throw std::invalid_argument("unknown criterion '" + name + "'; known are " + known);
}

}  // namespace silvics
