// A test at a node: does the output depend on any of the variables tried there?
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/general/association.hpp"
#include "splitter/general/candidate.hpp"
#include "splitter/general/column_reader.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

class NodeTest {
public:
    explicit NodeTest(const SplitterParts& parts)
        : target_(parts.target),
          rules_(parts.rules),
          stop_(parts.stop),
          whole_weights_(parts.subset.whole_weights),
          reader_(parts.table, parts.rules) {}

    void begin() { tested_.clear(); }

    // Tests one more variable.
    void add(FeatureId f, const SampleOrder& structure) {
        Tested tested{f, 1.0, reader_.category(f), {}, {}};
        if (tested.category)
            reader_.levels(f, structure.rows, tested.levels);
        else
            reader_.numbers(f, structure.rows, {}, tested.values);
        tested.p_value = p_value(tested, structure, structure.rows);
        tested_.push_back(std::move(tested));
    }

    // Compares the smallest p-value of all variables with the level, corrected for their number,
    // or with its distribution when outputs are permuted. Sets the p-values of the candidates.
    bool significant(const NodeSamples& node, const SampleOrder& structure,
                     std::vector<Candidate>& candidates) const {
        if (tested_.empty()) return false;
        double least = 1.0;
        for (const Tested& tested : tested_) {
            least = std::min(least, tested.p_value);
            for (Candidate& c : candidates)
                if (c.feature == tested.feature) c.p_value = tested.p_value;
        }
        if (rules_.n_permutations == 0)
            return least * static_cast<double>(tested_.size()) <= rules_.significance;
        RandomStream stream(derive(node.key, kPermutationPart));
        std::vector<RowId> rows = structure.rows;
        std::size_t as_small = 1;
        for (std::size_t b = 0; b < rules_.n_permutations; ++b) {
            stop_.check();
            for (std::size_t i = rows.size(); i > 1; --i)
                std::swap(rows[i - 1], rows[static_cast<std::size_t>(stream.below(i))]);
            double permuted = 1.0;
            for (const Tested& tested : tested_)
                permuted = std::min(permuted, p_value(tested, structure, rows));
            as_small += permuted <= least;
        }
        return static_cast<double>(as_small) <=
               rules_.significance * static_cast<double>(rules_.n_permutations + 1);
    }

private:
    struct Tested {
        FeatureId feature;
        double p_value;
        bool category;
        std::vector<double> values;
        std::vector<Code> levels;

        bool missing(std::size_t i) const {
            return category ? levels[i] == ColumnReader::kMissing : std::isnan(values[i]);
        }
    };

    // The p-value for the outputs of these rows, in their order: the smallest over several
    // outputs, corrected for their number.
    double p_value(const Tested& x, const SampleOrder& structure,
                   std::span<const RowId> rows_of_outputs) const {
        std::vector<double> values, weights;
        std::vector<Code> levels;
        std::vector<RowId> rows;
        for (std::size_t i = 0; i < structure.size(); ++i) {
            if (x.missing(i)) continue;
            if (x.category)
                levels.push_back(x.levels[i]);
            else
                values.push_back(x.values[i]);
            weights.push_back(structure.weights[i]);
            rows.push_back(rows_of_outputs[i]);
        }
        if (rows.size() < 2) return 1.0;
        if (!whole_weights_) count_effectively(weights);
        const std::size_t n_levels = x.category ? renumber(levels) : 0;
        double least = 1.0;
        for (std::size_t k = 0; k < target_.n_outputs; ++k)
            least = std::min(least, p_value({values, levels, n_levels}, k, rows, weights));
        return std::min(1.0, least * static_cast<double>(target_.n_outputs));
    }

    double p_value(const Margin& x, std::size_t k, const std::vector<RowId>& rows,
                   const std::vector<double>& weights) const {
        const std::size_t at = k * target_.n_rows;
        if (!target_.classification()) {
            std::vector<double> y;
            for (const RowId row : rows) y.push_back(target_.value(k, row));
            return p_value_of_independence(x, {y, {}, 0}, weights);
        }
        std::vector<Code> y;
        for (const RowId row : rows) y.push_back(target_.classes[at + row]);
        return p_value_of_independence(x, {{}, y, target_.n_classes[k]}, weights);
    }

    // A whole weight is a number of rows. Other weights are scaled to the effective sample size
    // (Kish 1965), since only their inequality is informative.
    static void count_effectively(std::vector<double>& weights) {
        double sum = 0.0, squares = 0.0;
        for (const double w : weights) {
            sum += w;
            squares += w * w;
        }
        for (double& w : weights) w *= sum / squares;
    }

    // Renumbers codes from zero on without gaps; returns how many there are.
    static std::size_t renumber(std::vector<Code>& codes) {
        std::vector<Code> distinct = codes;
        std::ranges::sort(distinct);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (Code& code : codes)
            code = static_cast<Code>(std::ranges::lower_bound(distinct, code) - distinct.begin());
        return distinct.size();
    }

    const Target& target_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    const bool whole_weights_;
    ColumnReader reader_;
    std::vector<Tested> tested_;
};

}  // namespace silvics
