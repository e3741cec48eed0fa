// The splitter of every recipe: any draw of variables, any cut, any kind of split, any choice.
//
// It only needs a criterion that moves samples, and it reads values instead of codes. Most forests
// take the best or a uniform cut on each of K variables; the fast splitter (fast_splitter.hpp)
// finds the same splits for them in less time.
#pragma once

#include <stdexcept>
#include <vector>

#include "criterion/class_counts.hpp"
#include "criterion/custom_criterion.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/general/combination.hpp"
#include "splitter/general/node_search.hpp"
#include "splitter/general/node_test.hpp"
#include "splitter/general/relief.hpp"
#include "splitter/general/search_categories.hpp"
#include "splitter/general/search_multiway.hpp"
#include "splitter/general/search_numbers.hpp"
#include "splitter/general/variables_of_node.hpp"
#include "splitter/general/whole_node.hpp"

namespace silvics {

template <MovingCriterion C>
class GeneralSplitter final : public Splitter {
public:
    explicit GeneralSplitter(const SplitterParts& parts)
        : parts_(parts),
          rules_(parts.rules),
          stop_(parts.stop),
          order_(parts.order),
          leaf_criterion_(parts.target, parts.subset, parts.stop),
          search_(parts),
          numbers_(parts, search_),
          categories_(parts, search_),
          multiway_(search_),
          whole_(search_),
          test_(parts),
          relief_(parts),
          variables_(parts.features, parts.rules) {
        for (const FeatureId f : parts.features)
            if (!search_.reader.category(f)) number_features_.push_back(f);
    }

    // Copies what the criteria read of each sample.
    static void fill(const SplitterParts& parts) { NumberSearch<C>::fill(parts); }

    NodeStats enter(const NodeSamples& node) override {
        if (!rules_.honest) {
            leaf_criterion_.enter(order_, node.begin, node.n);
            return {node.n, leaf_criterion_.weight(), leaf_criterion_.homogeneous()};
        }
        StructureSamples<C>& structure = search_.structure;
        SampleOrder& estimation = search_.estimation.samples;
        std::vector<std::size_t> places[2];
        for (std::size_t i = node.begin; i < node.begin + node.n; ++i)
            places[order_.estimates[i]].push_back(i);
        order_.copy_some(places[1], estimation);
        order_.copy_some(places[0], structure.samples);
        if (estimation.size() == 0) return {};
        leaf_criterion_.enter(estimation, 0, estimation.size());
        bool same = structure.samples.size() < 2;
        if (!same) {
            structure.enter_all();
            same = structure.criterion.homogeneous();
        }
        return {estimation.size(), leaf_criterion_.weight(), same};
    }

    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        SampleOrder& structure = search_.structure.samples;
        if (!rules_.honest) {
            order_.copy_range(node.begin, node.n, structure);
        }
        if (structure.size() == 0) return std::nullopt;
        if (rules_.split_sample != 0 && structure.size() > rules_.split_sample)
            if (auto split = find_on_sample(node, constants)) return split;
        find_candidates(node, constants);
        std::vector<Candidate>& candidates = search_.candidates;
        if (candidates.empty()) return std::nullopt;
        if (rules_.significance > 0.0 && !test_.significant(node, structure, candidates))
            return std::nullopt;
        const Chooser chooser(rules_, node, search_.tolerance);
        const Candidate& chosen = chooser.choose(candidates);
        if (chooser.score_of(chosen, impurity_exponent()) < rules_.min_score) return std::nullopt;
        return make_split(node, chosen, constants);
    }

    void share(ThreadTeam*) override {}
    std::unique_ptr<Splitter> another() const override {
        return std::make_unique<GeneralSplitter>(parts_);
    }
    Work work() const override {
        Work all = search_.work;
        all += categories_.work();
        return all;
    }
    bool sums_are_exact() const override { return false; }
    double impurity() const override { return leaf_criterion_.impurity(); }
    int impurity_exponent() const override { return leaf_criterion_.impurity_exponent(); }
    void write_value(std::span<double> value) const override { leaf_criterion_.write_value(value); }
    ClassId only_class() const override {
        if constexpr (requires { leaf_criterion_.only_class(); })
            return leaf_criterion_.only_class();
        return 0;
    }

private:
    static constexpr std::size_t kMaxPairTrials = 10;  // of PERT, before a node becomes a leaf

    // Finds the candidates of the structure samples.
    void find_candidates(const NodeSamples& node, Constants& constants) {
        search_.begin();
        numbers_.begin(node.key);
        test_.begin();
        if (rules_.random_cut && rules_.cut_draw == CutDraw::pair)
            try_pairs(node, constants);
        else
            try_variables(node, constants);
        if (rules_.choice == Choice::relief)
            relief_.weigh(node.key, search_.structure.samples, search_.candidates);
    }

