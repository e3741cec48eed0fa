// The splitter of every recipe: any draw of variables, any cut, any kind of split, any choice.
//
// It asks for nothing but a criterion that moves samples, and looks at values as they are. What most
// forests are made of, the best or a uniform cut on each of K variables, has a quicker splitter of
// its own (splitter_for.hpp), which finds the same splits.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "splitter/association.hpp"
#include "splitter/candidate.hpp"
#include "splitter/search_other.hpp"
#include "splitter/splitter.hpp"
#include "splitter/variables_of_node.hpp"

namespace silvics {

// Groups of equal values, in order.
template <MovingCriterion C>
class ValueGroups {
public:
    ValueGroups(C& criterion, std::span<const double> values, std::span<const Position> order)
        : criterion_(criterion), values_(values), order_(order) {}

    bool move() {
        std::size_t end = at_;
        while (end < order_.size() && values_[order_[end]] == values_[order_[at_]]) ++end;
        if (end == order_.size()) return false;
        criterion_.move_group(order_.subspan(at_, end - at_));
        at_ = end;
        return true;
    }
    std::size_t n_left() const { return at_; }
    Cut cut() const { return {.at_left = order_[at_ - 1], .at_right = order_[at_]}; }

private:
    C& criterion_;
    std::span<const double> values_;
    std::span<const Position> order_;
    std::size_t at_ = 0;
};

template <MovingCriterion C>
class GeneralSplitter final : public Splitter {
public:
    explicit GeneralSplitter(const SplitterParts& parts)
        : parts_(parts),
          table_(parts.table),
          target_(parts.target),
          rules_(parts.rules),
          stop_(parts.stop),
          order_(parts.order),
          facts_(parts.target, parts.subset, parts.stop),
          criterion_(parts.target, parts.subset, parts.stop),
          aside_(parts.target, parts.subset, parts.stop),
          other_(parts, criterion_),
          variables_(parts.features, parts.rules) {
        for (const FeatureId f : parts.features)
            if (table_.columns[f].kind != Column::Kind::category) numbers_.push_back(f);
    }

    NodeFacts enter(const NodeSamples& node) override {
        if (!rules_.honest) {
            facts_.enter(order_, node.begin, node.n);
            return {node.n, facts_.weight(), facts_.homogeneous()};
        }
        std::vector<std::size_t> places[2];
        for (std::size_t i = node.begin; i < node.begin + node.n; ++i)
            places[order_.fills[i]].push_back(i);
        order_.copy_some(places[1], filling_);
        order_.copy_some(places[0], voters_);
        if (filling_.size() == 0) return {};
        facts_.enter(filling_, 0, filling_.size());
        bool same = voters_.size() < 2;
        if (!same) {
            criterion_.enter(voters_, 0, voters_.size());
            same = criterion_.homogeneous();
        }
        return {filling_.size(), facts_.weight(), same};
    }

    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        if (!rules_.honest) {
            places_.resize(node.n);
            std::iota(places_.begin(), places_.end(), node.begin);
            order_.copy_some(places_, voters_);
        }
        take_up_voters();
        draw_range(node);
        candidates_.clear();
        tested_.clear();
        if (rules_.random_cut && rules_.cut_draw == CutDraw::between_pair)
            try_pairs(node, constants);
        else
            try_variables(node, node.key, constants);
        if (candidates_.empty()) return std::nullopt;
        if (rules_.significance > 0.0 && !significant(node)) return std::nullopt;
        const Candidate& chosen = Chooser(rules_, node).choose(candidates_);
        if (rules_.variable_draw == VariableDraw::unused) constants.found(chosen.feature);
        return make_split(node, chosen);
    }

    void share(ThreadTeam*) override {}
    std::unique_ptr<Splitter> another() const override {
        return std::make_unique<GeneralSplitter>(parts_);
    }
    bool sums_are_exact() const override { return false; }
    double impurity() const override { return facts_.impurity(); }
    int impurity_exponent() const override { return facts_.impurity_exponent(); }
    void write_value(std::span<double> value) const override { facts_.write_value(value); }
    ClassId only_class() const override {
        if constexpr (requires { facts_.only_class(); }) return facts_.only_class();
        return 0;
    }

private:
    static constexpr std::size_t kTrials = 10;  // of PERT, before a node is a leaf

