// The choices by which a tree is grown. The values have the same names in Python.
#include "builder/frontier.hpp"
#include "splitter/search_rules.hpp"
#include "views.hpp"

namespace silvics::bindings {

void bind_enums(nb::module_& m) {
    nb::enum_<Growth>(m, "Growth", "Which open node is split next.")
        .value("depth_first", Growth::depth_first)
        .value("best_first", Growth::best_first)
        .value("impurity_first", Growth::impurity_first)
        .value("size_first", Growth::size_first)
        .value("breadth_first", Growth::breadth_first)
        .value("random", Growth::random);
    nb::enum_<CutDraw>(m, "CutDraw", "How a cut is drawn.")
        .value("uniform", CutDraw::uniform)
        .value("gap", CutDraw::gap)
        .value("pair", CutDraw::pair)
        .value("middle", CutDraw::middle)
        .value("relevance", CutDraw::relevance)
        .value("cell_uniform", CutDraw::cell_uniform)
        .value("cell_middle", CutDraw::cell_middle);
    nb::enum_<VariableDraw>(m, "VariableDraw", "How the variables of a node are drawn.")
        .value("uniform", VariableDraw::uniform)
        .value("unused", VariableDraw::unused)
        .value("poisson", VariableDraw::poisson)
        .value("weighted", VariableDraw::weighted);
    nb::enum_<Choice>(m, "Choice", "Which of the splits found at a node is taken.")
        .value("best", Choice::best)
        .value("gain_ratio", Choice::gain_ratio)
        .value("one_of_best", Choice::one_of_best)
        .value("near_best", Choice::near_best)
        .value("significant", Choice::significant)
        .value("relief", Choice::relief);
    nb::enum_<NodeBins>(m, "NodeBins", "Groups of a node's own values, between which it is cut.")
        .value("none", NodeBins::none)
        .value("width", NodeBins::width)
        .value("frequency", NodeBins::frequency);
    nb::enum_<SplitKind>(m, "SplitKind", "The kind of a split.")
        .value("binary", SplitKind::binary)
        .value("multiway", SplitKind::multiway)
        .value("multiway_categories", SplitKind::multiway_categories)
        .value("oblique", SplitKind::oblique);
    nb::enum_<MissingRule>(m, "MissingRule", "Where samples go whose value is missing.")
        .value("learned", MissingRule::learned)
        .value("apart", MissingRule::apart)
        .value("both", MissingRule::both);
    nb::enum_<Search>(m, "Search", "How the best cut on a variable is found.")
        .value("auto", Search::automatic)
        .value("sort", Search::sort)
        .value("bins", Search::histogram);
}

}  // namespace silvics::bindings
