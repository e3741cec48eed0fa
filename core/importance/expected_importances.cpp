#include <numeric>
#include <stdexcept>

#include "importance/gathered_importances.hpp"
#include "importance/randomized_trees.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {
namespace {

// A node of the recursion: its rows, and the set of variables tested above it. MergedNodes of
// different trees that agree in both have the same expected subtrees, whatever the order of the
// tests, so they are one node.
struct MergedNode {
    std::size_t begin = 0, end = 0;  // its rows; empty if no split can lower its impurity
    double reached = 0.0;            // the probability that a tree has it; if settled, times weight
    bool settled() const { return begin == end; }
};

struct MergedNodes {
    std::vector<MergedNode> nodes;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint64_t> above;  // `n_words` of bits for each node
};

// A 128-bit hash of a set of rows and a set of tests; collisions have probability 10^-38.
struct Mark {
    std::uint64_t a = 0, b = 0;
    bool operator==(const Mark&) const = default;
    Mark& operator+=(const Mark& other) {
        a += other.a;
        b += other.b;
        return *this;
    }
};
struct MarkHash {
    std::size_t operator()(const Mark& m) const { return m.a; }
};
Mark mark_of(std::uint64_t part, std::uint64_t what) {
    return {derive(part, what), derive(~part, what)};
}

struct MergedChild {
    Mark mark;  // the hash of its rows
    std::uint32_t offer = 0;
    std::size_t begin = 0, end = 0;  // its rows in Visit::rows
    double weight = 0.0;             // of a settled child, which has no rows
};

// The offers and children of a node. MergedNodes are visited in parallel.
struct Visit {
    double weight = 0.0;
    std::vector<Offer> offers;
    std::vector<double> with_other;
    std::vector<MergedChild> children;
    std::vector<std::uint32_t> rows, counts;

    void clear() {
        offers.clear();
        with_other.clear();
        children.clear();
        rows.clear();
    }
};

class Expectation {
public:
    Expectation(const Distribution& d, const RandomizedTrees& trees, std::uint64_t max_work,
                ThreadTeam& team)
        : d_(d),
          trees_(trees),
          max_work_(max_work),
          team_(team),
          ties_(d),
          n_words_((d.n_variables + 63) / 64),
          max_depth_(std::min(trees.depth, max_tests(d, trees))),
          gathered_(d, trees) {
        if (trees.splits == TreeSplits::random_cut && trees.n_drawn > 1) {
            const std::uint64_t K = std::min(trees.n_drawn, d.n_variables);
            for (const std::uint32_t n : d.n_levels)
                work_of_choice_ +=
                    (std::min<std::size_t>(n, d.n_rows) - 1) * d.n_variables * K * K / 8;
        }
        // Sorting the levels of a node costs time if there are many.
        if (is_binary() && std::ranges::max(d.n_levels) > 32) cost_of_row_ = 8;
        marks_.reserve(d.n_rows);
        for (std::uint64_t r = 0; r < d.n_rows; ++r) marks_.push_back(mark_of(0, r));
    }

    std::optional<TreeImportances> run() {
        std::vector<std::uint32_t> rows(d_.n_rows);
        std::iota(rows.begin(), rows.end(), 0U);
        NodeOfDistribution root(d_);
        root.open(rows);
        const double whole = root.weight();
        MergedNodes level{{{0, d_.n_rows, 1.0}}, rows, Bits(n_words_, 0)};
        if (ties_.is_pure(root.mass())) level.nodes = {{0, 0, whole}};
        team_.set_total(max_depth_);
        for (depth_ = 0; depth_ < max_depth_ && !level.nodes.empty(); ++depth_) {
            if (!descend(level)) return std::nullopt;
            team_.report(depth_ + 1);
        }
        team_.report(max_depth_);
        return gathered_.finish(whole);
    }

private:
    // The maximum number of tests on a branch.
    static std::size_t max_tests(const Distribution& d, const RandomizedTrees& trees) {
        if (trees.splits == TreeSplits::multiway) return d.n_variables;
        std::size_t n = 0;
        for (const std::uint32_t n_levels : d.n_levels) n += n_levels - 1;
        return n;
    }
    bool is_binary() const { return trees_.splits != TreeSplits::multiway; }
    bool at_last() const { return depth_ + 1 == max_depth_; }
    std::span<const std::uint64_t> above(const MergedNodes& level, std::size_t i) const {
        return {&level.above[i * n_words_], n_words_};
    }