    // A variable whose dependence is tested.
    struct Tested {
        FeatureId feature;
        double p_value;
    };

    // ---- the variables of a node

    void try_variables(const NodeSamples& node, StreamKey key, Constants& constants) {
        std::size_t number = 0;
        variables_.for_each(key, constants, [&](FeatureId f) {
            stop_.check();
            const bool category = table_.columns[f].kind == Column::Kind::category;
            const bool use =
                rules_.kind == SplitKind::oblique && !category
                    ? try_combination(node, f, number++)
                : rules_.kind == SplitKind::multiway ||
                        (category && rules_.kind == SplitKind::multiway_categories)
                    ? try_values(f)
                : category ? try_levels(node, f)
                           : try_number(node, f, {});
            if (!use && rules_.kind != SplitKind::oblique && !rules_.by_cells())
                constants.found(f);
            if (use && rules_.significance > 0.0) tested_.push_back({f, test(f)});
            return use;
        });
    }

    // Two samples of different output, until a variable tells them apart.
    void try_pairs(const NodeSamples& node, const Constants& constants) {
        for (std::size_t trial = 0; trial < kTrials && candidates_.empty(); ++trial) {
            const StreamKey key = trial == 0 ? node.key : derive(node.key, kPairPart + trial);
            RandomStream stream(derive(node.key, kPairPart + (trial << 32)));
            do {
                pair_[0] = draw_sample(stream);
                pair_[1] = draw_sample(stream);
            } while (same_output(pair_[0], pair_[1]));
            pair_key_ = key;
            variables_.for_each(key, constants, [&](FeatureId f) {
                const bool category = table_.columns[f].kind == Column::Kind::category;
                category ? try_levels(node, f) : try_number(node, f, {});
                return true;  // whether it tells them apart or not
            });
        }
    }

    // By its weight.
    Position draw_sample(RandomStream& stream) const {
        const auto& w = voters_.weights;
        const std::size_t n = voters_.size();
        if (w.empty() || std::ranges::all_of(w, [&](double x) { return x == w[0]; }))
            return static_cast<Position>(stream.below(n));
        double place = stream.uniform() * std::accumulate(w.begin(), w.end(), 0.0);
        std::size_t i = 0;
        while (i + 1 < n && place >= w[i]) place -= w[i++];
        return static_cast<Position>(i);
    }

    bool same_output(Position a, Position b) const {
        const std::size_t rows[] = {voters_.rows[a], voters_.rows[b]};
        for (std::size_t k = 0; k < target_.n_outputs; ++k) {
            const std::size_t at = k * target_.n_rows;
            if (target_.classification()
                    ? target_.classes[at + rows[0]] != target_.classes[at + rows[1]]
                    : target_.original[at + rows[0]] != target_.original[at + rows[1]])
                return false;
        }
        return true;
    }

    // ---- what is known of a variable at the node

    void take_up_voters() {
        criterion_.enter(voters_, 0, voters_.size());
        at_voters_ = true;
    }

    void take_up_part() {
        criterion_.enter(part_, 0, part_.size());
        at_voters_ = false;
    }

    std::span<const double> read(FeatureId f, std::span<const RowId> rows,
                                 std::span<const Term> terms, std::vector<double>& into) const {
        into.resize(rows.size());
        if (terms.empty()) {
            read_any_values(table_.columns[f], rows, into.data());
            return into;
        }
        std::ranges::fill(into, 0.0);
        std::vector<double> one(rows.size());
        for (const Term& term : terms) {
            read_any_values(table_.columns[term.feature], rows, one.data());
            for (std::size_t i = 0; i < rows.size(); ++i) into[i] += term.coefficient * one[i];
        }
        return into;
    }

