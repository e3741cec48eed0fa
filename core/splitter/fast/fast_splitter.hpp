// The fast splitter: the best of all cuts, or uniform ones, of one criterion.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/thread_team.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/draw_variables.hpp"
#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/search_nonplain.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

template <Criterion C>
class FastSplitter final : public Splitter, private SoleSampleReader {
public:
    explicit FastSplitter(const SplitterParts& parts)
        : parts_(parts),
          table_(parts.table),
          rules_(parts.rules),
          stop_(parts.stop),
          order_(parts.order),
          criterion_(parts.target, parts.subset, parts.stop),
          draw_(parts.features),
          other_(parts, criterion_) {}

    NodeStats enter(const NodeSamples& node) override {
        criterion_.enter(order_, node.begin, node.n);
        return {node.n, criterion_.weight(), criterion_.homogeneous()};
    }

    SoleSampleReader* sole_sample_reader() override { return this; }

    SoleSample enter_sole(std::size_t at) override {
        criterion_.enter(order_, at, 1);
        SoleSample sole{.weight = criterion_.weight()};
        if constexpr (requires { criterion_.only_class(); })
            sole.only_class = criterion_.only_class();
        else
            criterion_.write_value({&sole.value, 1});
        return sole;
    }

    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        if (rules_.split_sample != 0 && node.n > rules_.split_sample)
            if (auto split = find_on_sample(node, constants)) return split;
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        if constexpr (ExactSumCriterion<C>)
            if (node.n == 2) return find_between_two(node, rows, constants);
        prepare_search(node.n);
        if (team_ != nullptr && node.n >= rules_.shared_from)
            return find_together(node, rows, constants);
        if (by_values(node.n))
            return find_one_by_one(node, rows, constants, [&](Found& found) {
                return search_variable(node, rows, found);
            });
        if constexpr (ExactSumCriterion<C> || ExactCountsCriterion<C>)
            if (node.n <= kMaxSmallNode && !rules_.random_cut)
                return with_constant(node.n, [&](auto n) {
                    return find_one_by_one(node, rows, constants, [&](Found& found) {
                        return search_small<n>(node, rows, found);
                    });
                });
        Found best;
        const auto try_column = [&](FeatureId f, const NodeColumn& column, CodeBuffer& codes) {
            if (constant(column)) return constants.found(f), false;
            Found found{.feature = f, .cut = {.score = best.worth()}};
            search(node, f, column, limits(node, f), found);
            if (found.worth() > best.worth()) {
                best = found;
                best_range_ = column.range;
                best_codes_.swap(codes);
            }
            return true;
        };
        const auto try_other = [&](FeatureId f) {
            Found found{.feature = f, .cut = {.score = best.worth()}};
            if (!other_.search(node, rows, limits(node, f), found))
                return constants.found(f), false;
            if (found.worth() > best.worth()) best = found;
            return true;
        };
        for_drawn_columns(node, rows, constants, try_column, try_other,
                          [&] { return good_enough(node, best); });
        if (best.cut.score == -kInfinity) return std::nullopt;
        const auto& column = table_.columns[best.feature];
        if (!column.plain) return split_other(node, best, rows);
        return make_split(node, best, {column, rows, best_codes_.data(), best_range_});
    }

    void share(ThreadTeam* team) override {
        team_ = team;
        for (const auto& helper : helpers_)
            if (helper) work_ += helper->work();
        helpers_.clear();
        if (team != nullptr) helpers_.resize(team->size());
    }

    std::unique_ptr<Splitter> another() const override {
        return std::make_unique<FastSplitter>(parts_);
    }

    Work work() const override {
        Work all = work_;
        all += search_.work();
        all += other_.work();
        for (const auto& helper : helpers_)
            if (helper) all += helper->work();
        return all;
    }

    bool sums_are_exact() const override { return ExactSumCriterion<C> || ExactCountsCriterion<C>; }

    double impurity() const override { return criterion_.impurity(); }

    int impurity_exponent() const override { return criterion_.impurity_exponent(); }

    void write_value(std::span<double> value) const override { criterion_.write_value(value); }

    ClassId only_class() const override {
        if constexpr (requires { criterion_.only_class(); }) return criterion_.only_class();
        return 0;
    }

