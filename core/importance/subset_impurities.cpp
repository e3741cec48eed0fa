#include "importance/subset_impurities.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "base/types.hpp"

namespace silvics {
namespace {

// The recursion decides one variable after the other: it is kept in B or left out. The state is a
// table of groups of rows that agree on all kept variables. Within a group there is a cell for each
// suffix, that is, the levels of the variables still undecided. Leaving a variable out adds up the
// cells that differ in it alone, so the table shrinks with the set. The sum over all sets of 20
// binary variables visits about 3^20 cells, instead of 2^20 times the number of rows.
template <class Number>
struct Cells {
    std::vector<Number> statistics;     // `width` of each cell
    std::vector<std::uint32_t> suffix;  // of each cell; empty if dense: all suffixes occur
    std::vector<std::uint32_t> start;   // of each group, and the end; empty if dense
    double settled = 0.0;               // impurity of groups that no decision can change
};

struct Shape {
    std::size_t n_groups = 0;
    std::size_t n_suffixes = 0;  // of each group if dense; zero if sparse
    bool is_dense() const { return n_suffixes != 0; }
};

// The suffixes from one variable on.
struct Suffixes {
    std::vector<std::uint32_t> level;  // of the variable, in each suffix
    std::vector<std::uint32_t> next;   // the suffix without it
    std::vector<std::size_t> place;    // index in a dense array of all combinations of levels
    std::size_t n_combinations = 0;    // zero if too many to count
};

constexpr std::size_t kMaxCombinations = std::size_t{1} << 32;
// A sparse cell costs several times as much as a cell of a dense array.
constexpr std::size_t kDenseFactor = 4;

template <class Number>
class Lattice {
public:
    Lattice(const Distribution& d, const WeightedImpurity& impurity, std::size_t max_size)
        : d_(d), impurity_(impurity), max_size_(max_size), order_(d.n_variables) {
        // Variables of many levels come first, because leaving them out shrinks tables most.
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_,
                                 [&](auto a, auto b) { return d.n_levels[a] > d.n_levels[b]; });
        const std::vector<std::uint32_t> suffix_of_row = find_suffixes();
        make_root(suffix_of_row);
    }

    std::vector<double> of_all_sets(ThreadTeam& team) {
        const std::size_t p = d_.n_variables;
        std::vector<double> found(std::size_t{1} << p, std::numeric_limits<double>::quiet_NaN());
        found_ = found.data();
        // Each task has one combination of decisions on the first variables. Tasks that keep more
        // variables take longer, and come first.
        n_given_ = std::min<std::size_t>(p, 6);
        const std::size_t n_tasks = std::size_t{1} << n_given_;
        std::vector<Worker> workers(std::min(team.size(), n_tasks));
        team.run(n_tasks, [&](std::size_t i, std::size_t w) {
            Worker& worker = workers[w];
            worker.levels.resize(p);
            worker.path = n_tasks - 1 - i;
            worker.stop = &team.stop();
            decide(worker, 0, 0, 0, root_, root_shape_);
        });
        return found;
    }

private:
    struct Worker {
        struct Level {
            Cells<Number> sparse, dense;
        };
        std::vector<Level> levels;  // the tables after the decision on each variable
        std::vector<std::uint32_t> at, seen, counts;
        std::uint32_t mark = 0;
        std::size_t path = 0;  // bit i: whether variable i < n_given_ is kept
        const StopFlag* stop = nullptr;
    };

    // ---- suffixes

    std::vector<std::uint32_t> find_suffixes() {
        const std::size_t p = d_.n_variables, n = d_.n_rows;
        suffixes_.resize(p);
        std::vector<std::uint32_t> of_row(n, 0);
        std::vector<std::uint64_t> keys(n), distinct;
        std::size_t n_next = 1, n_combinations = 1;
        std::vector<std::size_t> places{0};
        for (std::size_t i = p; i-- > 0;) {
            const std::uint32_t* levels = d_.levels_of(order_[i]);
            for (std::size_t r = 0; r < n; ++r)
                keys[r] = levels[r] * std::uint64_t{n_next} + of_row[r];
            distinct = keys;
            std::ranges::sort(distinct);
            distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
            for (std::size_t r = 0; r < n; ++r)
                of_row[r] = static_cast<std::uint32_t>(std::ranges::lower_bound(distinct, keys[r]) -
                                                       distinct.begin());
            Suffixes& s = suffixes_[i];
            const std::size_t n_levels = n_levels_of(i), before = n_combinations;
            n_combinations = before <= kMaxCombinations / n_levels ? before * n_levels : 0;
            s.n_combinations = n_combinations;
            for (const std::uint64_t key : distinct) {
                s.level.push_back(static_cast<std::uint32_t>(key / n_next));
                s.next.push_back(static_cast<std::uint32_t>(key % n_next));
                if (n_combinations != 0)
                    s.place.push_back(s.level.back() * before + places[s.next.back()]);
            }
            places = s.place;
            n_next = distinct.size();
        }
        return of_row;
    }

