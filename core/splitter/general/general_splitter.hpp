// The splitter of every recipe: any draw of variables, any cut, any kind of split, any choice.
//
// It asks for nothing but a criterion that moves samples, and looks at values as they are. What
// most forests are made of, the best or a uniform cut on each of K variables, has a quicker
// splitter of its own (fast_splitter.hpp), which finds the same splits.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "splitter/fast/search_nonplain.hpp"
#include "splitter/general/combination.hpp"
#include "splitter/general/cut_range.hpp"
#include "splitter/general/filling.hpp"
#include "splitter/general/node_test.hpp"
#include "splitter/general/pair_draw.hpp"
#include "splitter/general/split_maker.hpp"
#include "splitter/general/variables_of_node.hpp"

namespace silvics {

template <MovingCriterion C>
class GeneralSplitter final : public Splitter {
public:
    explicit GeneralSplitter(const SplitterParts& parts)
        : parts_(parts),
          table_(parts.table),
          rules_(parts.rules),
          stop_(parts.stop),
          order_(parts.order),
          leaf_criterion_(parts.target, parts.subset, parts.stop),
          criterion_(parts.target, parts.subset, parts.stop),
          missing_criterion_(parts.target, parts.subset, parts.stop),
          other_(parts, criterion_),
          reader_(parts.table, parts.rules),
          test_(parts),
          maker_(parts),
          variables_(parts.features, parts.rules),
          filling_(parts.rules),
          pair_(parts.target, parts.stop),
          range_(parts) {
        for (const FeatureId f : parts.features)
            if (table_.columns[f].kind != Column::Kind::category) numbers_.push_back(f);
    }

    NodeStats enter(const NodeSamples& node) override {
        if (!rules_.honest) {
            leaf_criterion_.enter(order_, node.begin, node.n);
            return {node.n, leaf_criterion_.weight(), leaf_criterion_.homogeneous()};
        }
        std::vector<std::size_t> places[2];
        for (std::size_t i = node.begin; i < node.begin + node.n; ++i)
            places[order_.estimates[i]].push_back(i);
        order_.copy_some(places[1], filling_.samples);
        order_.copy_some(places[0], structure_);
        if (filling_.samples.size() == 0) return {};
        leaf_criterion_.enter(filling_.samples, 0, filling_.samples.size());
        bool same = structure_.size() < 2;
        if (!same) {
            criterion_.enter(structure_, 0, structure_.size());
            same = criterion_.homogeneous();
        }
        return {filling_.samples.size(), leaf_criterion_.weight(), same};
    }

    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        if (!rules_.honest) {
            places_.resize(node.n);
            std::iota(places_.begin(), places_.end(), node.begin);
            order_.copy_some(places_, structure_);
        }
        if (structure_.size() == 0) return std::nullopt;
        enter_structure();
        // A decrease that is summed up from parts is rounded more than once.
        tolerance_ = rules_.missing == MissingRule::apart ? 1e-13 * criterion_.impurity() : 0.0;
        range_.draw(node.key, structure_.rows);
        candidates_.clear();
        test_.begin();
        if (rules_.random_cut && rules_.cut_draw == CutDraw::pair)
            try_pairs(node, constants);
        else
            try_variables(node, node.key, constants);
        if (candidates_.empty()) return std::nullopt;
        if (rules_.significance > 0.0 && !test_.significant(node, structure_, candidates_))
            return std::nullopt;
        const Candidate& chosen = Chooser(rules_, node, tolerance_).choose(candidates_);
        if (rules_.variable_draw == VariableDraw::unused) constants.found(chosen.feature);
        return maker_.make(node, chosen, structure_.rows);
    }

