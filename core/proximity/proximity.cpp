#include "proximity/proximity.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "proximity/cell_weights.hpp"
#include "proximity/nearest.hpp"
#include "proximity/numbered_sums.hpp"

namespace silvics {
namespace {

constexpr std::size_t kTaskRows = 64, kReportRows = 4096;
// With at most this number of rows in a leaf on average, weights of leaves are not stored.
constexpr std::size_t kMostRowsOfSmallLeaf = 16;

// The rows of a table in their order, or by their leaves in the first tree. Rows that are processed
// one after the other then share more leaves, which are in cache.
std::vector<std::uint32_t> order_of(const LeafTable& table, bool sorted) {
    std::vector<std::uint32_t> order(table.size);
    std::iota(order.begin(), order.end(), 0U);
    if (sorted) return order;
    std::vector<std::uint32_t> leaf(table.size);
    for (std::size_t i = 0; i < table.size; ++i) leaf[i] = table.row(i)[0];
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return leaf[i]; });
    return order;
}

// A number that stands for a row of X in place of that of a training row.
std::size_t drawn_number(std::size_t row, std::size_t n_rows) {
    const std::uint64_t mixed = (row + 1) * std::uint64_t{0x9E3779B97F4A7C15};
    return static_cast<std::size_t>(((mixed >> 32) * n_rows) >> 32);
}

}  // namespace

Proximity::Proximity(const Predictor& predictor, const LeafMembership& columns, ProximityKind kind,
                     std::span<const std::uint32_t> leaf_sizes, std::size_t min_samples,
                     std::size_t max_depth, ThreadTeam& team)
    : predictor_(predictor), columns_(columns), kind_(kind) {
    if (columns.n_trees() != predictor.n_trees())
        throw std::invalid_argument("the rows do not have the trees of the forest");
    if (kind != ProximityKind::original && columns.n_parts < 2)
        throw std::invalid_argument("only training rows are in bag or out of bag");
    if (columns.n_rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("proximities are limited to 2**31 - 1 columns");
    // A leaf of an honest tree may have no row in bag: it predicts what the node above does.
    if (weighted()) min_samples = std::max<std::size_t>(min_samples, 1);
    const std::vector<std::uint32_t> own =
        leaf_sizes.empty() ? in_bag_sizes(columns) : std::vector<std::uint32_t>{};
    cells_ =
        LeafCells(predictor, leaf_sizes.empty() ? own : leaf_sizes, min_samples, max_depth, team);
    if (weighted()) {
        const std::size_t n_leaves = columns_.first_leaf.back();
        if (!cells_.are_leaves() || columns_.rows.size() / n_leaves > kMostRowsOfSmallLeaf)
            find_cell_weights(team);
        std::visit(
            [&](auto weights) {
                weights_ = std::as_bytes(weights).data();
                bytes_of_weight_ = sizeof(weights[0]);
            },
            columns.weights);
    }
    if (kind == ProximityKind::oob) mark_out_of_bag(team);
}

void Proximity::limit_leaves(std::size_t max_rows, ThreadTeam& team) {
    max_rows_ = max_rows;
    if (weighted() && inverse_weights_.empty()) find_cell_weights(team);
}

void Proximity::find_cell_weights(ThreadTeam& team) {
    inverse_weights_ = inverse_cell_weights(columns_, cells_, team);
}

void Proximity::mark_out_of_bag(ThreadTeam& team) {
    n_words_ = (columns_.n_trees() + 63) / 64;
    out_bits_.assign(checked_product(columns_.n_rows, n_words_), 0);
    // A word has the bits of 64 trees, which one thread sets.
    team.run(n_words_, [&](std::size_t word, std::size_t) {
        for (std::size_t bit = 0; bit < 64 && word * 64 + bit < columns_.n_trees(); ++bit) {
            team.stop().check();
            const TreeMembership tree = columns_.tree(word * 64 + bit);
            for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
                for (const RowId row : tree.out_of_bag(leaf))
                    out_bits_[row * n_words_ + word] |= std::uint64_t{1} << bit;
        }
    });
}

std::size_t Proximity::n_both_out(std::size_t a, std::size_t b) const {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words_; ++w)
        n += static_cast<std::size_t>(
            std::popcount(out_bits_[a * n_words_ + w] & out_bits_[b * n_words_ + w]));
    return n;
}

bool Proximity::counted() const {
    return !weighted() && columns_.n_trees() <= std::numeric_limits<std::uint16_t>::max();
}