    void make_root(const std::vector<std::uint32_t>& suffix_of_row) {
        const std::size_t n = suffixes_[0].level.size(), width = d_.width;
        root_.statistics.assign(n * width, Number{0});
        for (std::size_t r = 0; r < d_.n_rows; ++r)  // equal rows become one cell
            for (std::size_t c = 0; c < width; ++c)
                root_.statistics[suffix_of_row[r] * width + c] +=
                    static_cast<Number>(d_.statistics_of(r)[c]);
        root_.suffix.resize(n);
        std::iota(root_.suffix.begin(), root_.suffix.end(), 0U);
        root_.start = {0, static_cast<std::uint32_t>(n)};
        Cells<Number> dense;
        root_shape_ = spread_if_full(0, root_, dense);
        if (root_shape_.is_dense()) root_ = std::move(dense);
    }

    std::size_t n_levels_of(std::size_t i) const { return d_.n_levels[order_[i]]; }

    // ---- decisions

    void decide(Worker& worker, std::size_t i, std::size_t set, std::size_t size,
                const Cells<Number>& cells, Shape shape) {
        const std::size_t with = set | std::size_t{1} << order_[i], n_levels = n_levels_of(i);
        const bool given = i < n_given_, chosen = (worker.path >> i & 1) != 0;
        const bool leaves = !given || !chosen, keeps = (!given || chosen) && size < max_size_;
        if (i + 1 == d_.n_variables) {
            const auto [left_out, kept] = both_sums(cells, shape);
            if (leaves) found_[set] = left_out;
            if (keeps) found_[with] = kept;
            return;
        }
        worker.stop->check();
        auto& [sparse, dense] = worker.levels[i];
        const auto recurse = [&](std::size_t to, std::size_t n) {
            const Shape full = spread_if_full(i + 1, sparse, dense);
            decide(worker, i + 1, to, n, full.is_dense() ? dense : sparse, full);
        };
        if (leaves) {
            if (shape.is_dense()) {
                add_up(cells, shape, n_levels, dense);
                decide(worker, i + 1, set, size, dense,
                       {shape.n_groups, shape.n_suffixes / n_levels});
            } else {
                leave_out(worker, i, cells, sparse);
                recurse(set, size);
            }
        }
        if (keeps) {
            if (shape.is_dense()) {  // the order of the cells does not change
                decide(worker, i + 1, with, size + 1, cells,
                       {shape.n_groups * n_levels, shape.n_suffixes / n_levels});
            } else {
                keep(worker, i, cells, sparse);
                recurse(with, size + 1);
            }
        }
    }

    void add_up(const Cells<Number>& cells, Shape shape, std::size_t n_levels,
                Cells<Number>& after) const {
        const std::size_t block = shape.n_suffixes / n_levels * d_.width;
        after.settled = cells.settled;
        after.statistics.resize(shape.n_groups * block);
        const auto add = [&](auto size) {
            const Number* from = cells.statistics.data();
            Number* to = after.statistics.data();
            for (std::size_t g = 0; g < shape.n_groups; ++g, to += size) {
                for (std::size_t c = 0; c < size; ++c) to[c] = from[c];
                from += size;
                for (std::size_t l = 1; l < n_levels; ++l, from += size)
                    for (std::size_t c = 0; c < size; ++c) to[c] += from[c];
            }
        };
        // Most tables have many groups with few suffixes, so the compiler unrolls these loops.
        if (block == 4)
            add(std::integral_constant<std::size_t, 4>{});
        else if (block == 8)
            add(std::integral_constant<std::size_t, 8>{});
        else if (block == 16)
            add(std::integral_constant<std::size_t, 16>{});
        else
            add(block);
    }

