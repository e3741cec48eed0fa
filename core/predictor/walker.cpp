#include "predictor/walker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "predictor/row_blocks.hpp"
#include "predictor/walk.hpp"

namespace silvics {
namespace {

constexpr auto kFirst = [] {
    std::array<std::uint32_t, Walk::kMost> numbers;
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}();

// Samples from which on a tree is walked by all of a block, and not each sample down all trees.
constexpr std::size_t kManySamples = 8;

bool any_missing(std::span<const double> values) {
    bool any = false;
    for (const double x : values) any |= std::isnan(x);
    return any;
}

}  // namespace

Walker::Walker(PackedForest forest, bool as_float32, bool by_majority)
    : forest_(std::move(forest)),
      width_(forest_.value_width()),
      as_float32_(as_float32),
      by_majority_(by_majority && !forest_.n_classes.empty()) {
    trees_.reserve(forest_.n_trees());
    for (std::size_t m = 0; m < forest_.n_trees(); ++m) {
        trees_.emplace_back(forest_, m);
        ruled_ |= forest_.shapes[m].ruled;
        n_steps_ += forest_.shapes[m].depth + 1;
    }
}

std::size_t Walker::n_nodes() const {
    std::size_t n = 0;
    for (const TreeShape& shape : forest_.shapes) n += shape.n_nodes;
    return n;
}

const NodeNumbers& Walker::numbers(std::size_t m) const {
    std::call_once(numbered_, [&] {
        std::vector<NodeNumbers> numbers;
        for (const PackedTree& tree : trees_) numbers.emplace_back(tree);
        numbers_ = std::move(numbers);
    });
    return numbers_[m];
}

void Walker::check_width(const Matrix& X) const {
    if (X.cols != n_features())
        throw std::invalid_argument("X does not have the number of variables of the trees");
}

// How leaves keep what they predict is asked once.
template <class Use>
void Walker::with_leaf_values(const PackedTree& tree, Use&& use) const {
    if (forest_.one_number()) {
        const auto values = std::get<std::span<const double>>(forest_.values);
        const double* const of_tree = values.data() + tree.shape().first_leaf;
        use([of_tree](PackedLeaf leaf, std::span<double> sum) { sum[0] += of_tree[leaf.content]; });
        return;
    }
    const auto n_pure = static_cast<std::uint32_t>(forest_.n_pure());
    std::visit(
        [&]<class T>(std::span<const T> rows) {
            use([&, n_pure, rows](PackedLeaf leaf, std::span<double> sum) {
                if (leaf.content < n_pure) {
                    sum[leaf.content] += 1.0;
                    return;
                }
                const T* const row = rows.data() + (leaf.content - n_pure) * sum.size();
                if constexpr (std::is_same_v<T, double>) {
                    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[c];
                } else {
                    double whole = 0.0;
                    for (std::uint32_t c = 0; c < forest_.n_classes[0]; ++c) whole += row[c];
                    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[c] / whole;
                }
            });
        },
        forest_.values);
}

void Walker::add_vote(std::span<const double> shares, std::span<double> sum) const {
    std::size_t first = 0;
    for (const std::uint32_t n : forest_.n_classes) {
        const auto of_output = shares.subspan(first, n);
        const auto most = std::ranges::max_element(of_output) - of_output.begin();
        sum[first + static_cast<std::size_t>(most)] += 1.0;
        first += n;
    }
}

template <class Use>
void Walker::with_leaves(const PackedTree& tree, Use&& use) const {
    with_leaf_values(tree, [&](auto&& add) {
        if (!by_majority_) return use(add);
        std::vector<double> shares(width_);
        use([&](PackedLeaf leaf, std::span<double> sum) {
            std::ranges::fill(shares, 0.0);
            add(leaf, shares);
            add_vote(shares, sum);
        });
    });
}

template <class Visit>
void Walker::leaves_of(const PackedTree& tree, const RowBlock& block, bool whole,
                       std::span<const std::uint32_t> some, Walk& walk, Visit&& visit) const {
    if (!forest_.both_ways) {
        walk.down(tree, whole && !tree.shape().ruled, block, some);
        with_leaves(tree, [&](auto&& add) {
            for (const std::uint32_t i : some) visit(i, walk.leaf(i), add);
        });
        return;
    }
    // What a sample's ways end in, by their shares, is what one leaf would have said.
    std::vector<double> value(width_), part(width_);
    with_leaf_values(tree, [&](auto&& add) {
        for (const std::uint32_t i : some) {
            std::ranges::fill(value, 0.0);
            tree.both_ways(block.row(i), [&](PackedLeaf leaf, double share) {
                std::ranges::fill(part, 0.0);
                add(leaf, part);
                for (std::size_t c = 0; c < width_; ++c) value[c] += share * part[c];
            });
            visit(i, PackedLeaf{}, [&](PackedLeaf, std::span<double> sum) {
                if (by_majority_) return add_vote(value, sum);
                for (std::size_t c = 0; c < width_; ++c) sum[c] += value[c];
            });
        }
    });
}

template <class Visit>
void Walker::for_leaves(const RowBlock& block, Walk&& walk, Visit&& visit) const {
    const bool whole = !any_missing({block.values, block.size * block.width});
    if (block.size >= kManySamples || forest_.both_ways) {
        const auto all = std::span(kFirst).first(block.size);
        for (std::size_t m = 0; m < trees_.size(); ++m)
            leaves_of(
                trees_[m], block, whole, all, walk,
                [&](std::uint32_t i, PackedLeaf leaf, auto&& add) { visit(m, i, leaf, add); });
        return;
    }
    for (std::size_t i = 0; i < block.size; ++i)
        for (std::size_t begin = 0; begin < trees_.size(); begin += Walk::kMost) {
            const auto some =
                std::span(trees_).subspan(begin, std::min(Walk::kMost, trees_.size() - begin));
            walk.down(some, whole && !ruled_, block.row(i));
            for (std::size_t k = 0; k < some.size(); ++k)
                with_leaves(some[k], [&](auto&& add) { visit(begin + k, i, walk.leaf(k), add); });
        }
}

void Walker::average(const Matrix& X, std::span<double> out, ThreadTeam& team) const {
    check_width(X);
    const auto n = static_cast<double>(n_trees());
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        const auto sums = out.subspan(block.first * width_, block.size * width_);
        std::ranges::fill(sums, 0.0);
        for_leaves(block, Walk(), [&](std::size_t, std::size_t i, PackedLeaf leaf, auto&& add) {
            add(leaf, sums.subspan(i * width_, width_));
        });
        for (double& sum : sums) sum /= n;
    });
}

