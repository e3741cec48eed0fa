#include "proximity/proximity.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <variant>

namespace silvics {
namespace {

constexpr std::size_t kTaskRows = 64;

std::vector<std::uint32_t> in_bag_sizes(const LeafMembership& membership) {
    std::vector<std::uint32_t> sizes;
    sizes.reserve(membership.first_leaf.back());
    for (std::size_t m = 0; m < membership.n_trees(); ++m) {
        const TreeMembership tree = membership.tree(m);
        for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
            sizes.push_back(static_cast<std::uint32_t>(tree.in_bag(leaf).size()));
    }
    return sizes;
}

// Calls use(weight_of), where weight_of(m, position) is the in-bag weight, with the type of the
// weights decided once.
template <class Use>
void with_weights(const LeafMembership& membership, Use&& use) {
    if (size_of(membership.weights) > 0) {
        std::visit(
            [&](auto weights) {
                use([weights, n = membership.n_rows](std::size_t m, std::size_t position) {
                    return static_cast<double>(weights[m * n + position]);
                });
            },
            membership.weights);
        return;
    }
    use([&](std::size_t m, std::size_t position) { return membership.weight(m, position); });
}

}  // namespace

void RowSums::clear() {
    for (const RowId column : touched) sums[column] = 0.0;
    touched.clear();
}

Proximity::Proximity(const Predictor& predictor, const LeafMembership& columns, ProximityKind kind,
                     std::span<const std::uint32_t> leaf_sizes, std::size_t min_samples,
                     std::size_t max_depth, ThreadTeam& team)
    : predictor_(predictor), columns_(columns), kind_(kind), numbers_(predictor) {
    if (columns.n_trees() != predictor.n_trees())
        throw std::invalid_argument("the rows do not have the trees of the forest");
    if (kind != ProximityKind::original && columns.n_parts < 2)
        throw std::invalid_argument("only training rows are in bag or out of bag");
    if (columns.n_rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("proximities are limited to 2**31 - 1 columns");
    // A leaf of an honest tree may have no row in bag: it predicts what the node above does.
    const bool weighted = kind == ProximityKind::gap || kind == ProximityKind::kernel;
    if (weighted) min_samples = std::max<std::size_t>(min_samples, 1);
    const std::vector<std::uint32_t> own =
        leaf_sizes.empty() ? in_bag_sizes(columns) : std::vector<std::uint32_t>{};
    cells_ =
        LeafCells(predictor, leaf_sizes.empty() ? own : leaf_sizes, min_samples, max_depth, team);
    if (weighted) find_cell_weights(team);
    if (kind == ProximityKind::oob) mark_out_of_bag(team);
}

void Proximity::find_cell_weights(ThreadTeam& team) {
    inverse_weights_.resize(columns_.first_leaf.back());
    team.run(columns_.n_trees(), [&](std::size_t m, std::size_t) {
        const TreeMembership tree = columns_.tree(m);
        std::vector<double> weights(tree.n_leaves(), 0.0);
        with_weights(columns_, [&](auto weight_of) {
            for (std::size_t leaf = 0; leaf < weights.size(); ++leaf)
                for (std::size_t k = 0; k < tree.in_bag(leaf).size(); ++k)
                    weights[leaf] += weight_of(m, tree.begin(leaf) + k);
        });
        // Cells are nested, so the sum of a cell is computed once and used for all of its leaves.
        LeafRange known;
        double whole = 0.0;
        for (std::uint32_t leaf = 0; leaf < weights.size(); ++leaf) {
            const LeafRange cell = cells_.below(m, leaf);
            if (cell != known) {
                known = cell;
                whole = 0.0;
                for (std::uint32_t l = cell.begin; l < cell.end; ++l) whole += weights[l];
            }
            inverse_weights_[columns_.first_leaf[m] + leaf] = whole > 0.0 ? 1.0 / whole : 0.0;
        }
    });
}

void Proximity::mark_out_of_bag(ThreadTeam& team) {
    n_words_ = (columns_.n_trees() + 63) / 64;
    out_bits_.assign(checked_product(columns_.n_rows, n_words_), 0);
    // A word has the bits of 64 trees, which one thread sets.
    team.run(n_words_, [&](std::size_t word, std::size_t) {
        for (std::size_t bit = 0; bit < 64 && word * 64 + bit < columns_.n_trees(); ++bit) {
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

std::size_t Proximity::add_same_cell(std::span<const std::uint32_t> leaves, RowPart part,
                                     RowSums& out) const {
    std::size_t n = 0;
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        ++n;
        const TreeMembership tree = columns_.tree(m);
        cells_.for_sharing(m, leaves[m], [&](std::uint32_t leaf) {
            for (const RowId column : rows_of(tree, leaf, part)) out.add(column, 1.0);
        });
    }
    return n;
}

std::size_t Proximity::add_weights(std::span<const std::uint32_t> leaves, RowSums& out) const {
    std::size_t n = 0;
    with_weights(columns_, [&](auto weight_of) {
        for (std::size_t m = 0; m < leaves.size(); ++m) {
            if (leaves[m] == LeafTable::kNone) continue;
            ++n;
            const TreeMembership tree = columns_.tree(m);
            const LeafRange cell = cells_.below(m, leaves[m]);
            const double inverse = inverse_weights_[columns_.first_leaf[m] + leaves[m]];
            for (std::uint32_t leaf = cell.begin; leaf < cell.end; ++leaf) {
                const std::span<const RowId> rows = tree.in_bag(leaf);
                const std::size_t begin = tree.begin(leaf);
                for (std::size_t k = 0; k < rows.size(); ++k)
                    out.add(rows[k], weight_of(m, begin + k) * inverse);
            }
        }
    });
    return n;
}

void Proximity::add_row(std::size_t row, std::span<const std::uint32_t> leaves,
                        RowSums& out) const {
    const bool weighted = kind_ == ProximityKind::gap || kind_ == ProximityKind::kernel;
    const std::size_t n =
        weighted ? add_weights(leaves, out) : add_same_cell(leaves, query_part(), out);
    for (const RowId column : out.touched)
        out.sums[column] /=
            static_cast<double>(kind_ == ProximityKind::oob ? n_both_out(row, column) : n);
}

template <class Begin, class UseRow, class End>
void Proximity::for_rows(const Matrix* X, ThreadTeam& team, Begin&& begin, UseRow&& use,
                         End&& end) const {
    if (X != nullptr && query_part() != RowPart::all)
        throw std::invalid_argument("only training rows are out of bag");
    const std::size_t n = n_rows(X), at_once = rows_of_table(columns_.n_trees());
    std::vector<RowSums> buffers(team.size());
    LeafTable table;
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t size = std::min(at_once, n - first);
        if (X == nullptr)
            table.read(columns_, query_part(), first, size, team);
        else
            table.read(predictor_, numbers_, *X, first, size, team);
        begin(first, size);
        const std::size_t n_tasks = (size + kTaskRows - 1) / kTaskRows;
        team.run(n_tasks, [&](std::size_t task, std::size_t worker) {
            RowSums& sums = buffers[worker];
            sums.sums.resize(n_columns(), 0.0);
            for (std::size_t i = task * kTaskRows; i < std::min(size, (task + 1) * kTaskRows);
                 ++i) {
                team.stop().check();
                add_row(first + i, table.row(i), sums);
                use(first + i, sums);
                sums.clear();
            }
        });
        end();
    }
}

template <class UseRow>
void Proximity::for_rows(const Matrix* X, ThreadTeam& team, UseRow&& use) const {
    for_rows(X, team, [](std::size_t, std::size_t) {}, use, [] {});
}

void Proximity::dense(const Matrix* X, std::span<double> out, ThreadTeam& team) const {
    const std::size_t width = n_columns();
    if (out.size() != checked_product(n_rows(X), width))
        throw std::invalid_argument("the output needs one element for each row and column");
    for_rows(X, team, [&](std::size_t row, RowSums& sums) {
        std::ranges::copy(sums.sums, out.begin() + static_cast<std::ptrdiff_t>(row * width));
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
        X, team,
        [&](std::size_t first, std::size_t size) {
            block = first;
            parts.assign((size + kTaskRows - 1) / kTaskRows, {});
        },
        [&](std::size_t row, RowSums& sums) {
            Part& part = parts[(row - block) / kTaskRows];
            std::ranges::sort(sums.touched);
            for (const RowId column : sums.touched) {
                part.columns.push_back(static_cast<std::int32_t>(column));
                part.values.push_back(sums.sums[column]);
            }
            out.starts[row + 1] = static_cast<std::int64_t>(sums.touched.size());
        },
        [&] {
            for (Part& part : parts) {
                out.columns.insert(out.columns.end(), part.columns.begin(), part.columns.end());
                out.values.insert(out.values.end(), part.values.begin(), part.values.end());
                part = {};
            }
        });
    for (std::size_t i = 1; i < out.starts.size(); ++i) out.starts[i] += out.starts[i - 1];
    return out;
}

void Proximity::neighbors(const Matrix* X, std::size_t n_neighbors, std::span<std::int64_t> indices,
                          std::span<double> values, ThreadTeam& team) const {
    const std::size_t size = checked_product(n_rows(X), n_neighbors);
    if (indices.size() != size || values.size() != size)
        throw std::invalid_argument("the output needs one element for each row and neighbour");
    for_rows(X, team, [&](std::size_t row, RowSums& sums) {
        std::vector<RowId>& found = sums.touched;
        const std::size_t n = std::min(n_neighbors, found.size());
        const auto nearer = [&](RowId a, RowId b) {
            return sums.sums[a] != sums.sums[b] ? sums.sums[a] > sums.sums[b] : a < b;
        };
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(n);
        if (n < found.size()) std::nth_element(found.begin(), end, found.end(), nearer);
        std::sort(found.begin(), end, nearer);
        for (std::size_t k = 0; k < n_neighbors; ++k) {
            indices[row * n_neighbors + k] = k < n ? static_cast<std::int64_t>(found[k]) : -1;
            values[row * n_neighbors + k] = k < n ? sums.sums[found[k]] : 0.0;
        }
    });
}

void Proximity::product(const Matrix* X, std::span<const double> factors, std::size_t width,
                        bool squares, bool without_diagonal, std::span<double> out,
                        ThreadTeam& team) const {
    if (factors.size() != checked_product(n_columns(), width) ||
        out.size() != checked_product(n_rows(X), width))
        throw std::invalid_argument("the factors need one row for each column of the matrix");
    for_rows(X, team, [&](std::size_t row, RowSums& sums) {
        const auto into = out.subspan(row * width, width);
        std::ranges::fill(into, 0.0);
        for (const RowId column : sums.touched) {
            if (without_diagonal && column == row) continue;
            const double value = sums.sums[column], times = squares ? value * value : value;
            const auto from = factors.subspan(column * width, width);
            for (std::size_t c = 0; c < width; ++c) into[c] += times * from[c];
        }
    });
}

bool Proximity::has_rows(const Matrix& X, ThreadTeam& team) const {
    if (X.rows != columns_.n_rows) return false;
    const std::size_t at_once = rows_of_table(columns_.n_trees());
    LeafTable given, known;
    for (std::size_t first = 0; first < X.rows; first += at_once) {
        const std::size_t size = std::min(at_once, X.rows - first);
        given.read(predictor_, numbers_, X, first, size, team);
        known.read(columns_, RowPart::all, first, size, team);
        if (given.leaves != known.leaves) return false;
    }
    return true;
}

}  // namespace silvics
