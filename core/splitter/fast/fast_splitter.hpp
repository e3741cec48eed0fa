// The fast splitter: the best of all cuts, or uniform random ones, for one criterion.
#pragma once

#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/draw_variables.hpp"
#include "splitter/fast/search_on_sample.hpp"
#include "splitter/fast/variable_search.hpp"
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
          search_(parts, criterion_),
          on_sample_(parts, criterion_, search_) {}

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

    // Each size of node has its own route; all of them find the same split.
    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        if (rules_.split_sample != 0 && node.n > rules_.split_sample)
            if (auto split = find_on_sample(node, constants)) return split;
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        if constexpr (kScoresTwoAlike)
            if (node.n == 2 && !table_.sparse) return find_between_two(node, rows, constants);
        search_.prepare(node.n);
        if (team_ != nullptr && node.n >= rules_.shared_from)
            return find_shared(node, rows, constants);
        if (table_.sparse) return find_in_cells(node, rows, constants);
        if (search_.by_values(node.n)) return find_by_values(node, rows, constants);
        if constexpr (requires { requires C::kSummable; } || ExactSumCriterion<C> ||
                      ExactCountsCriterion<C>)
            if (node.n <= kMaxSmallNode && !rules_.random_cut && search_.fits_small_node())
                return with_constant(node.n, [&](auto n) {
                    return find_best(
                        node, constants, 1, [](const auto&) {},
                        [&](std::size_t, Found& found) {
                            return search_.template search_small<n>(node, rows, found);
                        },
                        [](const Found&) {},
                        [&](const Found& best) { return search_.mark(node, best, rows); });
                });
        return find_batched(node, rows, constants);
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
    // Nodes of at least kMinSamplesToBatch samples gather the codes of kBatchSize variables
    // together. A smaller node may find a perfect cut before all variables are tried.
    static constexpr std::size_t kMinSamplesToBatch = 64, kBatchSize = 4;
    // Whether both sides of two samples score alike, whichever is left: sums are exact, or both
    // samples are their own medians.
    static constexpr bool kScoresTwoAlike =
        ExactSumCriterion<C> || ExactCountsCriterion<C> || requires { requires !C::kSummable; };
    // So many sparse columns are fetched into the cache at a time.
    static constexpr std::size_t kCellBatchSize = 16;

    // Draws the variables of the node, in batches; begin, try_variable and enough are those of
    // draw_variables.
    template <class Known, class Begin, class Try, class Enough>
    void for_drawn_variables(const NodeSamples& node, const Known& constants,
                             std::size_t batch_size, Begin&& begin, Try&& try_variable,
                             Enough&& enough) {
        draw_.begin(node.key);
        const DrawLimits limits{rules_.max_features, rules_.constants_count, batch_size};
        const auto checked = [&](std::size_t i, FeatureId f) {
            stop_.check();
            return try_variable(i, f);
        };
        const auto [counted, useful] =
            draw_variables(draw_, constants, limits, drawn_, begin, checked, enough);
        note_work(node.n, counted, useful);
    }

    // Counts work once per node instead of once per variable, because most nodes are tiny. Small
    // nodes score all their cuts.
    void note_work(std::size_t n, std::size_t counted, std::size_t useful) {
        work_.values += counted * n;
        if (rules_.random_cut)
            work_.cuts += useful;
        else if (n <= kMaxSmallNode)
            work_.sorted += useful * n, work_.cuts += useful * (n - 1);
    }

    // Whether no later variable can be better: two samples are separated, or the classes are.
    bool good_enough(const NodeSamples& node, const Found& best) const {
        if (best.cut.score == -kInfinity) return false;
        if constexpr (requires { criterion_.perfect_score(); })
            if (best.worth() >= criterion_.perfect_score()) return true;
        return kScoresTwoAlike && node.n == 2;
    }

    // Searches the drawn variables and splits the node on the best one. begin(batch) prepares a
    // batch; search_one(i, found) searches found.feature, number i of the batch, for a cut better
    // than found.cut, and returns false if the variable is constant; keep(best) keeps what
    // mark(best) will need of the variable just searched, which is the best so far; mark(best)
    // marks the samples.
    template <class Known, class Begin, class SearchOne, class Keep, class Mark>
    std::optional<Split> find_best(const NodeSamples& node, Known& constants,
                                   std::size_t batch_size, Begin&& begin, SearchOne&& search_one,
                                   Keep&& keep, Mark&& mark) {
        Found best;
        const auto try_variable = [&](std::size_t i, FeatureId f) {
            Found found{.feature = f, .cut = {.score = best.worth()}};
            if (!search_one(i, found)) return constants.found(f), false;
            if (found.worth() > best.worth()) {
                best = found;
                keep(best);
            }
            return true;
        };
        for_drawn_variables(node, constants, batch_size, begin, try_variable,
                            [&] { return good_enough(node, best); });
        if (best.cut.score == -kInfinity) return std::nullopt;
        Split split = mark(best);
        split.decrease = criterion_.decrease(best.cut.score);
        split.middle = best.cut.middle;
        partition_samples(node, split);
        return split;
    }

    // The constants of a sparse table: columns that have no cell at the node, too. They need not be
    // remembered.
    struct SparseConstants {
        Constants& listed;
        const NodeCells& cells;
        bool known(FeatureId f) const { return cells.absent(f) || listed.known(f); }
        void found(FeatureId f) { listed.found(f); }
    };

    std::optional<Split> find_in_cells(const NodeSamples& node, std::span<const RowId> rows,
                                       Constants& listed) {
        SparseConstants constants{listed, search_.enter_cells(node, rows)};
        const bool mapped = constants.cells.mapped();
        return find_best(
            node, constants, mapped ? kCellBatchSize : 1,
            [&](std::span<const FeatureId> drawn) {
                if (mapped) constants.cells.prefetch(drawn, rules_.random_cut);
            },
            [&](std::size_t, Found& found) { return search_.search_cells(node, rows, found); },
            [](const Found&) {}, [&](const Found& best) { return search_.mark(node, best, rows); });
    }

    // The codes of a batch of variables are gathered together.
    std::optional<Split> find_batched(const NodeSamples& node, std::span<const RowId> rows,
                                      Constants& constants) {
        std::size_t next = 0;  // plain variable of the batch
        CodeRange range, best_range;
        const auto gather = [&](std::span<const FeatureId> drawn) {
            columns_.clear();
            for (const FeatureId f : drawn)
                if (table_.columns[f].plain) columns_.push_back(&table_.columns[f]);
            if (codes_.size() < columns_.size()) codes_.resize(columns_.size());
            gather_codes(columns_, rows, codes_, stop_);
            next = 0;
        };
        const auto search_one = [&](std::size_t, Found& found) {
            const Column& column = table_.columns[found.feature];
            if (!column.plain) return search_.search(node, rows, found);
            const std::uint16_t* codes = codes_[next++].data();
            range = range_of(codes, rows.size());
            return search_.search(node, NodeColumn{column, rows, codes, range},
                                  search_.limits(node, found.feature), found);
        };
        const auto keep = [&](const Found& best) {
            if (!table_.columns[best.feature].plain) return;
            best_range = range;
            best_codes_.swap(codes_[next - 1]);
        };
        const auto mark = [&](const Found& best) {
            const Column& column = table_.columns[best.feature];
            return column.plain
                       ? search_.mark_codes(best, {column, rows, best_codes_.data(), best_range})
                       : search_.mark(node, best, rows);
        };
        return find_best(node, constants, rows.size() < kMinSamplesToBatch ? 1 : kBatchSize, gather,
                         search_one, keep, mark);
    }

    // Random cuts of smaller nodes, on values. Those of the best variable are kept to mark samples.
    std::optional<Split> find_by_values(const NodeSamples& node, std::span<const RowId> rows,
                                        Constants& constants) {
        return find_best(
            node, constants, 1, [](const auto&) {},
            [&](std::size_t, Found& found) { return search_.search(node, rows, found); },
            [&](const Found&) { best_values_.swap(search_.values()); },
            [&](const Found& best) {
                return search_.plain(best.feature)
                           ? search_.mark_values(best, best_values_.data(), rows)
                           : search_.mark(node, best, rows);
            });
    }

    // Two samples can be separated in one way only, so that the first variable in which they differ
    // will do. Half of the nodes of a full tree have two or three samples.
    std::optional<Split> find_between_two(const NodeSamples& node, std::span<const RowId> rows,
                                          const Constants& constants) {
        Found best;
        bool in_order = true;
        const auto try_variable = [&](std::size_t, FeatureId f) {
            const auto& column = table_.columns[f];
            if (!column.plain) {
                search_.prepare(rows.size());
                best = Found{.feature = f};
                return search_.search(node, rows, best);
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
            search_.score_one_left(node, in_order ? 0 : 1, best);
            return true;
        };
        for_drawn_variables(
            node, constants, 1, [](const auto&) {}, try_variable,
            [&] { return best.cut.score != -kInfinity; });
        if (best.cut.score == -kInfinity) return std::nullopt;
        Split split{.feature = best.feature, .threshold = best.threshold, .n_left = 1};
        if (!table_.columns[best.feature].plain) {
            split = search_.mark(node, best, rows);
            partition_samples(node, split);
        } else if (!in_order) {
            order_.swap(node.begin, node.begin + 1);
        }
        split.decrease = criterion_.decrease(best.cut.score);
        split.middle = best.cut.middle;
        return split;
    }

    // The variables of a large node are distributed over the threads of the team.
    std::optional<Split> find_shared(const NodeSamples& node, std::span<const RowId> rows,
                                     Constants& constants) {
        std::vector<Found> found_by_team;
        std::vector<char> useful;
        const auto search_all = [&](std::span<const FeatureId> drawn) {
            found_by_team.assign(drawn.size(), {});
            useful.assign(drawn.size(), 0);
            std::vector<char> entered(team_->size(), 0);
            team_->run_steps(drawn.size(), [&](std::size_t i, std::size_t worker) {
                auto& helper = helpers_[worker];
                if (!helper) helper = std::make_unique<FastSplitter>(parts_);
                if (!std::exchange(entered[worker], 1)) {
                    helper->criterion_.enter(order_, node.begin, node.n);
                    helper->search_.prepare(node.n);
                }
                found_by_team[i].feature = drawn[i];
                useful[i] = helper->search_.search(node, rows, found_by_team[i]);
            });
        };
        return find_best(
            node, constants, table_.n_features(), search_all,
            [&](std::size_t i, Found& found) {
                found = found_by_team[i];
                return useful[i] != 0;
            },
            [](const Found&) {}, [&](const Found& best) { return search_.mark(node, best, rows); });
    }

    std::optional<Split> find_on_sample(const NodeSamples& node, const Constants& constants) {
        const auto split = on_sample_.find(node, [&](auto&& try_variable) {
            for_drawn_variables(
                node, constants, 1, [](const auto&) {}, try_variable, [] { return false; });
        });
        if (split) partition_samples(node, *split);
        return split;
    }

    // Partitions the samples by the marks of the split. The criterion no longer needs what it
    // prepared for the search, so that its buffer can be used.
    void partition_samples(const NodeSamples& node, const Split& split) {
        const auto goes_left = search_.marks(split.feature, node.n);
        if constexpr (requires { criterion_.spare_buffer(); })
            order_.split(node.begin, goes_left, criterion_.spare_buffer());
        else
            order_.split(node.begin, goes_left, scratch_);
    }

    const SplitterParts parts_;
    const Table& table_;
    const FastRules& rules_;
    const StopFlag& stop_;
    SampleOrder& order_;
    C criterion_;
    FeatureDraw draw_;
    VariableSearch<C> search_;
    SampleSearch<C> on_sample_;
    std::vector<FeatureId> drawn_;
    std::vector<const Column*> columns_;  // plain variables of a batch
    std::vector<CodeBuffer> codes_;       // and their codes
    CodeBuffer best_codes_;
    Scratch<double> best_values_;
    Scratch<std::uint64_t> scratch_;
    Work work_;
    ThreadTeam* team_ = nullptr;
    std::vector<std::unique_ptr<FastSplitter>> helpers_;  // one per thread of the team
};

}  // namespace silvics
