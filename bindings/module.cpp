#include "views.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core of silvics: growth, prediction and importances.";
    silvics::bindings::bind_enums(m);
    silvics::bindings::bind_matrix(m);
    silvics::bindings::bind_table(m);
    silvics::bindings::bind_target(m);
    silvics::bindings::bind_sampling(m);
    silvics::bindings::bind_rules(m);
    silvics::bindings::bind_tree(m);
    silvics::bindings::bind_grow(m);
    silvics::bindings::bind_packed_forest(m);
    silvics::bindings::bind_training_stats(m);
    silvics::bindings::bind_checksum(m);
    silvics::bindings::bind_predictor(m);
    silvics::bindings::bind_leaf_membership(m);
    silvics::bindings::bind_proximity(m);
    silvics::bindings::bind_quantiles(m);
    silvics::bindings::bind_shap(m);
    silvics::bindings::bind_dependence(m);
    silvics::bindings::bind_row_predictor(m);
    silvics::bindings::bind_distribution(m);
    silvics::bindings::bind_importance(m);
    silvics::bindings::bind_tuning(m);
}
