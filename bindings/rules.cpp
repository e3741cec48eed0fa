// The rules that trees grow by: one line for each.
#include <type_traits>

#include "builder/growth_rules.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

// A rule of the search, or of stopping, as an attribute of GrowthRules.
template <auto kPart, auto kRule>
void bind_rule(nb::class_<GrowthRules>& rules, const char* name) {
    using Value = std::remove_cvref_t<decltype((GrowthRules{}.*kPart).*kRule)>;
    rules.def_prop_rw(
        name, [](const GrowthRules& r) { return (r.*kPart).*kRule; },
        [](GrowthRules& r, Value value) { (r.*kPart).*kRule = std::move(value); });
}

template <auto kRule>
void of_search(nb::class_<GrowthRules>& rules, const char* name) {
    bind_rule<&GrowthRules::search, kRule>(rules, name);
}

template <auto kRule>
void of_stopping(nb::class_<GrowthRules>& rules, const char* name) {
    bind_rule<&GrowthRules::stopping, kRule>(rules, name);
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<GrowthRules> rules(m, "GrowthRules", "Everything that decides the shape of a tree.");
    rules.def(nb::init<>())
        .def_rw("growth", &GrowthRules::growth)
        .def_rw("ccp_alpha", &GrowthRules::ccp_alpha)
        .def_rw("min_weight_fraction_leaf", &GrowthRules::min_weight_fraction_leaf)
        .def_rw("columns_of_tree", &GrowthRules::columns_of_tree)
        .def_prop_ro("needs_general_splitter",
                     [](const GrowthRules& r) { return r.search.needs_general_splitter(); });
    of_search<&SearchRules::max_features>(rules, "max_features");
    of_search<&SearchRules::constants_count>(rules, "constants_count");
    of_search<&SearchRules::adjust_levels>(rules, "adjust_levels");
    of_search<&SearchRules::random_cut>(rules, "random_cut");
    of_search<&SearchRules::search>(rules, "search");
    of_search<&SearchRules::split_sample>(rules, "split_sample");
    of_search<&SearchRules::shared_from>(rules, "shared_from");
    of_search<&SearchRules::min_samples_leaf>(rules, "min_samples_leaf");
    of_search<&SearchRules::monotonic>(rules, "monotonic");
    of_search<&SearchRules::cut_draw>(rules, "cut_draw");
    of_search<&SearchRules::variable_draw>(rules, "variable_draw");
    of_search<&SearchRules::choice>(rules, "choice");
    of_search<&SearchRules::kind>(rules, "kind");
    of_search<&SearchRules::missing>(rules, "missing");
    of_search<&SearchRules::n_best>(rules, "n_best");
    of_search<&SearchRules::near_best>(rules, "near_best");
    of_search<&SearchRules::near_best_depth>(rules, "near_best_depth");
    of_search<&SearchRules::n_combined>(rules, "n_combined");
    of_search<&SearchRules::range_sample>(rules, "range_sample");
    of_search<&SearchRules::max_values>(rules, "max_values");
    of_search<&SearchRules::significance>(rules, "significance");
    of_search<&SearchRules::n_permutations>(rules, "n_permutations");
    of_search<&SearchRules::honest>(rules, "honest");
    of_search<&SearchRules::general>(rules, "general");
    of_search<&SearchRules::probabilities>(rules, "probabilities");
    of_search<&SearchRules::relevant>(rules, "relevant");
    of_stopping<&StoppingRule::max_depth>(rules, "max_depth");
    of_stopping<&StoppingRule::min_samples_split>(rules, "min_samples_split");
    of_stopping<&StoppingRule::min_impurity_decrease>(rules, "min_impurity_decrease");
    of_stopping<&StoppingRule::max_leaf_nodes>(rules, "max_leaf_nodes");
    of_stopping<&StoppingRule::split_pure>(rules, "split_pure");
}

}  // namespace silvics::bindings