void Walker::average(std::span<double> sample, std::span<double> out) const {
    if (sample.size() != n_features() || out.size() != width_)
        throw std::invalid_argument("a sample or its prediction is of another width");
    if (as_float32_)
        for (double& x : sample) x = static_cast<double>(static_cast<float>(x));
    std::ranges::fill(out, 0.0);
    for_leaves({.first = 0, .size = 1, .width = sample.size(), .values = sample.data()}, Walk(),
               [&](std::size_t, std::size_t, PackedLeaf leaf, auto&& add) { add(leaf, out); });
    for (double& sum : out) sum /= static_cast<double>(n_trees());
}

void Walker::apply(const Matrix& X, std::span<std::int64_t> out, ThreadTeam& team) const {
    check_width(X);
    if (forest_.both_ways)
        throw std::invalid_argument("samples end in several leaves of these trees");
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        for_leaves(block, Walk(true), [&](std::size_t m, std::size_t i, PackedLeaf leaf, auto&&) {
            out[(block.first + i) * n_trees() + m] = numbers(m).of(trees_[m], leaf);
        });
    });
}

DecisionPaths Walker::paths(const Matrix& X, ThreadTeam& team) const {
    std::vector<std::int64_t> leaves(X.rows * n_trees());
    apply(X, leaves, team);
    DecisionPaths paths;
    paths.starts.push_back(0);
    for (std::size_t i = 0; i < X.rows; ++i) {
        std::int64_t before = 0;  // nodes of the trees before
        for (std::size_t m = 0; m < n_trees(); ++m) {
            const auto leaf = static_cast<NodeId>(leaves[i * n_trees() + m]);
            numbers(m).for_way(trees_[m], leaf,
                               [&](NodeId t) { paths.nodes.push_back(before + t); });
            before += static_cast<std::int64_t>(forest_.shapes[m].n_nodes);
        }
        paths.starts.push_back(static_cast<std::int64_t>(paths.nodes.size()));
    }
    return paths;
}

template <class Use>
void Walker::for_out_of_bag(const Matrix& X, std::span<const std::uint32_t> seeds,
                            const SamplingPlan& sampling, ThreadTeam& team, Use&& use) const {
    check_width(X);
    if (n_trees() != seeds.size() || sampling.n_rows != X.rows)
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    constexpr std::size_t kBatch = 64;  // trees at a time: their draws take 8 bytes a row
    for (std::size_t begin = 0; begin < n_trees(); begin += kBatch) {
        const std::size_t size = std::min(kBatch, n_trees() - begin);
        std::vector<std::vector<bool>> out(size);
        team.run(size, [&](std::size_t m, std::size_t) {
            out[m] = silvics::out_of_bag(sampling, seeds[begin + m]);
        });
        for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
            std::vector<std::uint32_t> some;
            auto used = use(block);
            for (std::size_t m = 0; m < size; ++m) {
                some.clear();
                for (std::uint32_t i = 0; i < block.size; ++i)
                    if (out[m][block.first + i]) some.push_back(i);
                if (!some.empty()) used(begin + m, std::span<const std::uint32_t>(some));
            }
        });
    }
}

