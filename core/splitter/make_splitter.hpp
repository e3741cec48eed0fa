// The catalogue of criteria: a name selects a statistic and an impurity.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "splitter/splitter.hpp"
#include "tree/compact_tree.hpp"

namespace silvics {

struct CriterionEntry {
    std::string_view name;
    bool classification;
    bool centred;               // whether the target may be shifted
    CompactionRule compaction;  // whether its trees may be stored compact, and by which rule
    std::unique_ptr<Splitter> (*make_splitter)(const SplitterParts&);
};

const std::vector<CriterionEntry>& criteria();
// Those whose impurity is the function of the target.
const std::vector<CriterionEntry>& custom_criteria();
// Throws std::invalid_argument with the known names.
const CriterionEntry& find_criterion(const std::string& name);

}  // namespace silvics