    // Finds candidates on some of the structure samples, and takes the first one that the limits of
    // the whole node allow.
    std::optional<Split> find_on_sample(const NodeSamples& node, Constants& constants) {
        SampleOrder& structure = search_.structure.samples;
        std::vector<std::size_t> places;
        RandomStream stream(derive(node.key, kSplitSamplePart));
        for_selected(structure.size(), rules_.split_sample, stream,
                     [&](std::size_t i) { places.push_back(i); });
        structure.copy_some(places, sample_);
        std::swap(structure, sample_);
        search_.on_sample = true;
        find_candidates(node, constants);
        search_.on_sample = false;
        std::swap(structure, sample_);
        search_.structure.enter_all();
        std::vector<Candidate>& candidates = search_.candidates;
        const Chooser chooser(rules_, node, search_.tolerance);
        while (!candidates.empty()) {
            const Candidate& chosen = chooser.choose(candidates);
            const auto at = candidates.begin() + (&chosen - candidates.data());
            if (chooser.score_of(chosen, impurity_exponent()) < rules_.min_score) break;
            if (whole_.score(node, *at)) return make_split(node, *at, constants);
            candidates.erase(at);
        }
        return std::nullopt;
    }

    Split make_split(const NodeSamples& node, const Candidate& chosen, Constants& constants) {
        if (rules_.variable_draw == VariableDraw::unused) constants.found(chosen.feature);
        const Split split = search_.maker.make(node, chosen, search_.structure.samples.rows);
        if (rules_.presort) numbers_.presorted().split(node, split.general->sizes);
        return split;
    }

    static const std::vector<FeatureId>* allowed_at(const NodeSamples& node) {
        return node.place == nullptr ? nullptr : node.place->allowed;
    }

    void try_variables(const NodeSamples& node, Constants& constants) {
        const SampleOrder& structure = search_.structure.samples;
        std::size_t number = 0;
        variables_.for_each(node.key, allowed_at(node), constants, [&](FeatureId f) {
            stop_.check();
            search_.work.values += structure.size();
            const bool category = search_.reader.category(f);
            const bool use = rules_.kind == SplitKind::oblique && !category
                                 ? try_combination(node, f, number++)
                             : rules_.kind == SplitKind::multiway ||
                                     (category && rules_.kind == SplitKind::multiway_categories)
                                 ? multiway_.try_values(f)
                             : category ? categories_.try_levels(node, f)
                                        : numbers_.try_number(node, f, {});
            if (!use && rules_.kind != SplitKind::oblique && !rules_.by_cells() &&
                !search_.on_sample)
                constants.found(f);
            if (use && rules_.significance > 0.0) test_.add(f, structure);
            return use;
        });
    }

    // PERT: draws two samples of different output until a variable separates them.
    void try_pairs(const NodeSamples& node, const Constants& constants) {
        const SampleOrder& structure = search_.structure.samples;
        ThresholdDraw& draw = numbers_.threshold_draw();
        draw.begin_pairs(structure);
        for (std::size_t trial = 0; trial < kMaxPairTrials && search_.candidates.empty(); ++trial) {
            const StreamKey key = trial == 0 ? node.key : derive(node.key, kPairPart + trial);
            RandomStream stream(derive(node.key, kPairPart + (trial << 32)));
            if (!draw.draw_pair(key, stream)) return;
            NodeSamples trial_node = node;
            trial_node.key = key;
            variables_.for_each(key, allowed_at(node), constants, [&](FeatureId f) {
                search_.work.values += structure.size();
                if (search_.reader.category(f))
                    categories_.try_levels(trial_node, f);
                else
                    numbers_.try_number(node, f, {});
                if (rules_.significance > 0.0) test_.add(f, structure);
                return true;  // whether or not it separates the pair
            });
        }
    }

    bool try_combination(const NodeSamples& node, FeatureId first, std::size_t number) {
        RandomStream stream(derive(node.key, kCombinationPart + number));
        return numbers_.try_number(node, first,
                                   draw_combination(first, number_features_, rules_, stream));
    }

    const SplitterParts parts_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    SampleOrder& order_;
    C leaf_criterion_;  // on all samples, or on the estimation samples of an honest tree
    NodeSearch<C> search_;
    NumberSearch<C> numbers_;
    CategorySearch<C> categories_;
    MultiwaySearch<C> multiway_;
    WholeNode<C> whole_;
    NodeTest test_;
    Relief relief_;
    SampleOrder sample_;
    VariablesOfNode variables_;
    std::vector<FeatureId> number_features_;
};

// Compiled once, in general_splitter.cpp.
extern template class GeneralSplitter<ClassCounts<Gini>>;
extern template class GeneralSplitter<ClassCounts<Entropy>>;
extern template class GeneralSplitter<ClassCounts<Misclassification>>;
extern template class GeneralSplitter<Moments<SquaredError>>;
extern template class GeneralSplitter<Moments<FriedmanImprovement>>;
extern template class GeneralSplitter<Moments<PoissonDeviance>>;
extern template class GeneralSplitter<OrderedTargets>;
extern template class GeneralSplitter<CustomCounts>;
extern template class GeneralSplitter<CustomMoments>;

}  // namespace silvics