void Walker::out_of_bag(const Matrix& X, std::span<const std::uint32_t> seeds,
                        const SamplingPlan& sampling, std::span<double> sums,
                        std::span<std::int64_t> counts, ThreadTeam& team) const {
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(counts, 0);
    for_out_of_bag(X, seeds, sampling, team, [&](const RowBlock& block) {
        const bool whole = !any_missing({block.values, block.size * block.width});
        return [&, block, whole, walk = Walk()](std::size_t m,
                                                std::span<const std::uint32_t> some) mutable {
            leaves_of(trees_[m], block, whole, some, walk,
                      [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                          ++counts[block.first + i];
                          add(leaf, sums.subspan((block.first + i) * width_, width_));
                      });
        };
    });
}

namespace {

using GroupBits = std::uint64_t;

// Which groups are tested on the way to each inner node, it included.
std::vector<GroupBits> groups_above(const PackedTree& tree, std::span<const GroupBits> of_feature) {
    std::vector<GroupBits> above(tree.n_places(), 0);
    for (Place t = 0; t < tree.n_places(); ++t) {
        const PackedNode& node = tree.nodes()[t];
        above[t] |= of_feature[node.feature()];
        if (tree.shape().records && node.record()) {
            const BranchRecord record = tree.record_of(node);
            for (std::uint32_t i = 0; i < record.n_terms(); ++i)
                above[t] |= of_feature[record.term(i).feature];
        }
        if (tree.shape().n_nodes == 1) break;  // a leaf, whose second child is none
        for (std::uint32_t which = 0; which < tree.n_children(t); ++which)
            if (const Child child = tree.child(t, which); !child.leaf())
                above[child.place()] |= above[t];  // children come after their parents
    }
    return above;
}

// Columns of some variables, one after the other.
std::vector<double> columns_of(const Matrix& X, std::span<const FeatureId> variables,
                               bool as_float32, ThreadTeam& team) {
    std::vector<double> columns(X.rows * variables.size());
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        for (std::size_t k = 0; k < variables.size(); ++k)
            for (std::size_t i = 0; i < block.size; ++i)
                columns[k * X.rows + block.first + i] = block.row(i)[variables[k]];
    });
    return columns;
}

// What is the same for all blocks.
struct PermutedColumns {
    const PermutedGroups& groups;
    std::vector<double> values;  // of the variables of all groups, one after the other
    bool whole = false;          // no value is missing
    std::size_t n_rows = 0;
    std::span<double> changes;
};

}  // namespace

class Walker::Permuter {
public:
    Permuter(const Walker& walker, const RowBlock& block, const PermutedColumns& columns)
        : walker_(walker),
          columns_(columns),
          first_(block.first),
          size_(block.size),
          width_(block.width),
          values_(block.values, block.values + block.size * block.width),
          before_(block.size * walker.width_),
          after_(walker.width_),
          tested_(block.size),
          whole_(!any_missing(values_)) {}

    // Some samples down a tree, plainly and again; `above`: groups tested above its nodes.
    void down(const PackedTree& tree, std::span<const GroupBits> above,
              std::span<const std::uint32_t> some) {
        walker_.leaves_of(tree, block(), whole_, some, knowing_,
                          [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                              const auto sum =
                                  std::span(before_).subspan(i * after_.size(), after_.size());
                              std::ranges::fill(sum, 0.0);
                              add(leaf, sum);
                              // Of samples with several ways, all may be on one of them.
                              const bool both = walker_.forest_.both_ways;
                              tested_[i] = both ? ~GroupBits{0} : above[leaf.parent];
                          });
        const auto& groups = columns_.groups.variables;
        for (std::size_t g = 0, column = 0; g < groups.size(); column += groups[g++].size()) {
            again_.clear();
            for (const std::uint32_t i : some)
                if ((tested_[i] >> g & 1) != 0) again_.push_back(i);
            if (again_.empty()) continue;
            width_ <= kNarrow ? copied(tree, g, column) : in_place(tree, g, column);
        }
    }

private:
    using Way = std::pair<std::uint32_t, std::size_t>;  // a sample, and a repeat
    // Samples of so few variables are copied rather than changed in their place.
    static constexpr std::size_t kNarrow = 256;

