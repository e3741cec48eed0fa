#include "shap/pair_values.hpp"

#include <algorithm>

namespace silvics {
namespace {

constexpr std::uint64_t kUpper = std::uint64_t{1} << 32;  // one in the upper half
constexpr std::uint64_t kOfRow = kUpper, kOfOther = std::uint64_t{1} << 48;

constexpr std::uint64_t lower(std::uint64_t pair) { return pair & (kUpper - 1); }

}  // namespace

void PairValues::prepare(const ExplainedTree& tree, const TreeBackground& background,
                         const SubsetWeights& weights, const ColumnsBelow& columns, double* found,
                         const StopFlag& stop) {
    tree_ = &tree;
    background_ = &background;
    weights_ = &weights;
    columns_ = &columns;
    found_ = found;
    stop_ = &stop;
    n_subtrees_ = 0;
    known_.assign(tree.n_nodes(), {});
    const std::span<const FeatureId> variables = tree.variables();
    keys_.resize((background.rows.size + 1) * variables.size());
    OrderKey* key = keys_.data() + variables.size();
    for (std::size_t z = 0; z < background.rows.size; ++z)
        for (const FeatureId variable : variables)
            *key++ = order_key(background.rows.row(z)[variable]);
}

void PairValues::set_row(const double* row) {
    row_ = row;
    ++n_rows_;
    OrderKey* key = keys_.data();
    for (const FeatureId variable : tree_->variables()) *key++ = order_key(row[variable]);
}

void PairValues::add(NodeId t, std::size_t z, const Path& path) {
    if (visits_.size() == n_subtrees_) visits_.resize(2 * n_subtrees_ + 1);
    visits_[n_subtrees_] = {t + (z + 1) * tree_->variables().size() * kUpper, path.of_row,
                            path.of_other,
                            n_subtrees_ + path.n_of_row * kOfRow + path.n_of_other * kOfOther};
    ++n_subtrees_;
}

template <std::size_t N>
void PairValues::run() {
    visit_all<N>();
    sums_.assign((n_subtrees_ + 2 * n_parts_) * 2 * N, 0.0);
    add_leaves<N>();
    add_parts<N>();
}

template <std::size_t N>
void PairValues::visit_all() {
    constexpr std::size_t kSteps = 256;  // for which there is space
    const OrderKey* const keys = keys_.data();
    const PairNode* const nodes = background_->pair_nodes.data();
    const auto counts = [&](std::uint64_t t) {
        return N == 1 || columns_->any(static_cast<NodeId>(t));
    };
    n_parts_ = n_leaves_ = 0;
    for (std::size_t begin = 0, end = n_subtrees_; begin < end;) {
        stop_->check();
        if (begin >= end - begin) {  // what is left takes the place of what was done
            std::copy(visits_.data() + begin, visits_.data() + end, visits_.data());
            end -= begin;
            begin = 0;
        }
        if (visits_.size() < end + 2 * kSteps) visits_.resize(2 * (end + kSteps));
        if (parts_.size() <= n_parts_ + kSteps) parts_.resize(2 * (n_parts_ + kSteps));
        if (leaves_.size() <= n_leaves_ + 2 * kSteps) leaves_.resize(2 * (n_leaves_ + 2 * kSteps));
        const Visit* visit = visits_.data() + begin;
        const Visit* const last = visit + std::min(end - begin, kSteps);
        Visit* tail = visits_.data() + end;
        Part* part = parts_.data() + n_parts_;
        Leaf* leaf = leaves_.data() + n_leaves_;
        std::uint64_t new_sums = n_subtrees_ + 2 * n_parts_;
        for (; visit != last; ++visit) {
            const std::uint64_t t = lower(visit->at), of_background = visit->at - t;
            const std::uint64_t of_row = visit->of_row, of_other = visit->of_other;
            const std::uint64_t sums = visit->sums, counted = sums - lower(sums);
            const PairNode node = nodes[t];
            const OrderKey x = keys[node.variable];
            const OrderKey z = keys[(of_background / kUpper) + node.variable];
            // The sides of the two rows, by the value that the path leaves them.
            const std::uint64_t high = x > node.key, unlike = high ^ std::uint64_t{z > node.key};
            const std::uint64_t first = t + 1, other_side = first ^ node.second;
            std::uint64_t next = first ^ (other_side & -(high ^ (unlike & of_other >> node.place)));
            std::uint64_t other_next =
                first ^ (other_side & -(high ^ (unlike & ~(of_row >> node.place))));
            if ((x == kNoOrder) | (z == kNoOrder) | (node.key == kNoOrder)) [[unlikely]] {
                const std::uint64_t both = children_of(*visit);
                next = lower(both);
                other_next = both / kUpper;
            }
            const std::uint64_t parted = next != other_next;
            *part = {static_cast<std::uint32_t>(sums), node.variable};
            part += parted;

            const std::uint64_t sums_of_row =
                sums ^ ((sums ^ (counted + kOfRow + new_sums)) & -parted);
            const std::uint64_t ends = nodes[next].leaf();
            *tail = {next + of_background, of_row | parted << node.place, of_other, sums_of_row};
            tail += (1 - ends) & counts(next);
            *leaf = {next, sums_of_row};
            leaf += ends;

            const std::uint64_t sums_of_other = counted + kOfOther + new_sums + 1;
            const std::uint64_t other_ends = parted & nodes[other_next].leaf();
            *tail = {other_next + of_background, of_row, of_other | std::uint64_t{1} << node.place,
                     sums_of_other};
            tail += (parted - other_ends) & counts(other_next);
            *leaf = {other_next, sums_of_other};
            leaf += other_ends;
            new_sums += 2 * parted;
        }
        begin = static_cast<std::size_t>(last - visits_.data());
        end = static_cast<std::size_t>(tail - visits_.data());
        n_parts_ = static_cast<std::size_t>(part - parts_.data());
        n_leaves_ = static_cast<std::size_t>(leaf - leaves_.data());
    }
}

// The children of the row and, in the upper half, of the background row for a test that is not of
// a number against a threshold.
std::uint64_t PairValues::children_of(const Visit& visit) {
    const auto t = static_cast<NodeId>(visit.at);
    const std::uint64_t bit = std::uint64_t{1} << background_->pair_nodes[t].place;
    std::uint64_t of_row = 0, of_other = 0;
    if ((visit.of_other & bit) == 0) {
        Known& known = known_[t];
        if (known.row != n_rows_) {
            const std::uint32_t which = tree_->child_of(t, row_);
            known = {n_rows_, t + 1};
            while (tree_->edge(known.child).which != which)
                known.child = tree_->edge(known.child).end;
        }
        of_row = of_other = known.child;
    }
    if ((visit.of_row & bit) == 0) {  // it passes all edges of the variable above, and one below
        const std::size_t z = visit.at / kUpper / tree_->variables().size() - 1;
        NodeId c = t + 1;
        while (!background_->nodes[c].passing.has(z)) c = tree_->edge(c).end;
        of_other = c;
        if ((visit.of_other & bit) != 0) of_row = c;
    }
    return of_row + of_other * kUpper;
}

template <std::size_t N>
void PairValues::add_leaves() {
    for (std::size_t i = 0; i < n_leaves_; ++i) {
        const Leaf& leaf = leaves_[i];
        const std::size_t a = leaf.sums / kOfRow % (kOfOther / kOfRow), b = leaf.sums / kOfOther;
        const double gain = weights_->tabled(a, b), loss = weights_->tabled(b, a);
        double* const sums = sums_.data() + lower(leaf.sums) * 2 * N;
        if constexpr (N == 1) {
            const double value = background_->pair_nodes[leaf.node].value();
            sums[0] += value * gain;
            sums[1] += value * loss;
        } else {
            columns_->for_values(*tree_, static_cast<NodeId>(leaf.node),
                                 [&](std::size_t c, double value) {
                                     sums[c] += value * gain;
                                     sums[N + c] += value * loss;
                                 });
        }
    }
}

// From the last part to the first: the sums of a part are complete when all parts below it have
// been added to them.
template <std::size_t N>
void PairValues::add_parts() {
    for (std::size_t i = n_parts_; i-- > 0;) {
        const Part part = parts_[i];
        const double* const of_row = sums_.data() + (n_subtrees_ + 2 * i) * 2 * N;
        const double* const of_other = of_row + 2 * N;
        double* const above = sums_.data() + std::size_t{part.sums} * 2 * N;
        double* const found = found_ + std::size_t{part.variable} * kColumns;
        for (std::size_t c = 0; c < N; ++c) {
            found[c] += of_row[c] - of_other[N + c];
            above[c] += of_row[c] + of_other[c];
            above[N + c] += of_row[N + c] + of_other[N + c];
        }
    }
}

template void PairValues::run<1>();
template void PairValues::run<2>();
template void PairValues::run<4>();
template void PairValues::run<8>();

}  // namespace silvics