private:
    // Found on some of a node's samples.
    struct Candidate {
        Found found;
        std::vector<Code> left;  // levels
    };

    static constexpr std::size_t kGatheredTogether = 64, kAtOnce = 4;

    // Variables of the node, in batches; begin, try_variable and enough as in draw_variables.
    template <class Begin, class Try, class Enough>
    void for_drawn_variables(const NodeSamples& node, const Constants& constants,
                             std::size_t at_once, Begin&& begin, Try&& try_variable,
                             Enough&& enough) {
        draw_.begin(node.key);
        const DrawLimits limits{rules_.max_features, rules_.constants_count, at_once};
        const auto checked = [&](std::size_t i, FeatureId f) {
            stop_.check();
            return try_variable(i, f);
        };
        const auto [counted, useful] =
            draw_variables(draw_, constants, limits, drawn_, begin, checked, enough);
        note_work(node.n, counted, useful);
    }

    // Counted per node, not per variable: most nodes are tiny. Of small ones all cuts are scored.
    void note_work(std::size_t n, std::size_t counted, std::size_t useful) {
        work_.values += counted * n;
        if (rules_.random_cut)
            work_.cuts += useful;
        else if (n <= kMaxSmallNode)
            work_.sorted += useful * n, work_.cuts += useful * (n - 1);
    }

    // The same with the codes of each variable for the given rows.
    template <class Try, class TryOther, class Enough>
    void for_drawn_columns(const NodeSamples& node, std::span<const RowId> rows,
                           const Constants& constants, Try&& try_column, TryOther&& try_other,
                           Enough&& enough) {
        std::size_t next = 0;  // of those gathered
        const auto gather = [&](std::span<const FeatureId> drawn) {
            columns_.clear();
            for (const FeatureId f : drawn)
                if (table_.columns[f].plain) columns_.push_back(&table_.columns[f]);
            if (codes_.size() < columns_.size()) codes_.resize(columns_.size());
            gather_codes(columns_, rows, codes_, stop_);
            next = 0;
        };
        const auto try_variable = [&](std::size_t, FeatureId f) {
            if (!table_.columns[f].plain) return try_other(f);
            CodeBuffer& buffer = codes_[next++];
            const std::uint16_t* codes = buffer.data();
            return try_column(
                f, NodeColumn{table_.columns[f], rows, codes, range_of(codes, rows.size())},
                buffer);
        };
        // A small node may find its cut before all are tried.
        const std::size_t at_once = rows.size() < kGatheredTogether ? 1 : kAtOnce;
        for_drawn_variables(node, constants, at_once, gather, try_variable, enough);
    }

    // No later variable could do better: two samples, or a cut that parts the classes.
    bool good_enough(const NodeSamples& node, const Found& best) const {
        if (best.cut.score == -kInfinity) return false;
        if constexpr (requires { criterion_.perfect_score(); })
            return node.n == 2 || best.worth() >= criterion_.perfect_score();
        return false;
    }

    // Of two samples there is one way to part: the first variable that can will do, and half of
    // a full tree's nodes are of two or three.
    std::optional<Split> find_between_two(const NodeSamples& node, std::span<const RowId> rows,
                                          const Constants& constants) {
        Found best;
        bool in_order = true;
        const auto try_variable = [&](std::size_t, FeatureId f) {
            const auto& column = table_.columns[f];
            if (!column.plain) {
                prepare_search(rows.size());
                best = Found{.feature = f};
                return other_.search(node, rows, limits(node, f), best);
            }
            if (column.kind == Column::Kind::bin && column.codes[rows[0]] == column.codes[rows[1]])
                return false;
            double values[2];
            read_values(column, rows, values);
            if (values[0] == values[1]) return false;
            in_order = values[0] < values[1];
            const double low = values[in_order ? 0 : 1], high = values[in_order ? 1 : 0];
            best = Found{.feature = f,
                         .threshold = rules_.random_cut ? draw_threshold(node.key, f, low, high)
                                                        : middle_of_gap(low, high)};
            search_.score_left(criterion_, criterion_.sample(in_order ? 0 : 1), 1, limits(node, f),
                               best.cut);
            return true;
        };
        for_drawn_variables(
            node, constants, 1, [](const auto&) {}, try_variable,
            [&] { return best.cut.score != -kInfinity; });
        if (best.cut.score == -kInfinity) return std::nullopt;
        if (!table_.columns[best.feature].plain) return split_other(node, best, rows);
        if (!in_order) order_.swap(node.begin, node.begin + 1);
        return Split{.feature = best.feature,
                     .threshold = best.threshold,
                     .decrease = criterion_.decrease(best.cut.score),
                     .n_left = 1};
    }

    // Variables one by one: search_one(found) looks for a cut on found.feature that is better than
    // the score there; false if it is constant.
    template <class SearchOne>
    std::optional<Split> find_one_by_one(const NodeSamples& node, std::span<const RowId> rows,
                                         Constants& constants, SearchOne&& search_one) {
        Found best;
        const auto try_variable = [&](std::size_t, FeatureId f) {
            Found found{.feature = f, .cut = {.score = best.worth()}};
            if (!search_one(found)) return constants.found(f), false;
            if (found.worth() > best.worth()) {
                best = found;
                best_values_.swap(values_);
            }
            return true;
        };
        for_drawn_variables(
            node, constants, 1, [](const auto&) {}, try_variable,
            [&] { return good_enough(node, best); });
        if (best.cut.score == -kInfinity) return std::nullopt;
        if (by_values(node.n) && table_.columns[best.feature].plain)
            return split_by_values(node, best, best_values_.data());
        return make_split(node, best, rows);
    }

    // The best cut on one variable of few samples; false if it is constant.
    template <std::size_t N>
    bool search_small(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        const auto& column = table_.columns[found.feature];
        if (!column.plain) return search_variable(node, rows, found);
        const SmallNode<N> small(column, rows.data());
        if (column.kind == Column::Kind::several_values && !small.all_differ())
            return search_variable(node, rows, found);
        if (small.constant()) return false;
        search_.best_cut(criterion_, small, limits(node, found.feature), found.cut);
        return true;
    }

    // The variables of a large node, shared out over the team.
    std::optional<Split> find_together(const NodeSamples& node, std::span<const RowId> rows,
                                       Constants& constants) {
        std::vector<Found> found;
        std::vector<char> useful;
        const auto search_all = [&](std::span<const FeatureId> drawn) {
            found.assign(drawn.size(), {});
            useful.assign(drawn.size(), 0);
            std::vector<char> entered(team_->size(), 0);
            team_->run_steps(drawn.size(), [&](std::size_t i, std::size_t worker) {
                auto& helper = helpers_[worker];
                if (!helper) helper = std::make_unique<FastSplitter>(parts_);
                if (!std::exchange(entered[worker], 1)) {
                    helper->criterion_.enter(order_, node.begin, node.n);
                    helper->prepare_search(node.n);
                }
                found[i].feature = drawn[i];
                useful[i] = helper->search_variable(node, rows, found[i]);
            });
        };
        Found best;
        const auto take = [&](std::size_t i, FeatureId f) {
            if (useful[i] == 0) return constants.found(f), false;
            if (found[i].worth() > best.worth()) best = found[i];
            return true;
        };
        for_drawn_variables(node, constants, table_.n_features(), search_all, take,
                            [] { return false; });
        if (best.cut.score == -kInfinity) return std::nullopt;
        return make_split(node, best, rows);
    }

    // One variable for the given rows.
    NodeColumn gathered(FeatureId f, std::span<const RowId> rows) {
        const Column* column = &table_.columns[f];
        codes_.resize(std::max(codes_.size(), std::size_t{1}));
        gather_codes({&column, 1}, rows, codes_, stop_);
        return {*column, rows, codes_[0].data(), range_of(codes_[0].data(), rows.size())};
    }

    // The best cut on one variable; false if it is constant.
    bool search_variable(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        const FeatureId f = found.feature;
        if (!table_.columns[f].plain) return other_.search(node, rows, limits(node, f), found);
        if (by_values(rows.size())) return draw_by_values(node, rows, limits(node, f), found);
        const NodeColumn column = gathered(f, rows);
        if (constant(column)) return false;
        search(node, f, column, limits(node, f), found);
        return true;
    }

    // Whether the cuts of a node with so many samples are drawn by looking at their values.
    bool by_values(std::size_t n) const { return rules_.random_cut && n < table_.values_below; }

    // The random cut on one variable; false if it is constant.
    bool draw_by_values(const NodeSamples& node, std::span<const RowId> rows,
                        const CutLimits& limits, Found& found) {
        if constexpr (ExactSumCriterion<C>)
            if (rows.size() > 1 && rows.size() <= kMaxSmallNode && limits.none())
                return with_constant(rows.size(), [&](auto n) {
                    return draw_in_small<n>(node, rows, limits, found);
                });
        double* const of = values_.take(rows.size());
        double low, high;
        read_values_in_range(table_.columns[found.feature], rows, of, &low, &high);
        if (low == high) return false;
        found.threshold = draw_threshold(node.key, found.feature, low, high);
        score_values(criterion_, search_, {of, rows.size()}, found.threshold, limits, goes_left_,
                     found.cut);
        return true;
    }

    template <std::size_t N>
    bool draw_in_small(const NodeSamples& node, std::span<const RowId> rows,
                       const CutLimits& limits, Found& found) {
        double* const of = values_.take(kMaxSmallNode);
        read_values(table_.columns[found.feature], rows.first<N>(), of);
        double low = of[0], high = of[0];
        for (std::size_t i = 1; i < N; ++i) {
            low = of[i] < low ? of[i] : low;
            high = of[i] > high ? of[i] : high;
        }
        if (low == high) return false;
        found.threshold = draw_threshold(node.key, found.feature, low, high);
        typename C::Summand left{};
        for (std::size_t i = 0; i < N; ++i)
            C::add_if(of[i] <= found.threshold, criterion_.samples()[i], left);
        search_.score_left(criterion_, left, 1, limits, found.cut);
        return true;
    }

    const double* values_of(FeatureId f, std::span<const RowId> rows) {
        return read_values(table_.columns[f], rows, values_.take(rows.size()));
    }

    CutLimits limits(const NodeSamples& node, FeatureId f) const {
        return {node.n, rules_.min_samples_leaf, rules_.min_weight_leaf, rules_.monotonic_sign(f),
                node.bounds};
    }

    // Random cuts are summed without samples made ready, but for few of them.
    void prepare_search(std::size_t n) {
        if constexpr (requires { criterion_.prepare_search(); })
            if (!rules_.random_cut || n <= kMaxSmallNode) criterion_.prepare_search();
    }

    // The best, or the random, cut on one variable.
    void search(const NodeSamples& node, FeatureId f, const NodeColumn& column,
                const CutLimits& limits, Found& found) {
        if (rules_.random_cut) {
            const double low = values_of_code(column, column.range.low, places_).first;
            const double high = values_of_code(column, column.range.high, places_).second;
            found.threshold = draw_threshold(node.key, f, low, high);
            score_threshold(column, found.threshold, limits, found.cut);
        } else {
            search_.best_cut(criterion_, column, limits, rules_.search, stop_, found.cut);
        }
    }

    // The one cut that a threshold makes; nothing if all samples are on one side.
    void score_threshold(const NodeColumn& column, double threshold, const CutLimits& limits,
                         Cut& best) {
        const CodeSides sides = sides_of_threshold(column.column, threshold);
        if constexpr (ExactSumCriterion<C>) {
            if (limits.none()) {  // summed without being marked
                auto left = criterion_.sum_below(column.codes, column.size(), sides.surely_left);
                for (const Position i : sides.unsure(column, places_))
                    if (column.value(i) <= threshold) left += criterion_.sample(i);
                const double w = C::weight_of(left);
                if (w > 0.0 && w < criterion_.weight())
                    search_.score_left(criterion_, left, 1, limits, best);
                return;
            }
        }
        const std::size_t n_left = mark_sides(column, sides, threshold, goes_left_, places_);
        if (n_left > 0 && n_left < column.size())
            search_.score_sides(criterion_, {goes_left_.data(), column.size()}, n_left, limits,
                                best);
    }

    // What the criterion knew of each sample is of no more use by then: its room is.
    void part_samples(const NodeSamples& node, std::span<const std::uint8_t> goes_left) {
        if constexpr (requires { criterion_.spare_room(); })
            order_.split(node.begin, goes_left, criterion_.spare_room());
        else
            order_.split(node.begin, goes_left, scratch_);
    }

    Split split_other(const NodeSamples& node, const Found& found, std::span<const RowId> rows) {
        Split split = other_.mark(node, found, rows);
        split.decrease = criterion_.decrease(found.cut.score);
        split.middle = found.cut.middle;
        part_samples(node, other_.marks(node.n));
        return split;
    }

    // Sets the samples in order.
    Split make_split(const NodeSamples& node, const Found& found, std::span<const RowId> rows) {
        if (!table_.columns[found.feature].plain) return split_other(node, found, rows);
        if (!by_values(rows.size())) return make_split(node, found, gathered(found.feature, rows));
        return split_by_values(node, found, values_of(found.feature, rows));
    }

    Split split_by_values(const NodeSamples& node, const Found& found, const double* values) {
        Split split = split_of(found);
        split.n_left = kernels_.mark_upto(values, node.n, split.threshold, goes_left_.take(node.n));
        part_samples(node, {goes_left_.data(), node.n});
        return split;
    }

    Split split_of(const Found& found) const {
        return {.feature = found.feature,
                .threshold = found.threshold,
                .decrease = criterion_.decrease(found.cut.score),
                .middle = found.cut.middle};
    }

    Split make_split(const NodeSamples& node, const Found& found, const NodeColumn& column) {
        Split split = split_of(found);
        if (!rules_.random_cut) split.threshold = threshold_of_cut(column, found.cut, places_);
        const CodeSides sides = rules_.random_cut
                                    ? sides_of_threshold(column.column, split.threshold)
                                    : sides_of_cut(found.cut);
        split.n_left = mark_sides(column, sides, split.threshold, goes_left_, places_);
        part_samples(node, {goes_left_.data(), node.n});
        return split;
    }

    // Searches on N_0 samples of the node, the same for all variables; the limits and the
    // decrease are those of the whole node. Nothing if no cut so found is allowed there.
    std::optional<Split> find_on_sample(const NodeSamples& node, const Constants& constants) {
        std::vector<std::size_t> places;
        RandomStream stream(derive(node.key, kSplitSamplePart));
        std::size_t wanted = rules_.split_sample;
        for (std::size_t i = 0; wanted > 0; ++i)
            if (stream.below(node.n - i) < wanted) {
                places.push_back(node.begin + i);
                --wanted;
            }
        order_.copy_some(places, sample_);
        std::vector<Candidate> candidates;
        criterion_.enter(sample_, 0, sample_.size());
        prepare_search(sample_.size());
        const auto keep = [&](const Found& found) {
            if (found.cut.score != -kInfinity) candidates.push_back({found, {}});
        };
        const CutLimits none{.n = sample_.size()};
        const auto try_other = [&](FeatureId f) {
            Found found{.feature = f};
            if (!other_.search(node, sample_.rows, none, found)) return false;
            if (found.cut.score == -kInfinity) return true;
            const Split split = other_.mark(node, found, sample_.rows);
            found.missing = split.missing;
            candidates.push_back({found, {split.left.begin(), split.left.end()}});
            std::ranges::sort(candidates.back().left);
            return true;
        };
        const auto try_variable = [&](std::size_t, FeatureId f) {
            if (!table_.columns[f].plain) return try_other(f);
            Found found{.feature = f};
            if (!draw_by_values(node, sample_.rows, none, found)) return false;
            return keep(found), true;
        };
        const auto try_column = [&](FeatureId f, const NodeColumn& column, CodeBuffer&) {
            if (constant(column)) return false;
            Found found{.feature = f};
            search(node, f, column, none, found);
            if (!rules_.random_cut && found.cut.score != -kInfinity)
                found.threshold = threshold_of_cut(column, found.cut, places_);
            return keep(found), true;
        };
        const auto never = [] { return false; };
        if (by_values(sample_.size()))
            for_drawn_variables(node, constants, 1, [](const auto&) {}, try_variable, never);
        else
            for_drawn_columns(node, sample_.rows, constants, try_column, try_other, never);
        std::ranges::stable_sort(candidates, std::greater{},
                                 [](const Candidate& c) { return c.found.worth(); });
        criterion_.enter(order_, node.begin, node.n);
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        for (auto& [found, left] : candidates) {
            found.cut = {};
            const CutLimits allowed = limits(node, found.feature);
            if (!table_.columns[found.feature].plain) {
                Split split = other_.mark_as_found(found, left, rows);
                if (split.n_left == 0 || split.n_left == node.n) continue;
                search_.score_sides(criterion_, other_.marks(node.n), split.n_left, allowed,
                                    found.cut);
                if (found.cut.score == -kInfinity) continue;
                split.decrease = criterion_.decrease(found.cut.score);
                split.middle = found.cut.middle;
                part_samples(node, other_.marks(node.n));
                return split;
            }
            if (by_values(node.n))
                score_values(criterion_, search_, {values_of(found.feature, rows), node.n},
                             found.threshold, allowed, goes_left_, found.cut);
            else
                score_threshold(gathered(found.feature, rows), found.threshold, allowed, found.cut);
            if (found.cut.score != -kInfinity)
                return split_by_values(node, found, values_of(found.feature, rows));
        }
        return std::nullopt;
    }

    const SplitterParts parts_;
    const Table& table_;
    const FastRules& rules_;
    const StopFlag& stop_;
    const Kernels& kernels_ = kernels();
    SampleOrder& order_;
    C criterion_;
    FeatureDraw draw_;
    std::vector<FeatureId> drawn_;
    std::vector<const Column*> columns_;
    std::vector<CodeBuffer> codes_;
    CodeBuffer best_codes_;
    CodeRange best_range_;
    CutSearch<C> search_;
    Scratch<std::uint8_t> goes_left_;
    Scratch<std::uint64_t> scratch_;
    Scratch<Position> places_;
    Scratch<double> values_, best_values_;
    NonPlainSearch<C> other_;
    SampleOrder sample_;
    Work work_;
    ThreadTeam* team_ = nullptr;
    std::vector<std::unique_ptr<FastSplitter>> helpers_;  // one per thread of the team
};

}  // namespace silvics