    RowBlock block() const { return {first_, size_, width_, values_.data()}; }
    std::size_t place(std::size_t g, Way way) const {
        const auto [i, r] = way;
        return (g * columns_.groups.n_repeats + r) * columns_.n_rows + first_ + i;
    }
    // The values of a group's variables, from another row.
    void put(double* sample, std::size_t g, std::size_t column, std::size_t row) const {
        for (const FeatureId j : columns_.groups.variables[g])
            sample[j] = columns_.values[column++ * columns_.n_rows + row];
    }

    // All repeats at once: the more ways there are, the less each waits.
    void copied(const PackedTree& tree, std::size_t g, std::size_t column) {
        const std::size_t n = again_.size(), all = n * columns_.groups.n_repeats;
        for (std::size_t begin = 0; begin < all; begin += Walk::kMost) {
            const std::size_t size = std::min(Walk::kMost, all - begin);
            const auto way = [&](std::size_t k) {
                return Way{again_[(begin + k) % n], (begin + k) / n};
            };
            copies_.resize(Walk::kMost * width_);
            for (std::size_t k = 0; k < size; ++k) {
                double* copy = &copies_[k * width_];
                std::copy_n(&values_[way(k).first * width_], width_, copy);
                put(copy, g, column, columns_.groups.rows[place(g, way(k))]);
            }
            go(tree, {0, size, width_, copies_.data()}, std::span(kFirst).first(size), g, way);
        }
    }

    void in_place(const PackedTree& tree, std::size_t g, std::size_t column) {
        for (std::size_t r = 0; r < columns_.groups.n_repeats; ++r) {
            for (const std::uint32_t i : again_)
                put(&values_[i * width_], g, column, columns_.groups.rows[place(g, {i, r})]);
            go(tree, block(), again_, g, [&](std::uint32_t i) { return Way{i, r}; });
            for (const std::uint32_t i : again_) put(&values_[i * width_], g, column, first_ + i);
        }
    }

    // way(k): the sample and the repeat that row k of the block is of.
    template <class WayOf>
    void go(const PackedTree& tree, const RowBlock& rows, std::span<const std::uint32_t> all,
            std::size_t g, WayOf&& way) {
        walker_.leaves_of(tree, rows, whole_ && columns_.whole, all, walk_,
                          [&](std::uint32_t k, PackedLeaf leaf, auto&& add) {
                              const Way at = way(k);
                              std::ranges::fill(after_, 0.0);
                              add(leaf, std::span(after_));
                              double* change = &columns_.changes[place(g, at) * after_.size()];
                              const double* before = &before_[at.first * after_.size()];
                              for (std::size_t c = 0; c < after_.size(); ++c)
                                  change[c] += after_[c] - before[c];
                          });
    }

    const Walker& walker_;
    const PermutedColumns& columns_;
    std::size_t first_, size_, width_;
    std::vector<double> values_, before_, after_, copies_;
    std::vector<GroupBits> tested_;
    std::vector<std::uint32_t> again_;
    bool whole_;
    Walk knowing_{true}, walk_;
};

void Walker::permuted_out_of_bag(const Matrix& X, std::span<const std::uint32_t> seeds,
                                 const SamplingPlan& sampling, const PermutedGroups& groups,
                                 std::span<double> changes, ThreadTeam& team) const {
    check_width(X);
    const std::size_t n_groups = groups.variables.size();
    if (n_groups > 64) throw std::invalid_argument("at most 64 groups at a time");
    if (groups.rows.size() != n_groups * groups.n_repeats * X.rows ||
        changes.size() != groups.rows.size() * width_ ||
        !std::ranges::all_of(groups.rows, [&](std::uint32_t r) { return r < X.rows; }))
        throw std::invalid_argument("a row to take from, for each group, repeat and row");
    std::vector<GroupBits> of_feature(n_features(), 0);
    std::vector<FeatureId> variables;
    for (std::size_t g = 0; g < n_groups; ++g)
        for (const FeatureId j : groups.variables[g]) {
            if (j >= n_features()) throw std::invalid_argument("there is no such variable");
            of_feature[j] |= GroupBits{1} << g;
            variables.push_back(j);
        }
    PermutedColumns columns{groups, columns_of(X, variables, as_float32_, team), false, X.rows,
                            changes};
    columns.whole = !any_missing(columns.values);
    std::vector<std::vector<GroupBits>> above(n_trees());
    team.run(n_trees(),
             [&](std::size_t m, std::size_t) { above[m] = groups_above(trees_[m], of_feature); });
    std::ranges::fill(changes, 0.0);
    for_out_of_bag(X, seeds, sampling, team, [&](const RowBlock& block) {
        return [&, permuter = Permuter(*this, block, columns)](
                   std::size_t m, std::span<const std::uint32_t> some) mutable {
            permuter.down(trees_[m], above[m], some);
        };
    });
}

}  // namespace silvics