    // Replaces the nodes of one depth by those of the next. Returns false if it is too much work.
    bool descend(MergedNodes& level) {
        constexpr std::size_t kAtOnce = 1024;  // nodes; the rows of their children are in memory
        MergedNodes below;
        Known known;
        std::vector<Visit> visits(std::min(kAtOnce, level.nodes.size()));
        std::vector<NodeOfDistribution> readers(std::min(team_.size(), visits.size()),
                                                NodeOfDistribution(d_));
        for (std::size_t first = 0, n = 0; first < level.nodes.size(); first += n) {
            std::uint64_t rows_below = 0;
            for (n = 0; n < visits.size() && first + n < level.nodes.size(); ++n) {
                const MergedNode& node = level.nodes[first + n];
                const std::uint64_t n_child_rows = rows_of_children(node);
                if (n_child_rows > kMaxRowsInMemory) return false;
                if (n > 0 && rows_below + n_child_rows > kMaxRowsInMemory / 8) break;
                rows_below += n_child_rows;
                work_ += (cost_of_row_ * (node.end - node.begin) + kCostOfNode) * d_.n_variables +
                         n_child_rows + work_of_choice_;
            }
            if (work_ > max_work_ ||
                below.rows.size() + kCostOfNode * below.nodes.size() > kMaxRowsInMemory)
                return false;
            team_.run_steps(n, [&](std::size_t i, std::size_t w) {
                visits[i].clear();
                if (level.nodes[first + i].settled())
                    visit_settled(above(level, first + i), visits[i]);
                else
                    visit(level, first + i, readers[w], visits[i]);
            });
            // Sums run in the order of nodes, so they do not depend on the number of threads.
            for (std::size_t i = 0; i < n; ++i)
                merge(level.nodes[first + i], above(level, first + i), visits[i], below, known);
        }
        level = std::move(below);
        return true;
    }

    // The number of rows of all possible children of a node, over all splits.
    std::uint64_t rows_of_children(const MergedNode& node) const {
        const std::uint64_t n = node.end - node.begin;
        if (at_last() || n == 0) return 0;
        if (trees_.splits != TreeSplits::random_cut) return n * d_.n_variables;
        std::uint64_t n_cuts = 0;
        for (const std::uint32_t n_levels : d_.n_levels)
            n_cuts += std::min<std::uint64_t>(n_levels, n) - 1;
        return n * n_cuts;
    }

    void visit(const MergedNodes& level, std::size_t i, NodeOfDistribution& reader,
               Visit& out) const {
        const auto used = above(level, i);
        const MergedNode& node = level.nodes[i];
        const std::span rows(&level.rows[node.begin], node.end - node.begin);
        reader.open(rows);
        out.weight = reader.weight();
        const double tie = ties_.at(reader.mass());
        std::size_t n_offering = 0;
        for (std::size_t j = 0; j < d_.n_variables; ++j) {
            if (!is_binary() && has_bit(used, j)) continue;
            const std::size_t before = out.offers.size();
            reader.offers(j, trees_.splits, tie, out.offers);
            n_offering += out.offers.size() > before;
        }
        if (out.offers.empty()) return;
        const bool count = is_binary() && trees_.constants_count;
        Draw draw{.n_drawn = trees_.n_drawn,
                  .n_variables = count ? d_.n_variables : n_offering,
                  .n_without = count ? d_.n_variables - n_offering : 0,
                  .tie = tie};
        draw.n_drawn = std::min(draw.n_drawn, draw.n_variables);
        if (!trees_.part_of.empty())
            choose_by_part(out.offers, trees_.part_of);
        else if (trees_.splits == TreeSplits::random_cut)
            choose_among_random(out.offers, draw);
        else
            choose_among_sure(out.offers, draw);
        if (trees_.wants_hidden) out.with_other = chosen_with_other(out.offers, draw);
        if (at_last()) return;
        for (std::uint32_t o = 0; o < out.offers.size(); ++o) {
            team_.stop().check();
            if (out.offers[o].chosen > 0.0) add_children(rows, o, reader, out);
        }
    }

    // Distributes the rows of a node over the children of an offered split.
    void add_children(std::span<const std::uint32_t> rows, std::uint32_t o,
                      NodeOfDistribution& reader, Visit& out) const {
        const Offer& offer = out.offers[o];
        const std::uint32_t* levels = d_.levels_of(offer.variable);
        const std::size_t first = out.rows.size();
        out.rows.resize(first + rows.size());
        const std::span child_rows(out.rows.data() + first, rows.size());
        const auto part = [&](std::uint32_t r) {
            return is_binary() ? std::uint32_t{levels[r] > offer.low} : levels[r];
        };
        sort_by_part(rows, is_binary() ? 2 : d_.n_levels[offer.variable], part, out, child_rows);
        for (std::size_t k = 0; k < child_rows.size();) {
            MergedChild child{{}, o, first + k, 0, 0.0};
            const std::size_t begin = k;
            for (; k < child_rows.size() && part(child_rows[k]) == part(child_rows[begin]); ++k)
                child.mark += marks_[child_rows[k]];
            child.end = first + k;
            reader.open(child_rows.subspan(begin, k - begin));
            if (k - begin == 1 || ties_.is_pure(reader.mass())) {
                if (is_binary()) continue;  // a leaf
                child = {{}, o, 0, 0, reader.weight()};
            }
            out.children.push_back(child);
        }
    }