    void share(ThreadTeam*) override {}
    std::unique_ptr<Splitter> another() const override {
        return std::make_unique<GeneralSplitter>(parts_);
    }
    Work work() const override {
        Work all = work_;
        all += other_.work();
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
    static constexpr std::size_t kTrials = 10;  // of PERT, before a node is a leaf

    // ---- the variables of a node

    void try_variables(const NodeSamples& node, StreamKey key, Constants& constants) {
        std::size_t number = 0;
        variables_.for_each(key, constants, [&](FeatureId f) {
            stop_.check();
            work_.values += structure_.size();
            const bool category = reader_.category(f);
            const bool use = rules_.kind == SplitKind::oblique && !category
                                 ? try_combination(node, f, number++)
                             : rules_.kind == SplitKind::multiway ||
                                     (category && rules_.kind == SplitKind::multiway_categories)
                                 ? try_values(f)
                             : category ? try_levels(node, f)
                                        : try_number(node, f, {});
            if (!use && rules_.kind != SplitKind::oblique && !rules_.by_cells()) constants.found(f);
            if (use && rules_.significance > 0.0) test_.add(f, structure_);
            return use;
        });
    }

    // Two samples of different output, until a variable tells them apart.
    void try_pairs(const NodeSamples& node, const Constants& constants) {
        pair_.begin(structure_);
        for (std::size_t trial = 0; trial < kTrials && candidates_.empty(); ++trial) {
            const StreamKey key = trial == 0 ? node.key : derive(node.key, kPairPart + trial);
            RandomStream stream(derive(node.key, kPairPart + (trial << 32)));
            if (!pair_.draw(stream)) return;
            pair_key_ = key;
            NodeSamples trial_node = node;
            trial_node.key = key;
            variables_.for_each(key, constants, [&](FeatureId f) {
                work_.values += structure_.size();
                const bool category = reader_.category(f);
                category ? try_levels(trial_node, f) : try_number(node, f, {});
                if (rules_.significance > 0.0) test_.add(f, structure_);
                return true;  // whether it tells them apart or not
            });
        }
    }

    // ---- what is known of a variable at the node

    void enter_structure() {
        criterion_.enter(structure_, 0, structure_.size());
        at_structure_ = true;
    }

    void take_up_part() {
        criterion_.enter(part_, 0, part_.size());
        at_structure_ = false;
    }

    // Sets apart the samples that have no value, as the rule on them wants it; what is left of
    // `values_` belongs to the samples that the criterion has taken up. Where they go apart, they
    // have a fixed part in the decrease, told by `outside_` and `inside_`.
    void set_missing_apart(MissingRule rule) {
        outside_ = 0.0;
        inside_ = 1.0;
        n_missing_ = 0;
        const auto missing = [](double x) { return std::isnan(x); };
        has_missing_ = std::ranges::any_of(values_, missing);
        if (!has_missing_ || rule == MissingRule::learned) {
            if (!at_structure_) enter_structure();
            return;
        }
        std::vector<std::size_t> known, unknown;
        for (std::size_t i = 0; i < values_.size(); ++i)
            (missing(values_[i]) ? unknown : known).push_back(i);
        std::erase_if(values_, missing);
        n_missing_ = unknown.size();
        if (known.empty()) return;
        structure_.copy_some(known, part_);
        if (rule == MissingRule::both) {
            structure_.copy_some(unknown, missing_order_);
            for (double& w : missing_order_.weights) w /= 2;
            for (const double end : {-kInfinity, kInfinity}) {
                part_.join(missing_order_);
                values_.insert(values_.end(), unknown.size(), end);
            }
            take_up_part();
            return;
        }
        if (!at_structure_) enter_structure();
        const double whole = criterion_.impurity(), weight = criterion_.weight();
        structure_.copy_some(unknown, missing_order_);
        missing_criterion_.enter(missing_order_, 0, missing_order_.size());
        const double lost = missing_criterion_.weight() / weight * missing_criterion_.impurity();
        missing_weight_ = missing_criterion_.weight();
        take_up_part();
        inside_ = criterion_.weight() / weight;
        outside_ = whole - lost - inside_ * criterion_.impurity();
    }

    double decrease_of(double score) const {
        return outside_ + inside_ * criterion_.decrease(score);
    }

    CutLimits limits(const NodeSamples& node, FeatureId f, std::size_t n) const {
        // Honest leaves are limited by the samples that fill them.
        return {n, rules_.honest ? 1 : rules_.min_samples_leaf,
                rules_.honest ? 0.0 : rules_.min_weight_leaf, rules_.monotonic_sign(f),
                node.bounds};
    }

    // ---- numbers

    bool try_number(const NodeSamples& node, FeatureId f, std::vector<Term> terms) {
        const auto all = reader_.numbers(f, structure_.rows, terms, read_);
        values_.assign(all.begin(), all.end());
        set_missing_apart(rules_.missing);
        double low = kInfinity, high = -kInfinity;
        for (const double x : values_) {
            if (std::isnan(x) || std::isinf(x)) continue;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        if (!(low <= high)) return rules_.by_cells() && try_cut(node, f, terms, low, high);
        const bool parts = low < high;
        const bool apart_only = has_missing_ && rules_.missing == MissingRule::learned;
        if (!parts && !apart_only && !rules_.by_cells()) return false;
        if (rules_.honest) filling_.set_order(reader_, f, terms);
        return rules_.random_cut ? try_cut(node, f, terms, low, high) : scan(node, f, terms);
    }

    // All cuts between neighbours. Where missing values are learned from they stand after all
    // others, then before them.
    bool scan(const NodeSamples& node, FeatureId f, const std::vector<Term>& terms) {
        const bool learned = has_missing_ && rules_.missing == MissingRule::learned;
        Candidate best;
        best.feature = f;
        best.terms = terms;
        const CutLimits allowed = limits(node, f, values_.size());
        for_missing_sides(learned, [&](MissingSide side) {
            const double end = side == MissingSide::left ? -kInfinity : kInfinity;
            if (learned)
                for (std::size_t i = 0; i < values_.size(); ++i)
                    if (std::isnan(read_[i])) values_[i] = end;
            sorted_.resize(values_.size());
            std::iota(sorted_.begin(), sorted_.end(), Position{0});
            std::ranges::stable_sort(sorted_, {}, [&](Position i) { return values_[i]; });
            work_.sorted += sorted_.size();
            ValueGroups<C> groups(criterion_, values_, sorted_);
            work_.cuts += for_cuts(criterion_, groups, allowed, stop_, [&] {
                Cut cut = groups.cut(), kept;
                const double below = values_[cut.at_left], above = values_[cut.at_right];
                if (!learned && (std::isinf(below) || std::isinf(above))) return;
                if (!range_.holds(f, below, above)) return;
                keep_if_better(criterion_, allowed, cut, kept);
                if (kept.score == -kInfinity) return;
                const double threshold = std::isinf(below)   ? -kInfinity
                                         : std::isinf(above) ? kInfinity
                                                             : middle_of_gap(below, above);
                if (rules_.honest && !filling_.on_both_sides(threshold, side)) return;
                offer(best, threshold, side, kept);
            });
        });
        if (rules_.choice != Choice::one_of_best && best.found()) add(std::move(best));
        return true;
    }

    // One cut, drawn; missing values are tried on both sides.
    bool try_cut(const NodeSamples& node, FeatureId f, const std::vector<Term>& terms, double low,
                 double high) {
        Candidate best;
        best.feature = f;
        best.terms = terms;
        const bool cells = rules_.by_cells();
        const bool learned = has_missing_ && rules_.missing == MissingRule::learned;
        double threshold = kInfinity;  // parts what is known from what is not
        if (cells) {
            std::tie(low, high) = node.place->cells->side(node.place->cell, f, rules_.ranges[f]);
            if (!(low < high)) return false;
        }
        if (low < high) {
            const auto drawn = draw_cut(node, f, low, high);
            if (!drawn) return true;  // a pair that the variable does not tell apart
            threshold = *drawn;
        }
        const CutLimits allowed = limits(node, f, values_.size());
        for_missing_sides(learned, [&](MissingSide side) {
            const bool missing_left = side == MissingSide::left;
            const double at = missing_left && std::isinf(threshold) ? -kInfinity : threshold;
            std::uint8_t* const goes = goes_left_.take(values_.size());
            std::size_t n_left = 0;
            for (std::size_t i = 0; i < values_.size(); ++i) {
                goes[i] = std::isnan(values_[i]) ? missing_left : values_[i] <= at;
                n_left += goes[i];
            }
            Cut cut;
            ++work_.cuts;
            if (n_left > 0 && n_left < values_.size() &&
                (!rules_.honest || filling_.on_both_sides(at, side)))
                scan_.score_sides(criterion_, {goes, values_.size()}, n_left, allowed, cut);
            if (cells && cut.score == -kInfinity && !best.found()) {
                best.decrease = best.worth = 0.0;  // nobody asks whether samples are parted
                best.threshold = at;
                best.missing = side;
            }
            if (cut.score != -kInfinity) offer(best, at, side, cut);
        });
        if (best.found() && rules_.choice != Choice::one_of_best) add(std::move(best));
        return true;
    }

    std::optional<double> draw_cut(const NodeSamples& node, FeatureId f, double low, double high) {
        RandomStream stream(derive(node.key, kCutPart + f));
        switch (rules_.cut_draw) {
            case CutDraw::gap: {
                std::vector<double> distinct;
                for (const double x : values_)
                    if (std::isfinite(x)) distinct.push_back(x);
                std::ranges::sort(distinct);
                distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
                const auto gap = static_cast<std::size_t>(stream.below(distinct.size() - 1));
                const double a = distinct[gap], b = distinct[gap + 1];
                const double v = a + stream.uniform() * (b - a);
                return v < b ? v : a;
            }
            case CutDraw::pair: {
                const double a = read_[pair_.first()], b = read_[pair_.second()];
                if (std::isnan(a) || std::isnan(b) || a == b) return std::nullopt;
                // The stream is that of the trial.
                return draw_threshold(pair_key_, f, std::min(a, b), std::max(a, b));
            }
            case CutDraw::middle:
            case CutDraw::cell_middle:
                return middle_of_gap(low, high);
            case CutDraw::relevance:
                if (rules_.relevant[f] != 0) return middle_of_gap(low, high);
                break;
            default:
                break;
        }
        return draw_threshold(node.key, f, low, high);
    }

    // Takes a cut up if it is the best so far; or beside others, where one of the best is drawn.
    void offer(Candidate& best, double threshold, MissingSide side, const Cut& cut) {
        const double decrease = decrease_of(cut.score);
        if (rules_.choice != Choice::one_of_best && best.found() &&
            !(decrease > best.decrease + tolerance_))
            return;
        best.decrease = best.worth = decrease;
        best.threshold = threshold;
        best.missing = side;
        best.middle = cut.middle;
        double parts[3] = {criterion_.left_weight(), criterion_.right_weight(), 0.0};
        if (rules_.missing == MissingRule::apart && has_missing_) parts[2] = missing_weight_;
        best.information = information_of(parts);
        if (rules_.choice == Choice::one_of_best) add(best);
    }

    // Of the best so far, those of a larger decrease first, then those that came first.
    void add(Candidate candidate) {
        if (rules_.choice != Choice::one_of_best) {
            candidates_.push_back(std::move(candidate));
            return;
        }
        const auto at = std::ranges::upper_bound(candidates_, candidate.worth, std::greater{},
                                                 &Candidate::worth);
        if (at == candidates_.end() && candidates_.size() >= rules_.n_best) return;
        candidates_.insert(at, std::move(candidate));
        if (candidates_.size() > rules_.n_best) candidates_.pop_back();
    }

    // Whether children have enough samples to fill their leaves.
    bool all_filled(const Candidate& c, std::size_t n_children) {
        std::vector<std::size_t> sizes;
        maker_.place(c, filling_.samples.rows, maker_.largest_child(c, structure_.rows), sizes);
        const auto weights = maker_.weights(filling_.samples.weights, sizes.size());
        for (std::size_t k = 0; k < n_children; ++k)
            if (!filling_.enough(sizes[k], weights[k])) return false;
        return true;
    }

    // ---- combinations of numbers

    bool try_combination(const NodeSamples& node, FeatureId first, std::size_t number) {
        RandomStream stream(derive(node.key, kCombinationPart + number));
        return try_number(node, first, draw_combination(first, numbers_, rules_, stream));
    }

    // ---- categories

    bool try_levels(const NodeSamples& node, FeatureId f) {
        const bool learned = rules_.missing == MissingRule::learned;
        const bool both = rules_.missing == MissingRule::both;
        set_levels(f, both && rules_.random_cut ? MissingRule::apart : rules_.missing);
        if (values_.empty()) return false;
        const SampleOrder& order = at_structure_ ? structure_ : part_;
        other_.set_copies(both && !rules_.random_cut ? n_missing_ : 0);
        CutLimits allowed = limits(node, f, order.size());
        if (rules_.honest && !rules_.random_cut) {
            other_.set_counted(filling_.by_level(reader_, f));
            allowed.n = filling_.free();
            allowed.min_samples_leaf = filling_.least();
        }
        Found found{.feature = f};
        if (!other_.search(node, order.rows, allowed, found)) return false;
        if (found.cut.score == -kInfinity) return true;
        const Split split = other_.mark(node, found, order.rows);
        Candidate c;
        c.feature = f;
        c.test = Candidate::Test::levels;
        c.missing = learned ? split.missing : MissingSide::unseen;
        c.coins = !split.by_levels;
        c.threshold = split.threshold;
        c.left.assign(split.left.begin(), split.left.end());
        std::ranges::sort(c.left);
        double parts[3] = {0.0, 0.0, 0.0};
        for (std::size_t i = 0; i < order.size(); ++i)
            parts[other_.marks(order.size())[i] != 0 ? 0 : 1] += order.weights[i];
        if (has_missing_ && rules_.missing == MissingRule::apart) parts[2] = missing_weight_;
        if (both && rules_.random_cut && has_missing_ && !score_coins(node, c, found)) return true;
        c.decrease = decrease_of(found.cut.score);
        c.worth = c.decrease - inside_ * found.by_chance / criterion_.score_per_decrease();
        c.middle = found.cut.middle;
        c.information = information_of(parts);
        if (rules_.honest && !all_filled(c, 2)) return true;
        add(std::move(c));
        return true;
    }

    void set_levels(FeatureId f, MissingRule rule) {
        reader_.levels(f, structure_.rows, levels_);
        values_.resize(levels_.size());
        for (std::size_t i = 0; i < levels_.size(); ++i)
            values_[i] = levels_[i] == ColumnReader::kMissing ? std::nan("")
                                                              : static_cast<double>(levels_[i]);
        set_missing_apart(rule);
    }

    // The score of coins thrown for what is known, where what is missing is on both sides.
    bool score_coins(const NodeSamples& node, const Candidate& c, Found& found) {
        set_levels(c.feature, MissingRule::both);
        const std::uint64_t seed = LevelRule(c.threshold).content();
        std::uint8_t* const goes = goes_left_.take(values_.size());
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            goes[i] = std::isinf(values_[i]) ? values_[i] < 0.0
                                             : LevelRule::coin(seed, static_cast<Code>(values_[i]));
            n_left += goes[i];
        }
        found.cut = {};
        scan_.score_sides(criterion_, {goes, values_.size()}, n_left,
                          limits(node, c.feature, values_.size()), found.cut);
        return found.cut.score != -kInfinity;
    }

    // ---- a child for each value

    bool try_values(FeatureId f) {
        if (!at_structure_) enter_structure();
        reader_.codes(f, structure_.rows, levels_);
        std::vector<Code> values = levels_;
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        // Where each variable is used once on a branch, one that parts nothing is used up as well.
        if (values.size() < 2 && rules_.variable_draw != VariableDraw::unused) return false;
        std::vector<std::vector<std::size_t>> of_value(values.size());
        for (std::size_t i = 0; i < levels_.size(); ++i)
            of_value[static_cast<std::size_t>(std::ranges::lower_bound(values, levels_[i]) -
                                              values.begin())]
                .push_back(i);
        Candidate c;
        c.feature = f;
        c.test = Candidate::Test::values;
        c.missing_child = values.back() == ColumnReader::kMissing;
        c.values = std::move(values);
        if (c.missing_child) c.values.pop_back();
        if (!filled_values(c, of_value)) return true;
        std::vector<double> weights;
        double impurities = 0.0;
        for (const auto& places : of_value) {
            stop_.check();
            structure_.copy_some(places, missing_order_);
            missing_criterion_.enter(missing_order_, 0, missing_order_.size());
            weights.push_back(missing_criterion_.weight());
            impurities += missing_criterion_.weight() * missing_criterion_.impurity();
        }
        c.decrease = criterion_.impurity() - impurities / criterion_.weight();
        c.worth = c.decrease;
        ++work_.cuts;
        c.information = information_of(weights);
        add(std::move(c));
        return true;
    }

    // As in C4.5, at least two children must be large enough; in honest trees, all.
    bool filled_values(const Candidate& c, const std::vector<std::vector<std::size_t>>& of_value) {
        if (!rules_.honest) {
            if (rules_.min_samples_leaf <= 1) return true;
            return std::ranges::count_if(of_value, [&](const auto& places) {
                       return places.size() >= rules_.min_samples_leaf;
                   }) >= 2;
        }
        return all_filled(c, of_value.size());
    }

    const SplitterParts parts_;
    const Table& table_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    SampleOrder& order_;
    C leaf_criterion_;     // of all samples, or those that fill leaves
    C criterion_;          // of those that find splits
    C missing_criterion_;  // of some of them
    NonPlainSearch<C> other_;
    ColumnReader reader_;
    NodeTest test_;
    SplitMaker maker_;
    ThresholdScan<C> scan_;
    VariablesOfNode variables_;
    std::vector<FeatureId> numbers_;
    Filling filling_;
    SampleOrder structure_, part_, missing_order_;
    bool at_structure_ = false;  // or at a part of them
    bool has_missing_ = false;
    std::size_t n_missing_ = 0;  // set apart
    double tolerance_ = 0.0;     // of decreases, at the node
    double outside_ = 0.0, inside_ = 1.0, missing_weight_ = 0.0;
    std::vector<std::size_t> places_;
    std::vector<double> read_, values_;
    std::vector<Position> sorted_;
    std::vector<Code> levels_;
    Scratch<std::uint8_t> goes_left_;
    std::vector<Candidate> candidates_;
    Work work_;
    PairDraw pair_;
    StreamKey pair_key_ = 0;
    CutRange range_;
};

}  // namespace silvics