void Proximity::fetch_leaves(std::span<const std::uint32_t> leaves) const {
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        const std::size_t leaf = columns_.first_leaf[m] + leaves[m];
        __builtin_prefetch(&columns_.ends[leaf * columns_.n_parts]);
        if (!inverse_weights_.empty()) __builtin_prefetch(&inverse_weights_[leaf]);
    }
}

void Proximity::meet(std::span<const RowId> rows, std::size_t position, double inverse,
                     std::size_t number, std::vector<Met>& met) const {
    if (rows.empty()) return;
    if (max_rows_ > 0 && rows.size() > max_rows_) {
        const auto at =
            static_cast<std::size_t>(std::ranges::lower_bound(rows, number) - rows.begin());
        const std::size_t begin =
            std::min(at - std::min(at, max_rows_ / 2), rows.size() - max_rows_);
        rows = rows.subspan(begin, max_rows_);
        position += begin;
    }
    __builtin_prefetch(rows.data());
    __builtin_prefetch(&rows.back());
    if (weights_ != nullptr) __builtin_prefetch(weights_ + position * bytes_of_weight_);
    met.push_back({rows, position, inverse});
}

// Collects what a row meets, so that memory is fetched ahead, and calls add(Met) for each. Returns
// the number of trees.
template <class Add>
std::size_t Proximity::for_met(std::size_t number, std::span<const std::uint32_t> leaves,
                               std::vector<Met>& met, Add&& add) const {
    constexpr std::size_t kMost = 4096;
    std::size_t n = 0;
    const auto add_all = [&] {
        for (const Met& one : met) add(one);
        met.clear();
    };
    const auto meet_leaf = [&](const TreeMembership& tree, std::uint32_t leaf, double inverse) {
        const auto part = [&](std::span<const RowId> rows) {
            const auto before = static_cast<std::size_t>(rows.data() - columns_.rows.data());
            meet(rows, before, inverse, number, met);
        };
        if (weighted()) {
            part(tree.in_bag(leaf));
        } else if (kind_ == ProximityKind::oob) {
            part(tree.out_of_bag(leaf));
        } else if (max_rows_ > 0 && columns_.n_parts > 1) {
            part(tree.in_bag(leaf));
            part(tree.out_of_bag(leaf));
        } else {
            part(tree.all(leaf));
        }
        if (met.size() >= kMost) add_all();
    };
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        ++n;
        const TreeMembership tree = columns_.tree(m);
        if (!weighted()) {
            cells_.for_sharing(m, leaves[m],
                               [&](std::uint32_t leaf) { meet_leaf(tree, leaf, 1.0); });
            continue;
        }
        const LeafRange cell = cells_.below(m, leaves[m]);
        const double inverse =
            inverse_weights_.empty() ? 0.0 : inverse_weights_[columns_.first_leaf[m] + leaves[m]];
        for (std::uint32_t leaf = cell.begin; leaf < cell.end; ++leaf)
            meet_leaf(tree, leaf, inverse);
    }
    add_all();
    return n;
}

template <class Sum>
Proximity::Row Proximity::row_of(std::size_t row, std::size_t number,
                                 std::span<const std::uint32_t> leaves, bool sorted,
                                 RowSums<Sum>& sums, Scratch& scratch, const StopFlag& stop) const {
    sums.resize(n_columns());
    std::size_t n = 0;
    if (weighted()) {
        with_weights(columns_, [&](auto weight_at) {
            n = for_met(number, leaves, scratch.met, [&](const Met& met) {
                stop.check();
                const auto weight = [&](std::size_t k) {
                    return weight_at(met.rows[k], met.position + k);
                };
                double inverse = met.inverse;
                if (inverse_weights_.empty()) {
                    // Whole numbers are added faster.
                    using Weight = decltype(weight(0));
                    std::conditional_t<std::is_integral_v<Weight>, std::uint64_t, double> whole{};
                    for (std::size_t k = 0; k < met.rows.size(); ++k) whole += weight(k);
                    inverse = 1.0 / static_cast<double>(whole);
                }
                sums.add(met.rows,
                         [&](std::size_t k) { return static_cast<double>(weight(k)) * inverse; });
            });
        });
    } else {
        n = for_met(number, leaves, scratch.met, [&](const Met& met) {
            stop.check();
            sums.add(met.rows, [](std::size_t) { return Sum{1}; });
        });
    }
    if (sorted) std::ranges::sort(sums.columns());
    const std::span<const RowId> columns = sums.take(scratch.values);
    const std::span<double> values = std::span(scratch.values).first(columns.size());
    if (kind_ != ProximityKind::oob) return {columns, values, static_cast<double>(n)};
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] /= static_cast<double>(n_both_out(row, columns[k]));
    return {columns, values, 1.0};
}