    // Sets apart the samples that have no value, as the rule on them wants it; what is left of
    // `values_` belongs to the samples that the criterion has taken up. Where they go apart, they
    // have a fixed part in the decrease, told by `outside_` and `inside_`.
    void set_missing_apart(MissingRule rule) {
        outside_ = 0.0;
        inside_ = 1.0;
        const auto missing = [](double x) { return std::isnan(x); };
        has_missing_ = std::ranges::any_of(values_, missing);
        if (!has_missing_ || rule == MissingRule::learned) {
            if (!at_voters_) take_up_voters();
            return;
        }
        std::vector<std::size_t> known, unknown;
        for (std::size_t i = 0; i < values_.size(); ++i)
            (missing(values_[i]) ? unknown : known).push_back(i);
        std::erase_if(values_, missing);
        if (known.empty()) return;
        voters_.copy_some(known, part_);
        if (rule == MissingRule::both) {
            voters_.copy_some(unknown, aside_order_);
            for (double& w : aside_order_.weights) w /= 2;
            for (const double end : {-kInfinity, kInfinity}) {
                part_.join(aside_order_);
                values_.insert(values_.end(), unknown.size(), end);
            }
            take_up_part();
            return;
        }
        if (!at_voters_) take_up_voters();
        const double whole = criterion_.impurity(), weight = criterion_.weight();
        voters_.copy_some(unknown, aside_order_);
        aside_.enter(aside_order_, 0, aside_order_.size());
        const double lost = aside_.weight() / weight * aside_.impurity();
        missing_weight_ = aside_.weight();
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
        const auto all = read(f, voters_.rows, terms, read_);
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
        if (rules_.honest) {
            read(f, filling_.rows, terms, filling_values_);
            std::ranges::sort(filling_values_, [](double a, double b) {  // missing ones last
                return std::isnan(b) ? !std::isnan(a) : a < b;
            });
        }
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
        for (const double end : {kInfinity, -kInfinity}) {
            if (learned)
                for (std::size_t i = 0; i < values_.size(); ++i)
                    if (std::isnan(read_[i])) values_[i] = end;
            sorted_.resize(values_.size());
            std::iota(sorted_.begin(), sorted_.end(), Position{0});
            std::ranges::stable_sort(sorted_, {}, [&](Position i) { return values_[i]; });
            ValueGroups<C> groups(criterion_, values_, sorted_);
            const MissingSide side = !learned          ? MissingSide::unseen
                                     : end == kInfinity ? MissingSide::right
                                                        : MissingSide::left;
            for_cuts(criterion_, groups, allowed, stop_, [&] {
                Cut cut = groups.cut(), kept;
                const double below = values_[cut.at_left], above = values_[cut.at_right];
                if (!learned && (std::isinf(below) || std::isinf(above))) return;
                if (range_.bounded && !range_.holds(f, below, above)) return;
                keep_if_better(criterion_, allowed, cut, kept);
                if (kept.score == -kInfinity) return;
                const double threshold = std::isinf(below)   ? -kInfinity
                                         : std::isinf(above) ? kInfinity
                                                             : middle_of_gap(below, above);
                if (!filled(threshold, side)) return;
                offer(best, threshold, side, kept);
            });
            if (!learned) break;
        }
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
            std::tie(low, high) = node.cells->side(node.cell, f, rules_.ranges[f]);
            if (!(low < high)) return false;
        }
        if (low < high) {
            const auto drawn = draw_cut(node, f, low, high);
            if (!drawn) return true;  // a pair that the variable does not tell apart
            threshold = *drawn;
        }
        const CutLimits allowed = limits(node, f, values_.size());
        for (const bool missing_left : {false, true}) {
            const double at =
                missing_left && std::isinf(threshold) ? -kInfinity : threshold;
            const MissingSide side = !learned       ? MissingSide::unseen
                                     : missing_left ? MissingSide::left
                                                    : MissingSide::right;
            std::uint8_t* const goes = goes_left_.take(values_.size());
            std::size_t n_left = 0;
            for (std::size_t i = 0; i < values_.size(); ++i) {
                goes[i] = std::isnan(values_[i]) ? missing_left : values_[i] <= at;
                n_left += goes[i];
            }
            Cut cut;
            if (n_left > 0 && n_left < values_.size() && filled(at, side))
                scan_.score_sides(criterion_, {goes, values_.size()}, n_left, allowed, cut);
            if (cells && cut.score == -kInfinity && !best.found()) {
                best.decrease = best.worth = 0.0;  // nobody asks whether samples are parted
                best.threshold = at;
                best.missing = side;
            }
            if (cut.score != -kInfinity) offer(best, at, side, cut);
            if (!learned) break;
        }
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
            case CutDraw::between_pair: {
                const double a = read_[pair_[0]], b = read_[pair_[1]];
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
        if (rules_.choice != Choice::one_of_best && !(decrease > best.decrease)) return;
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

    // Whether both children have enough samples to fill their leaves.
    bool filled(double threshold, MissingSide side) const {
        if (!rules_.honest) return true;
        const auto known = std::ranges::find_if(filling_values_,
                                                [](double x) { return std::isnan(x); });
        const auto upto = std::upper_bound(filling_values_.begin(), known, threshold);
        auto left = static_cast<std::size_t>(upto - filling_values_.begin());
        if (side == MissingSide::left)
            left += static_cast<std::size_t>(filling_values_.end() - known);
        return enough(left) && enough(filling_.size() - left);
    }
    bool enough(std::size_t n) const { return n >= std::max<std::size_t>(rules_.min_samples_leaf, 1); }

    // ---- combinations of numbers

    bool try_combination(const NodeSamples& node, FeatureId first, std::size_t number) {
        RandomStream stream(derive(node.key, kCombinationPart + number));
        std::vector<FeatureId> others = numbers_;
        std::erase(others, first);
        std::vector<Term> terms;
        const std::size_t n = std::min(rules_.n_combined, others.size() + 1);
        double whole = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            FeatureId f = first;
            if (k > 0) {
                const auto at = k - 1 + static_cast<std::size_t>(stream.below(others.size() + 1 - k));
                std::swap(others[k - 1], others[at]);
                f = others[k - 1];
            }
            const double a = 2.0 * stream.uniform() - 1.0;
            const auto [low, high] = rules_.ranges[f];
            const double range = high > low ? high - low : 1.0;
            terms.push_back({f, a / range, static_cast<float>(std::fabs(a))});
            whole += std::fabs(a);
        }
        for (Term& term : terms)
            term.share = whole > 0.0 ? static_cast<float>(term.share / whole) : 0.0F;
        return try_number(node, first, std::move(terms));
    }