    void leave_out(Worker& worker, std::size_t i, const Cells<Number>& cells,
                   Cells<Number>& after) const {
        const Suffixes& s = suffixes_[i];
        worker.seen.resize(d_.n_rows, 0);
        worker.at.resize(d_.n_rows);
        const std::size_t width = d_.width;
        Writer out(after, cells, width);
        for (std::size_t g = 0; g + 1 < cells.start.size(); ++g) {
            const std::uint32_t mark = next_mark(worker);
            for (std::uint32_t c = cells.start[g]; c < cells.start[g + 1]; ++c) {
                const std::uint32_t next = s.next[cells.suffix[c]];
                const Number* statistics = &cells.statistics[c * width];
                if (worker.seen[next] != mark) {
                    worker.seen[next] = mark;
                    worker.at[next] = out.n_cells;
                    out.add(next, statistics);
                } else {
                    Number* sums = &after.statistics[worker.at[next] * width];
                    for (std::size_t k = 0; k < width; ++k) sums[k] += statistics[k];
                }
            }
            close_group(out, false);
        }
    }

    // Keeps variable i: splits groups by its levels.
    void keep(Worker& worker, std::size_t i, const Cells<Number>& cells,
              Cells<Number>& after) const {
        const Suffixes& s = suffixes_[i];
        const std::size_t width = d_.width, n_levels = n_levels_of(i);
        Writer out(after, cells, width);
        std::vector<std::uint32_t>& order = worker.at;
        std::vector<std::uint32_t>& counts = worker.counts;
        order.resize(d_.n_rows);
        for (std::size_t g = 0; g + 1 < cells.start.size(); ++g) {
            const std::uint32_t begin = cells.start[g], n = cells.start[g + 1] - begin;
            const auto level = [&](std::uint32_t c) { return s.level[cells.suffix[c]]; };
            if (n_levels <= 4 * std::size_t{n}) {
                counts.assign(n_levels + 1, 0);
                for (std::uint32_t c = begin; c < begin + n; ++c) ++counts[level(c) + 1];
                for (std::size_t l = 1; l <= n_levels; ++l) counts[l] += counts[l - 1];
                for (std::uint32_t c = begin; c < begin + n; ++c) order[counts[level(c)]++] = c;
            } else {
                std::iota(order.begin(), order.begin() + n, begin);
                std::sort(order.begin(), order.begin() + n, [&](auto a, auto b) {
                    return level(a) != level(b) ? level(a) < level(b) : a < b;
                });
            }
            for (std::uint32_t k = 0; k < n;) {
                const std::uint32_t common = level(order[k]);
                for (; k < n && level(order[k]) == common; ++k)
                    out.add(s.next[cells.suffix[order[k]]], &cells.statistics[order[k] * width]);
                close_group(out, true);
            }
        }
    }

    // Writes groups of cells. The memory is large enough, because no decision adds cells.
    struct Writer {
        Writer(Cells<Number>& cells, const Cells<Number>& before, std::size_t n_statistics)
            : to(cells), width(n_statistics) {
            const std::size_t most = before.start.back();
            if (to.suffix.size() < most) {
                to.suffix.resize(most);
                to.statistics.resize(most * width);
            }
            to.start.assign(1, 0);
            to.settled = before.settled;
        }
        void add(std::uint32_t suffix, const Number* statistics) {
            to.suffix[n_cells] = suffix;
            std::copy_n(statistics, width, &to.statistics[n_cells * width]);
            ++n_cells;
        }

        Cells<Number>& to;
        std::size_t width;
        std::uint32_t n_cells = 0;
    };

    // Removes groups that no decision can change: groups of one cell, and pure groups.
    void close_group(Writer& out, bool may_be_pure) const {
        const std::uint32_t first = out.to.start.back(), n = out.n_cells - first;
        const Number* begin = &out.to.statistics[first * d_.width];
        if (n == 1) out.to.settled += impurity_(begin);
        if (n == 1 || (may_be_pure && is_pure(begin, n)))
            out.n_cells = first;
        else
            out.to.start.push_back(out.n_cells);
    }