template <class Begin, class UseRows, class End>
void Proximity::for_tasks(const Matrix* X, bool sorted, ThreadTeam& team, Begin&& begin,
                          UseRows&& use, End&& end) const {
    if (X != nullptr && query_part() != RowPart::all)
        throw std::invalid_argument("only training rows are out of bag");
    const std::size_t n = n_rows(X);
    // At most 32 MiB, and at least two blocks, so that the table takes little memory beside the
    // forest.
    const std::size_t at_once = std::min(rows_of_table(columns_.n_trees()), n) / 2 + 1;
    LeafTable table;
    team.set_total(n);
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t size = std::min(at_once, n - first);
        if (X == nullptr)
            table.read(columns_, query_part(), first, size, team);
        else
            table.read(predictor_, *X, first, size, team);
        begin(first, size);
        const std::vector<std::uint32_t> order = order_of(table, sorted);
        for (std::size_t from = 0; from < size; from += kReportRows) {
            const std::span<const std::uint32_t> some =
                std::span(order).subspan(from, std::min(kReportRows, size - from));
            team.run_steps((some.size() + kTaskRows - 1) / kTaskRows, [&](std::size_t task,
                                                                          std::size_t worker) {
                const std::size_t at = task * kTaskRows;
                use(table, some.subspan(at, std::min(kTaskRows, some.size() - at)), worker);
            });
            team.report(first + from + some.size());
        }
        end();
    }
}

template <class Begin, class UseRow, class End>
void Proximity::for_rows(const Matrix* X, bool sorted, ThreadTeam& team, Begin&& begin,
                         UseRow&& use, End&& end) const {
    std::vector<Scratch> memory(team.size());
    const auto use_rows = [&](const LeafTable& table, std::span<const std::uint32_t> rows,
                              std::size_t worker) {
        Scratch& scratch = memory[worker];
        for (std::size_t k = 0; k < rows.size(); ++k) {
            team.stop().check();
            if (k + 1 < rows.size()) fetch_leaves(table.row(rows[k + 1]));
            const std::size_t row = table.first + rows[k];
            const std::size_t number = X == nullptr ? row : drawn_number(row, n_columns());
            const std::span<const std::uint32_t> leaves = table.row(rows[k]);
            use(row,
                counted()
                    ? row_of(row, number, leaves, sorted, scratch.counts, scratch, team.stop())
                    : row_of(row, number, leaves, sorted, scratch.sums, scratch, team.stop()),
                worker);
        }
    };
    for_tasks(X, sorted, team, begin, use_rows, end);
}

template <class UseRow>
void Proximity::for_rows(const Matrix* X, ThreadTeam& team, UseRow&& use) const {
    for_rows(X, false, team, [](std::size_t, std::size_t) {}, use, [] {});
}

void Proximity::dense(const Matrix* X, std::span<double> out, ThreadTeam& team) const {
    const std::size_t width = n_columns();
    if (out.size() != checked_product(n_rows(X), width))
        throw std::invalid_argument("the output needs one element for each row and column");
    for_rows(X, team, [&](std::size_t row, Row found, std::size_t) {
        const std::span<double> to = out.subspan(row * width, width);
        std::ranges::fill(to, 0.0);
        for (std::size_t k = 0; k < found.columns.size(); ++k)
            to[found.columns[k]] = found.value(k);
    });
}

SparseRows Proximity::sparse(const Matrix* X, ThreadTeam& team) const {
    struct Part {
        std::vector<std::int32_t> columns;
        std::vector<double> values;
    };
    SparseRows out;
    out.starts.assign(n_rows(X) + 1, 0);
    std::vector<Part> parts;  // of each task, whose rows are processed one after the other
    std::size_t block = 0;
    for_rows(
        X, true, team,
        [&](std::size_t first, std::size_t size) {
            block = first;
            parts.assign((size + kTaskRows - 1) / kTaskRows, {});
        },
        [&](std::size_t row, Row found, std::size_t) {
            Part& part = parts[(row - block) / kTaskRows];
            part.columns.insert(part.columns.end(), found.columns.begin(), found.columns.end());
            for (std::size_t k = 0; k < found.columns.size(); ++k)
                part.values.push_back(found.value(k));
            out.starts[row + 1] = static_cast<std::int64_t>(found.columns.size());
        },
        [&] {
            for (Part& part : parts) {
                team.stop().check();
                out.columns.insert(out.columns.end(), part.columns.begin(), part.columns.end());
                out.values.insert(out.values.end(), part.values.begin(), part.values.end());
                part = {};
            }
        });
    for (std::size_t i = 1; i < out.starts.size(); ++i) out.starts[i] += out.starts[i - 1];
    return out;
}

