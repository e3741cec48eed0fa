// The rules by which trees grow, one line each.
#include <type_traits>

#include "builder/growth_rules.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

// Binds a member of the search rules or of the stopping rule as an attribute of GrowthRules.
template <auto kPart, auto kRule>
void bind_rule(nb::class_<GrowthRules>& rules, const char* name) {
    using Value = std::remove_cvref_t<decltype((GrowthRules{}.*kPart).*kRule)>;
    rules.def_prop_rw(
        name, [](const GrowthRules& r) { return (r.*kPart).*kRule; },
        [](GrowthRules& r, Value value) { (r.*kPart).*kRule = std::move(value); });
}

template <auto kRule>
void bind_search(nb::class_<GrowthRules>& rules, const char* name) {
    bind_rule<&GrowthRules::search, kRule>(rules, name);
}

template <auto kRule>
void bind_stopping(nb::class_<GrowthRules>& rules, const char* name) {
    bind_rule<&GrowthRules::stopping, kRule>(rules, name);
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<GrowthRules> rules(m, "GrowthRules", "The rules by which trees grow.");
    rules.def(nb::init<>())
        .def_rw("growth", &GrowthRules::growth)
        .def_rw("ccp_alpha", &GrowthRules::ccp_alpha)
        .def_rw("min_weight_fraction_leaf", &GrowthRules::min_weight_fraction_leaf)
        .def_rw("columns_of_tree", &GrowthRules::columns_of_tree)
        .def_prop_ro("needs_general_splitter",
                     [](const GrowthRules& r) { return r.search.needs_general_splitter(); });
    bind_search<&SearchRules::max_features>(rules, "max_features");
    bind_search<&SearchRules::constants_count>(rules, "constants_count");
    bind_search<&SearchRules::adjust_levels>(rules, "adjust_levels");
    bind_search<&SearchRules::random_cut>(rules, "random_cut");
    bind_search<&SearchRules::search>(rules, "search");
    bind_search<&SearchRules::split_sample>(rules, "split_sample");
    bind_search<&SearchRules::shared_from>(rules, "shared_from");
    bind_search<&SearchRules::min_samples_leaf>(rules, "min_samples_leaf");
    bind_search<&SearchRules::monotonic>(rules, "monotonic");
    bind_search<&SearchRules::cut_draw>(rules, "cut_draw");
    bind_search<&SearchRules::variable_draw>(rules, "variable_draw");
    bind_search<&SearchRules::choice>(rules, "choice");
    bind_search<&SearchRules::kind>(rules, "kind");
    bind_search<&SearchRules::missing>(rules, "missing");
    bind_search<&SearchRules::n_best>(rules, "n_best");
    bind_search<&SearchRules::near_best>(rules, "near_best");
    bind_search<&SearchRules::near_best_depth>(rules, "near_best_depth");
    bind_search<&SearchRules::n_combined>(rules, "n_combined");
    bind_search<&SearchRules::range_sample>(rules, "range_sample");
    bind_search<&SearchRules::max_values>(rules, "max_values");
    bind_search<&SearchRules::significance>(rules, "significance");
    bind_search<&SearchRules::n_permutations>(rules, "n_permutations");
    bind_search<&SearchRules::honest>(rules, "honest");
    bind_search<&SearchRules::general>(rules, "general");
    bind_search<&SearchRules::probabilities>(rules, "probabilities");
    bind_search<&SearchRules::relevant>(rules, "relevant");
    bind_search<&SearchRules::relief_samples>(rules, "relief_samples");
    bind_search<&SearchRules::relief_neighbors>(rules, "relief_neighbors");
    bind_search<&SearchRules::min_score>(rules, "min_score");
    bind_search<&SearchRules::node_bins>(rules, "node_bins");
    bind_search<&SearchRules::n_node_bins>(rules, "n_node_bins");
    bind_search<&SearchRules::presort>(rules, "presort");
    bind_search<&SearchRules::custom_criterion>(rules, "custom_criterion");
    bind_search<&SearchRules::always>(rules, "always");
    bind_search<&SearchRules::interactions>(rules, "interactions");
    bind_search<&SearchRules::pairwise>(rules, "pairwise");
    bind_stopping<&StoppingRule::max_depth>(rules, "max_depth");
    bind_stopping<&StoppingRule::min_samples_split>(rules, "min_samples_split");
    bind_stopping<&StoppingRule::min_impurity_decrease>(rules, "min_impurity_decrease");
    bind_stopping<&StoppingRule::max_leaf_nodes>(rules, "max_leaf_nodes");
    bind_stopping<&StoppingRule::split_pure>(rules, "split_pure");
    bind_stopping<&StoppingRule::max_splits>(rules, "max_splits");
    bind_stopping<&StoppingRule::min_impurity_split>(rules, "min_impurity_split");
    bind_stopping<&StoppingRule::max_majority>(rules, "max_majority");
}

}  // namespace silvics::bindings