    // ---- categories

    std::span<const Code> levels_of(FeatureId f, std::span<const RowId> rows,
                                    std::vector<Code>& into) const {
        into.resize(rows.size());
        gather_levels(table_.columns[f], rows, into.data());
        return into;
    }

    bool try_levels(const NodeSamples& node, FeatureId f) {
        const Code missing = static_cast<Code>(table_.columns[f].n_codes);
        const auto levels = levels_of(f, voters_.rows, levels_);
        values_.resize(levels.size());
        for (std::size_t i = 0; i < levels.size(); ++i)
            values_[i] = levels[i] == missing ? std::nan("") : static_cast<double>(levels[i]);
        const bool learned = rules_.missing == MissingRule::learned;
        set_missing_apart(learned ? MissingRule::learned : MissingRule::apart);
        // Half of a sample on either side says nothing of which levels to part, and gains nothing.
        if (rules_.missing == MissingRule::both) outside_ = 0.0;
        const SampleOrder& order = at_voters_ ? voters_ : part_;
        if (values_.empty()) return false;
        Found found{.feature = f};
        const CutLimits allowed = limits(node, f, order.size());
        if (!other_.search(node, order.rows, allowed, found)) return false;
        if (found.cut.score == -kInfinity) return true;
        const Split split = other_.mark(node, found, order.rows);
        Candidate c;
        c.feature = f;
        c.test = Candidate::Test::levels;
        c.decrease = decrease_of(found.cut.score);
        c.worth = c.decrease - inside_ * found.by_chance / criterion_.score_per_decrease();
        c.middle = found.cut.middle;
        c.missing = learned ? split.missing : MissingSide::unseen;
        c.coins = !split.by_levels;
        c.threshold = split.threshold;
        c.left.assign(split.left.begin(), split.left.end());
        std::ranges::sort(c.left);
        if (rules_.honest && !filled_levels(c)) return true;
        double parts[3] = {0.0, 0.0, has_missing_ && !learned ? missing_weight_ : 0.0};
        for (std::size_t i = 0; i < order.size(); ++i)
            parts[other_.marks(order.size())[i] != 0 ? 0 : 1] += order.weights[i];
        c.information = information_of(parts);
        add(std::move(c));
        return true;
    }

