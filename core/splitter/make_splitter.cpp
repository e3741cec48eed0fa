#include "splitter/make_splitter.hpp"

#include <algorithm>
#include <stdexcept>

#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/custom_criterion.hpp"
#include "criterion/exact_poisson.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/joint_counts.hpp"
#include "criterion/ordered_targets.hpp"
#include "criterion/rounded_moments.hpp"
#include "splitter/fast/fast_splitter.hpp"
#include "splitter/general/general_splitter.hpp"

namespace silvics {
namespace {

template <Criterion C>
std::unique_ptr<Splitter> make(const SplitterParts& parts) {
    if constexpr (MovingCriterion<C>)
        if (parts.rules.needs_general_splitter()) {
            GeneralSplitter<C>::fill(parts);
            return std::make_unique<GeneralSplitter<C>>(parts);
        }
    C::fill(parts.target, parts.subset, parts.order);
    return std::make_unique<FastSplitter<C>>(parts);
}

// For criteria that only the general splitter supports.
template <MovingCriterion C>
std::unique_ptr<Splitter> make_general(const SplitterParts& parts) {
    if (!parts.rules.needs_general_splitter())
        throw std::invalid_argument("the criterion needs rules of the general splitter");
    GeneralSplitter<C>::fill(parts);
    return std::make_unique<GeneralSplitter<C>>(parts);
}

bool has_category(const Table& table) {
    return std::ranges::any_of(
        table.columns, [](const Column& column) { return column.kind == Column::Kind::category; });
}

template <Criterion C>
constexpr bool orders_levels() {
    if constexpr (ExactSumCriterion<C>) return C::Scores::kOrdersLevels;
    if constexpr (requires { C::kOrdersLevels; }) return C::kOrdersLevels;
    return true;
}

// Whether the search of a criterion supports the columns and the monotonic constraints, if there
// are any. Exact sums do so for plain variables.
template <Criterion C>
bool supports_columns(const SplitterParts& parts) {
    if (!orders_levels<C>() && has_category(parts.table)) return false;
    const auto& signs = parts.rules.monotonic;
    for (std::size_t f = 0; f < signs.size(); ++f)
        if (signs[f] != 0 && !(ExactSumCriterion<C> && parts.table.columns[f].plain)) return false;
    return true;
}

// The first criterion that suits the target and the weights; the last suits all. Only the last
// supports all monotonic constraints and the general splitter.
template <Criterion First, Criterion... Others>
std::unique_ptr<Splitter> make_first(const SplitterParts& parts) {
    if constexpr (sizeof...(Others) == 0)
        return make<First>(parts);
    else if (supports_columns<First>(parts) && !parts.rules.needs_general_splitter() &&
             First::suits(parts.target, parts.subset))
        return make<First>(parts);
    else
        return make_first<Others...>(parts);
}

}  // namespace

const std::vector<CriterionEntry>& criteria() {
    static const std::vector<CriterionEntry> entries = {
        {"gini", true, false, CompactionRule::gini,
         make_first<BinaryGini, IntegerGini, JointGini, RoundedGini, ClassCounts<Gini>>},
        {"entropy", true, false, CompactionRule::entropy,
         make_first<IntegerEntropy, JointEntropy, ClassCounts<Entropy>>},
        {"log_loss", true, false, CompactionRule::entropy,
         make_first<IntegerEntropy, JointEntropy, ClassCounts<Entropy>>},
        {"misclassification", true, false, CompactionRule::misclassification,
         make<ClassCounts<Misclassification>>},
        {"squared_error", false, true, CompactionRule::variance,
         make_first<ExactSquaredError, RoundedSquaredError, Moments<SquaredError>>},
        {"friedman_mse", false, true, CompactionRule::variance,
         make_first<ExactSquaredError, RoundedSquaredError, Moments<FriedmanImprovement>>},
        {"poisson", false, false, CompactionRule::none,
         make_first<ExactPoisson, Moments<PoissonDeviance>>},
        {"absolute_error", false, true, CompactionRule::none, make<OrderedTargets>},
    };
    return entries;
}

const std::vector<CriterionEntry>& custom_criteria() {
    static const std::vector<CriterionEntry> entries = {
        {"custom_classes", true, false, CompactionRule::none, make_general<CustomCounts>},
        {"custom_moments", false, true, CompactionRule::none, make_general<CustomMoments>},
    };
    return entries;
}

const CriterionEntry& find_criterion(const std::string& name) {
    for (const CriterionEntry& entry : custom_criteria())
        if (entry.name == name) return entry;
    const auto& entries = criteria();
    const auto at = std::ranges::find(entries, name, &CriterionEntry::name);
    if (at != entries.end()) return *at;
    std::string known;
    for (const auto& entry : entries)
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    throw std::invalid_argument("unknown criterion '" + name + "'; known are " + known);
}

}  // namespace silvics