    template <class Part>
    static void sort_by_part(std::span<const std::uint32_t> rows, std::size_t n_parts, Part&& part,
                             Visit& out, std::span<std::uint32_t> to) {
        if (n_parts > 4 * rows.size()) {
            std::ranges::copy(rows, to.begin());
            std::ranges::stable_sort(to, {}, part);
            return;
        }
        out.counts.assign(n_parts + 1, 0);
        for (const std::uint32_t r : rows) ++out.counts[part(r) + 1];
        for (std::size_t l = 1; l < n_parts; ++l) out.counts[l] += out.counts[l - 1];
        for (const std::uint32_t r : rows) to[out.counts[part(r)]++] = r;
    }

    // A settled node: no split decreases the impurity, so all variables tie.
    void visit_settled(std::span<const std::uint64_t> used, Visit& out) const {
        if (is_binary()) return;
        for (std::size_t j = 0; j < d_.n_variables; ++j)
            if (!has_bit(used, j)) out.offers.push_back({0.0, 1.0, j, 0, 0, 0.0});
        out.weight = 1.0;
        if (!trees_.part_of.empty())
            choose_by_part(out.offers, trees_.part_of);
        else
            for (Offer& offer : out.offers)
                offer.chosen = 1.0 / static_cast<double>(out.offers.size());
        for (std::uint32_t o = 0; o < out.offers.size(); ++o) {
            if (!at_last()) out.children.push_back({{}, o, 0, 0, 1.0});
        }
    }

    using Known = std::unordered_map<Mark, std::size_t, MarkHash>;

    void merge(const MergedNode& node, std::span<const std::uint64_t> used, const Visit& visit,
               MergedNodes& below, Known& known) {
        const std::size_t n = visit.offers.size();
        for (std::size_t o = 0; o < n; ++o) {
            const Offer& offer = visit.offers[o];
            const double expected = node.reached * offer.chosen;
            if (expected > 0.0) {
                gathered_.add(offer.variable, used, expected * visit.weight,
                              expected * offer.decrease);
                if (is_binary())
                    gathered_.add_cut(offer.variable, offer.low, offer.high,
                                      expected * offer.decrease);
            }
            for (std::size_t other = 0; other < n && !visit.with_other.empty(); ++other)
                gathered_.add_hidden(
                    visit.offers[other].variable, offer.variable,
                    node.reached * visit.with_other[o * n + other] * visit.offers[other].decrease);
        }
        Bits set(n_words_);
        for (const MergedChild& child : visit.children) {
            const Offer& offer = visit.offers[child.offer];
            std::ranges::copy(used, set.begin());
            set_bit(set, offer.variable);
            Mark mark = child.mark;
            for (std::size_t w = 0; w < n_words_; ++w) mark += mark_of(w + 1, set[w]);
            const bool settled = child.begin == child.end;
            const auto [at, is_new] = known.try_emplace(mark, below.nodes.size());
            if (is_new) {
                below.nodes.push_back(
                    {below.rows.size(), below.rows.size() + child.end - child.begin, 0.0});
                below.rows.insert(below.rows.end(), visit.rows.begin() + offset(child.begin),
                                  visit.rows.begin() + offset(child.end));
                below.above.insert(below.above.end(), set.begin(), set.end());
            }
            below.nodes[at->second].reached +=
                node.reached * offer.chosen * (settled ? child.weight : 1.0);
        }
    }
    static std::ptrdiff_t offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

    static constexpr std::uint64_t kCostOfNode = 20;               // in rows
    static constexpr std::uint64_t kMaxRowsInMemory = 1ULL << 28;  // rows of 4 bytes: one gigabyte

    const Distribution& d_;
    const RandomizedTrees& trees_;
    std::uint64_t max_work_, work_ = 0;
    std::uint64_t cost_of_row_ = 1;     // per variable
    std::uint64_t work_of_choice_ = 0;  // at a node, in rows; an upper bound
    ThreadTeam& team_;
    Ties ties_;
    std::size_t n_words_, max_depth_, depth_ = 0;
    std::vector<Mark> marks_;  // the hash of each row
    GatheredImportances gathered_;
};

}  // namespace

void check(const RandomizedTrees& trees, const Distribution& d) {
    const auto require = [](bool right, const char* what) {
        if (!right) throw std::invalid_argument(what);
    };
    require(trees.n_drawn > 0, "trees draw at least one variable");
    require(trees.splits == TreeSplits::multiway || !d.values.empty(), "cuts need values");
    require(!trees.wants_hidden || trees.splits == TreeSplits::multiway,
            "hidden decreases are defined for multiway splits only");
    if (trees.part_of.empty()) return;
    require(trees.part_of.size() == d.n_variables, "each variable must be part of one whole");
    require(trees.n_drawn == 1 && trees.splits == TreeSplits::multiway && !trees.wants_hidden,
            "parts are drawn one at a time");
    require(std::ranges::all_of(trees.part_of, [&](auto i) { return i < d.n_variables; }),
            "there are more wholes than parts");
}

std::optional<TreeImportances> expected_importances(const Distribution& distribution,
                                                    const RandomizedTrees& trees,
                                                    std::uint64_t max_work, ThreadTeam& team) {
    check(distribution);
    check(trees, distribution);
    return Expectation(distribution, trees, max_work, team).run();
}

}  // namespace silvics