    // ---- a child for each value

    // The number of the value's child; of numbers, of the interval they are in.
    void read_codes(FeatureId f, std::span<const RowId> rows, std::vector<Code>& into) const {
        const Column& column = table_.columns[f];
        if (column.kind == Column::Kind::category) {
            levels_of(f, rows, into);
            for (Code& code : into)
                if (code == column.n_codes) code = kMissingCode;
            return;
        }
        std::vector<double> values(rows.size());
        read_any_values(column, rows, values.data());
        into.resize(rows.size());
        const auto& edges = rules_.edges[f];
        for (std::size_t i = 0; i < rows.size(); ++i)
            into[i] = std::isnan(values[i])
                          ? kMissingCode
                          : static_cast<Code>(std::ranges::lower_bound(edges, values[i]) -
                                              edges.begin());
    }

    bool try_values(FeatureId f) {
        if (!at_voters_) take_up_voters();
        read_codes(f, voters_.rows, levels_);
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
        c.missing_child = values.back() == kMissingCode;
        c.values = std::move(values);
        if (c.missing_child) c.values.pop_back();
        if (!filled_values(c, of_value)) return true;
        std::vector<double> weights;
        double impurities = 0.0;
        for (const auto& places : of_value) {
            stop_.check();
            voters_.copy_some(places, aside_order_);
            aside_.enter(aside_order_, 0, aside_order_.size());
            weights.push_back(aside_.weight());
            impurities += aside_.weight() * aside_.impurity();
        }
        c.decrease = criterion_.impurity() - impurities / criterion_.weight();
        c.worth = c.decrease;
        c.information = information_of(weights);
        add(std::move(c));
        return true;
    }

    // As in C4.5, at least two children must be large enough; in honest trees, all.
    bool filled_values(const Candidate& c,
                       const std::vector<std::vector<std::size_t>>& of_value) {
        if (!rules_.honest) {
            if (rules_.min_samples_leaf <= 1) return true;
            return std::ranges::count_if(of_value, [&](const auto& places) {
                       return places.size() >= rules_.min_samples_leaf;
                   }) >= 2;
        }
        std::vector<std::size_t> sizes;
        place(c, filling_.rows, 0, sizes);
        return std::ranges::all_of(sizes, [&](std::size_t n) { return enough(n); });
    }

    bool filled_levels(const Candidate& c) {
        std::vector<std::size_t> sizes;
        place(c, filling_.rows, 0, sizes);
        return enough(sizes[0]) && enough(sizes[1]);
    }

    // ---- is there anything to find?

    void draw_range(const NodeSamples& node) {
        range_.bounded = rules_.range_sample != 0 && voters_.size() > rules_.range_sample;
        if (!range_.bounded) return;
        RandomStream stream(derive(node.key, kRangePart));
        range_.rows.clear();
        std::size_t wanted = rules_.range_sample;
        for (std::size_t i = 0; wanted > 0; ++i)
            if (stream.below(voters_.size() - i) < wanted) {
                range_.rows.push_back(voters_.rows[i]);
                --wanted;
            }
        range_.table = &table_;
        range_.feature = ~FeatureId{0};
    }