void Proximity::neighbors(const Matrix* X, std::size_t n_neighbors, std::span<std::int32_t> indices,
                          std::span<double> values, ThreadTeam& team) const {
    const std::size_t size = checked_product(n_rows(X), n_neighbors);
    if (indices.size() != size || values.size() != size)
        throw std::invalid_argument("the output needs one element for each row and neighbour");
    std::vector<Nearest> nearest(team.size());
    const auto write = [&](std::size_t row, std::span<const Nearest::Neighbor> found) {
        const std::size_t first = row * n_neighbors;
        for (std::size_t k = 0; k < n_neighbors; ++k) {
            const bool some = k < found.size();
            indices[first + k] = some ? static_cast<std::int32_t>(found[k].column) : -1;
            values[first + k] = some ? found[k].value : 0.0;
        }
    };
    if (!weighted() || !cells_.are_leaves() || max_rows_ > 0 ||
        !NumberedSums::pays(columns_, n_rows(X)))
        return for_rows(X, team, [&](std::size_t row, Row all, std::size_t worker) {
            write(row, nearest[worker].of(all.columns, all.sums, n_neighbors, all.divisor));
        });
    team.set_total(n_rows(X));  // progress is that of rows from here on
    const NumberedSums numbered(columns_, team);
    std::vector<NumberedSums::Scratch> memory(team.size());
    for_tasks(
        X, false, team, [](std::size_t, std::size_t) {},
        [&](const LeafTable& table, std::span<const std::uint32_t> rows, std::size_t worker) {
            numbered.for_rows(
                table, rows, memory[worker], team.stop(),
                [&](std::size_t i, std::span<const RowId> numbers, std::span<const double> sums,
                    std::size_t n_trees) {
                    write(table.first + i,
                          nearest[worker].of(numbers, sums, n_neighbors,
                                             static_cast<double>(n_trees), numbered.row_of()));
                });
        },
        [] {});
}

void Proximity::product(const Matrix* X, std::span<const double> factors, std::size_t width,
                        bool squares, bool without_diagonal, std::span<double> out,
                        ThreadTeam& team) const {
    if (factors.size() != checked_product(n_columns(), width) ||
        out.size() != checked_product(n_rows(X), width))
        throw std::invalid_argument("the factors need one row for each column of the matrix");
    for_rows(X, team, [&](std::size_t row, Row found, std::size_t) {
        const auto into = out.subspan(row * width, width);
        std::ranges::fill(into, 0.0);
        for (std::size_t k = 0; k < found.columns.size(); ++k) {
            const RowId column = found.columns[k];
            if (without_diagonal && column == row) continue;
            const double value = found.value(k), times = squares ? value * value : value;
            const auto from = factors.subspan(column * width, width);
            for (std::size_t c = 0; c < width; ++c) into[c] += times * from[c];
        }
    });
}

double Proximity::work(ThreadTeam& team) const {
    std::vector<double> of_tree(columns_.n_trees(), 0.0);
    const RowPart met = weighted()                    ? RowPart::in_bag
                        : kind_ == ProximityKind::oob ? RowPart::out_of_bag
                                                      : RowPart::all;
    const RowPart query = columns_.n_parts > 1 ? query_part() : RowPart::all;
    team.run(columns_.n_trees(), [&](std::size_t m, std::size_t) {
        const TreeMembership tree = columns_.tree(m);
        std::vector<double> before(tree.n_leaves() + 1, 0.0);
        for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
            before[leaf + 1] = before[leaf] + static_cast<double>(rows_of(tree, leaf, met).size());
        for (std::uint32_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
            const LeafRange cell = cells_.below(m, leaf);
            of_tree[m] += static_cast<double>(rows_of(tree, leaf, query).size()) *
                          (before[cell.end] - before[cell.begin]);
        }
    });
    return std::accumulate(of_tree.begin(), of_tree.end(), 0.0);
}

bool Proximity::has_rows(const Matrix& X, ThreadTeam& team) const {
    if (X.rows != columns_.n_rows) return false;
    const std::size_t at_once = rows_of_table(columns_.n_trees());
    LeafTable given, known;
    for (std::size_t first = 0; first < X.rows; first += at_once) {
        const std::size_t size = std::min(at_once, X.rows - first);
        given.read(predictor_, X, first, size, team);
        known.read(columns_, RowPart::all, first, size, team);
        if (given.leaves != known.leaves) return false;
    }
    return true;
}

}  // namespace silvics