    bool is_pure(const Number* statistics, std::size_t n) const {
        if (d_.impurity == Impurity::variance) return false;
        std::size_t only = d_.width;
        for (std::size_t c = 0; c < n * d_.width; ++c)
            if (statistics[c] > 0) {
                if (only != d_.width && only != c % d_.width) return false;
                only = c % d_.width;
            }
        return true;
    }

    // ---- dense arrays

    // Copies the cells into a dense array of all suffixes from variable i on, if it is not much
    // larger.
    Shape spread_if_full(std::size_t i, const Cells<Number>& cells, Cells<Number>& dense) const {
        const std::size_t n_groups = cells.start.size() - 1, width = d_.width;
        const std::size_t size = suffixes_[i].n_combinations;
        if (size == 0 || n_groups == 0 || size > kDenseFactor * cells.start.back() / n_groups)
            return {n_groups, 0};
        dense.settled = cells.settled;
        dense.statistics.assign(n_groups * size * width, Number{0});
        for (std::size_t g = 0; g < n_groups; ++g)
            for (std::uint32_t c = cells.start[g]; c < cells.start[g + 1]; ++c)
                std::copy_n(
                    &cells.statistics[c * width], width,
                    &dense.statistics[(g * size + suffixes_[i].place[cells.suffix[c]]) * width]);
        return {n_groups, size};
    }

    // ---- sums

    // Sums over groups (last variable left out) and over cells (kept). A suffix is a level of the
    // last variable.
    struct Sums {
        double left_out, kept;
    };
    Sums both_sums(const Cells<Number>& cells, Shape shape) const {
        if (d_.impurity == Impurity::entropy && d_.width == 2)
            return both_sums(cells, shape, std::integral_constant<std::size_t, 2>{},
                             [&](const Number* s) { return impurity_.entropy_of_two(s[0], s[1]); });
        return both_sums(cells, shape, d_.width, [&](const Number* s) { return impurity_(s); });
    }
    template <class Width, class F>
    Sums both_sums(const Cells<Number>& cells, Shape shape, Width width, F&& impurity) const {
        double left_out = cells.settled, kept = cells.settled;
        Whole<Width> whole(width);
        const Number* cell = cells.statistics.data();
        for (std::size_t g = 0; g < shape.n_groups; ++g) {
            const std::size_t n =
                shape.is_dense() ? shape.n_suffixes : cells.start[g + 1] - cells.start[g];
            for (std::size_t c = 0; c < width; ++c) whole[c] = Number{0};
            for (std::size_t k = 0; k < n; ++k, cell += width) {
                for (std::size_t c = 0; c < width; ++c) whole[c] += cell[c];
                kept += impurity(cell);
            }
            left_out += impurity(&whole[0]);
        }
        return {left_out, kept};
    }
    // An array on the stack if its size is known at compile time, and a vector otherwise.
    template <class Width>
    struct Whole : std::vector<Number> {
        explicit Whole(std::size_t n) : std::vector<Number>(n) {}
    };
    template <std::size_t N>
    struct Whole<std::integral_constant<std::size_t, N>> : std::array<Number, N> {
        explicit Whole(std::size_t) {}
    };

    static std::uint32_t next_mark(Worker& worker) {
        if (++worker.mark == 0) {
            std::ranges::fill(worker.seen, 0);
            worker.mark = 1;
        }
        return worker.mark;
    }

    const Distribution& d_;
    const WeightedImpurity& impurity_;
    std::size_t max_size_, n_given_ = 0;
    std::vector<std::size_t> order_;  // the order in which variables are decided
    std::vector<Suffixes> suffixes_;
    Cells<Number> root_;
    Shape root_shape_;
    double* found_ = nullptr;
};

}  // namespace

std::vector<double> subset_impurities(const Distribution& distribution, std::size_t max_size,
                                      ThreadTeam& team) {
    check(distribution);
    if (distribution.n_variables > kMaxVariablesOfLattice)
        throw std::invalid_argument("too many variables for all their sets");
    const WeightedImpurity impurity(distribution);
    if (impurity.has_counts())
        return Lattice<std::uint32_t>(distribution, impurity, max_size).of_all_sets(team);
    return Lattice<double>(distribution, impurity, max_size).of_all_sets(team);
}

}  // namespace silvics