    // How likely the output depends on it as much by chance.
    double test(FeatureId f) {
        const auto n_outputs = static_cast<double>(target_.n_outputs);
        double least = 1.0;
        for (std::size_t k = 0; k < target_.n_outputs; ++k)
            least = std::min(least, test(f, k, voters_.rows));
        return std::min(1.0, least * n_outputs);
    }

    // The outputs are those of these rows, in their order.
    double test(FeatureId f, std::size_t k, std::span<const RowId> rows_of_outputs) {
        const Column& column = table_.columns[f];
        const bool category = column.kind == Column::Kind::category;
        std::vector<double> x_values, y_values, weights;
        std::vector<Code> x_levels, x_classes, y_classes;
        if (category)
            levels_of(f, voters_.rows, x_levels);
        else
            read(f, voters_.rows, {}, x_values);
        std::vector<double> known;
        const std::size_t at = k * target_.n_rows;
        for (std::size_t i = 0; i < voters_.size(); ++i) {
            if (category ? x_levels[i] == column.n_codes : std::isnan(x_values[i])) continue;
            if (category)
                x_classes.push_back(x_levels[i]);
            else
                known.push_back(x_values[i]);
            const RowId row = rows_of_outputs[i];
            if (target_.classification())
                y_classes.push_back(target_.classes[at + row]);
            else
                y_values.push_back(target_.values[at + row]);
            weights.push_back(voters_.weights[i]);
        }
        if (weights.size() < 2) return 1.0;
        if (category) renumber(x_classes);
        const Margin x{known, x_classes, category ? largest(x_classes) + 1 : 0};
        const Margin y{y_values, y_classes,
                       target_.classification() ? std::size_t{target_.n_classes[k]} : 0};
        return p_value_of_independence(x, y, weights);
    }

    static std::size_t largest(const std::vector<Code>& codes) { return std::ranges::max(codes); }
    static void renumber(std::vector<Code>& codes) {
        std::vector<Code> distinct = codes;
        std::ranges::sort(distinct);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (Code& code : codes)
            code = static_cast<Code>(std::ranges::lower_bound(distinct, code) - distinct.begin());
    }

    // The smallest p-value of all variables against its level, corrected for their number; or
    // against what it is when outputs are permuted.
    bool significant(const NodeSamples& node) {
        if (tested_.empty()) return false;
        double least = 1.0;
        for (const Tested& t : tested_) {
            least = std::min(least, t.p_value);
            for (Candidate& c : candidates_)
                if (c.feature == t.feature) c.p_value = t.p_value;
        }
        if (rules_.n_permutations == 0)
            return least * static_cast<double>(tested_.size()) <= rules_.significance;
        RandomStream stream(derive(node.key, kPermutationPart));
        std::vector<RowId> rows = voters_.rows;
        std::size_t as_small = 1;
        for (std::size_t b = 0; b < rules_.n_permutations; ++b) {
            stop_.check();
            for (std::size_t i = rows.size(); i > 1; --i)
                std::swap(rows[i - 1], rows[static_cast<std::size_t>(stream.below(i))]);
            double permuted = 1.0;
            for (const Tested& t : tested_)
                for (std::size_t k = 0; k < target_.n_outputs; ++k)
                    permuted = std::min(permuted, test(t.feature, k, rows) *
                                                      static_cast<double>(target_.n_outputs));
            as_small += permuted <= least;
        }
        return static_cast<double>(as_small) <=
               rules_.significance * static_cast<double>(rules_.n_permutations + 1);
    }

    // ---- the split

    // The child of each of these rows, and how many each child has. Values that the candidate has
    // not seen go right, or to `other`. kBothWays stands for both children.
    void place(const Candidate& c, std::span<const RowId> rows, std::uint32_t other,
               std::vector<std::size_t>& sizes) {
        const bool apart = rules_.missing == MissingRule::apart;
        const bool both = rules_.missing == MissingRule::both;
        const std::uint32_t missing_child = apart                            ? 2
                                            : both                           ? kBothWays
                                            : c.missing == MissingSide::left ? 0
                                                                             : 1;
        child_of_.resize(rows.size());
        if (c.test == Candidate::Test::values) {
            read_codes(c.feature, rows, codes_);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto at = std::ranges::lower_bound(c.values, codes_[i]);
                child_of_[i] = codes_[i] == kMissingCode && c.missing_child
                                   ? static_cast<std::uint32_t>(c.values.size())
                               : at != c.values.end() && *at == codes_[i]
                                   ? static_cast<std::uint32_t>(at - c.values.begin())
                                   : other;
            }
            sizes.assign(c.values.size() + c.missing_child, 0);
        } else if (c.test == Candidate::Test::levels) {
            const Code missing = static_cast<Code>(table_.columns[c.feature].n_codes);
            levels_of(c.feature, rows, codes_);
            const std::uint64_t seed = LevelRule(c.threshold).content();
            for (std::size_t i = 0; i < rows.size(); ++i)
                child_of_[i] = codes_[i] == missing ? missing_child
                               : (c.coins ? LevelRule::coin(seed, codes_[i])
                                          : std::ranges::binary_search(c.left, codes_[i]))
                                   ? 0
                                   : 1;
            sizes.assign(apart ? 3 : 2, 0);
        } else {
            read(c.feature, rows, c.terms, read_);
            for (std::size_t i = 0; i < rows.size(); ++i)
                child_of_[i] = std::isnan(read_[i]) ? missing_child : read_[i] <= c.threshold ? 0 : 1;
            sizes.assign(apart ? 3 : 2, 0);
        }
        for (const std::uint32_t child : child_of_)
            if (child != kBothWays) ++sizes[child];
    }

    Split make_split(const NodeSamples& node, const Candidate& c) {
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        std::uint32_t other = 0;  // of values, the largest child
        if (c.test == Candidate::Test::values) {
            place(c, voters_.rows, 0, sizes_);
            other = static_cast<std::uint32_t>(std::ranges::max_element(sizes_) - sizes_.begin());
        }
        place(c, rows, other, sizes_);
        Split split{.feature = c.feature,
                    .threshold = c.threshold,
                    .decrease = c.decrease,
                    .middle = c.middle,
                    .n_left = sizes_[0]};
        split.missing = missing_side(c);
        if (c.test == Candidate::Test::levels && !c.coins) tell_levels(c, split);
        const bool apart = rules_.missing == MissingRule::apart && c.test != Candidate::Test::values;
        if (apart || !c.terms.empty() || c.test == Candidate::Test::values) {
            describe(c, other);
            split.branching = &branching_;
            split.sizes = sizes_;
        }
        if (rules_.missing == MissingRule::both && std::ranges::count(child_of_, kBothWays) > 0)
            copy_both(node, split);
        else
            order_.part(node.begin, child_of_, sizes_);
        return split;
    }

    // Where missing values went: to one side, if the node has any, though only those that do not
    // find splits may have it.
    MissingSide missing_side(const Candidate& c) const {
        if (rules_.missing != MissingRule::learned || c.test == Candidate::Test::values)
            return MissingSide::unseen;
        if (c.missing != MissingSide::unseen || !rules_.honest) return c.missing;
        const Column& column = table_.columns[c.feature];
        const bool category = column.kind == Column::Kind::category;
        for (std::size_t i = 0; i < child_of_.size(); ++i)
            if (category ? codes_[i] == column.n_codes : std::isnan(read_[i]))
                return MissingSide::right;
        return MissingSide::unseen;
    }

    void tell_levels(const Candidate& c, Split& split) {
        const Code missing = static_cast<Code>(table_.columns[c.feature].n_codes);
        left_levels_ = c.left;
        right_levels_.clear();
        for (std::size_t i = 0; i < child_of_.size(); ++i)
            if (codes_[i] != missing && child_of_[i] == 1) right_levels_.push_back(codes_[i]);
        std::ranges::sort(right_levels_);
        right_levels_.erase(std::unique(right_levels_.begin(), right_levels_.end()),
                            right_levels_.end());
        split.by_levels = true;
        split.left = left_levels_;
        split.right = right_levels_;
    }

    // What the node keeps.
    void describe(const Candidate& c, std::uint32_t other) {
        using Test = Branching::Test;
        branching_ = {};
        branching_.terms = c.terms;
        branching_.n_children = static_cast<std::uint32_t>(sizes_.size());
        if (c.test == Candidate::Test::values) {
            branching_.other_child = other;
            branching_.missing_child =
                c.missing_child ? static_cast<std::uint32_t>(c.values.size()) : other;
            if (table_.columns[c.feature].kind == Column::Kind::category) {
                branching_.test = Test::levels;
                branching_.levels.assign(c.values.begin(), c.values.end());
            } else {  // intervals that the node has not seen belong to the one below, or the first
                const auto& edges = rules_.edges[c.feature];
                for (std::size_t k = 1; k < c.values.size(); ++k)
                    branching_.thresholds.push_back(edges[c.values[k] - 1]);
            }
            return;
        }
        branching_.missing_child = rules_.missing == MissingRule::apart   ? 2
                                   : c.missing == MissingSide::left        ? 0
                                   : missing_side(c) == MissingSide::right ? 1
                                                                           : Branching::kUnseen;
        branching_.test =
            c.test == Candidate::Test::levels ? Test::subset : Test::thresholds;
        branching_.thresholds = {c.threshold};
        branching_.other_child = 0;
    }

    // Samples whose value is missing go both ways, with half their weight.
    void copy_both(const NodeSamples& node, Split& split) {
        std::vector<std::size_t> places;
        std::vector<double> factors;
        std::size_t n[2] = {0, 0};
        for (const std::uint32_t side : {0U, 1U})
            for (std::size_t i = 0; i < child_of_.size(); ++i) {
                if (child_of_[i] != side && child_of_[i] != kBothWays) continue;
                places.push_back(node.begin + i);
                factors.push_back(child_of_[i] == kBothWays ? 0.5 : 1.0);
                ++n[side];
            }
        split.copied = true;
        split.begin = order_.size();
        split.n_left = n[0];
        split.n_right = n[1];
        order_.append(places, factors);
    }

    // Bounds on cuts: the range of some samples.
    struct Range {
        bool bounded = false;
        std::vector<RowId> rows;
        const Table* table = nullptr;
        FeatureId feature = 0;
        double low = 0.0, high = 0.0;

        bool holds(FeatureId f, double below, double above) {
            if (f != feature) {
                feature = f;
                low = kInfinity;
                high = -kInfinity;
                for (const RowId row : rows) {
                    const double x = table->columns[f].value(row);
                    low = x < low ? x : low;
                    high = x > high ? x : high;
                }
            }
            return below >= low && above <= high;
        }
    };

    static constexpr Code kMissingCode = ~Code{0};
    static constexpr std::uint32_t kBothWays = ~std::uint32_t{0};

    const SplitterParts parts_;
    const Table& table_;
    const Target& target_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    SampleOrder& order_;
    C facts_;      // of all samples, or those that fill leaves
    C criterion_;  // of those that find splits
    C aside_;      // of some of them
    OtherSearch<C> other_;
    ThresholdScan<C> scan_;
    VariablesOfNode variables_;
    std::vector<FeatureId> numbers_;
    SampleOrder filling_, voters_, part_, aside_order_;
    bool at_voters_ = false;  // or at a part of them
    bool has_missing_ = false;
    double outside_ = 0.0, inside_ = 1.0, missing_weight_ = 0.0;
    std::vector<std::size_t> places_, sizes_;
    std::vector<double> read_, values_, filling_values_;
    std::vector<Position> sorted_;
    std::vector<Code> levels_, codes_, left_levels_, right_levels_;
    std::vector<std::uint32_t> child_of_;
    Scratch<std::uint8_t> goes_left_;
    std::vector<Candidate> candidates_;
    std::vector<Tested> tested_;
    Position pair_[2] = {0, 0};
    StreamKey pair_key_ = 0;
    Range range_;
    Branching branching_;
};

}  // namespace silvics
