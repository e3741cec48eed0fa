// Forests as flat arrays, for files: the arrays are views of the core's memory on the way out, and
// of the caller's, such as a mapped file, on the way in.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <thread>

#include "model_file/checksum.hpp"
#include "model_file/forest_facts.hpp"
#include "predictor/packed_tree.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

// The caller's arrays, alive for as long as the core looks at them.
class HeldArrays {
public:
    explicit HeldArrays(nb::dict arrays) : arrays_(std::move(arrays)) {}
    ~HeldArrays() {
        nb::gil_scoped_acquire lock;
        arrays_.reset();
    }
    HeldArrays(const HeldArrays&) = delete;

    bool has(const char* name) {
        seen_ += arrays_.contains(name);
        return arrays_.contains(name);
    }
    // A vector; nothing, if there is no such array.
    template <class T>
    std::span<const T> vector(const char* name) {
        if (!has(name)) return {};
        Vector<T> array;
        if (!nb::try_cast(arrays_[name], array, false)) refuse(name);
        return span_of(array);
    }
    Numbers numbers(const char* name) {
        if (!has(name)) refuse(name);
        Numbers found;
        if (!(try_numbers<std::uint8_t>(name, found) || try_numbers<std::uint16_t>(name, found) ||
              try_numbers<std::uint32_t>(name, found) || try_numbers<double>(name, found)))
            refuse(name);
        return found;
    }
    std::span<const PackedNode> nodes(const char* name) {
        if (!has(name)) refuse(name);
        nb::ndarray<const std::uint8_t, nb::shape<-1, PackedNode::kBytes>, nb::c_contig,
                    nb::device::cpu>
            array;
        if (!nb::try_cast(arrays_[name], array, false)) refuse(name);
        return {reinterpret_cast<const PackedNode*>(array.data()), array.shape(0)};
    }
    void require_no_others() const {
        if (seen_ != arrays_.size())
            throw std::invalid_argument("not a valid forest: an array of no known name");
    }

private:
    template <class T>
    bool try_numbers(const char* name, Numbers& found) {
        Vector<T> array;
        if (!nb::try_cast(arrays_[name], array, false)) return false;
        found = span_of(array);
        return true;
    }
    [[noreturn]] static void refuse(const char* name) {
        throw std::invalid_argument(std::string("not a valid forest: ") + name +
                                    " is lacking, or not of its type");
    }

    nb::dict arrays_;
    std::size_t seen_ = 0;
};

// Arrays that look into `owner`.
class ArrayViews {
public:
    explicit ArrayViews(nb::handle owner) : owner_(owner) {}

    template <class T>
    void put(const char* name, std::span<const T> values, bool always = false) {
        if (values.empty() && !always) return;
        arrays[name] = nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, owner_);
    }
    void put(const char* name, const Numbers& numbers) {
        std::visit([&](auto values) { put(name, values, true); }, numbers);
    }

    nb::dict arrays;

private:
    nb::handle owner_;
};

// Some threads, where there is more than a millisecond of work; without the interpreter lock.
template <class Work>
void with_team(bool much, Work&& work) {
    nb::gil_scoped_release release;
    ThreadTeam alone, several(std::min(std::thread::hardware_concurrency(), 4U), nullptr);
    work(much ? several : alone);
}
bool large(const PackedForest& forest) { return forest.nodes.size() > 200'000; }

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> bytes_of(const Bytes& array) {
    return {reinterpret_cast<const std::byte*>(array.data()), array.size()};
}

// Of the head, and of the checksums of all pieces of the rest, so that threads can share them.
std::uint64_t checksum_of(const Bytes& head, const Bytes& rest) {
    if (head.size() % Checksum::kLine != 0 && rest.size() > 0)
        throw std::invalid_argument("the first part is not of whole lines");
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const auto all = bytes_of(rest);
    std::vector<std::uint64_t> sums((all.size() + kPiece - 1) / kPiece);
    with_team(sums.size() > 8, [&](ThreadTeam& team) {
        team.run(sums.size(), [&](std::size_t i, std::size_t) {
            Checksum piece;
            piece.add(all.subspan(i * kPiece, std::min(kPiece, all.size() - i * kPiece)));
            sums[i] = piece.sum();
        });
    });
    Checksum whole;
    whole.add(bytes_of(head));
    whole.add(std::as_bytes(std::span(sums)));
    return whole.sum();
}

nb::dict arrays_of(nb::handle self) {
    const auto& forest = nb::cast<const PackedForest&>(self);
    ArrayViews views(self);
    views.put("first_node", forest.first_node);
    views.arrays["nodes"] = nb::ndarray<nb::numpy, const std::uint8_t>(
        reinterpret_cast<const std::uint8_t*>(forest.nodes.data()),
        {forest.nodes.size(), PackedNode::kBytes}, self);
    views.put("values", forest.values);
    views.put("first_set", forest.first_set);
    views.put("level_sets", forest.level_sets);
    views.put("first_branch", forest.first_branch);
    views.put("branches", forest.branches);
    return views.arrays;
}

std::shared_ptr<PackedForest> packed_from(nb::dict arrays, std::size_t n_features,
                                          std::size_t n_outputs,
                                          std::vector<std::uint32_t> n_classes, bool both_ways) {
    auto held = std::make_shared<HeldArrays>(std::move(arrays));
    auto forest = std::make_shared<PackedForest>();
    forest->n_features = n_features;
    forest->n_outputs = n_outputs;
    forest->n_classes = std::move(n_classes);
    forest->both_ways = both_ways;
    forest->first_node = held->vector<std::uint64_t>("first_node");
    forest->nodes = held->nodes("nodes");
    forest->values = held->numbers("values");
    forest->first_set = held->vector<std::uint64_t>("first_set");
    forest->level_sets = held->vector<std::uint32_t>("level_sets");
    forest->first_branch = held->vector<std::uint64_t>("first_branch");
    forest->branches = held->vector<std::uint32_t>("branches");
    held->require_no_others();
    forest->memory = held;
    with_team(large(*forest), [&](ThreadTeam& team) { check_packed(*forest, team); });
    return forest;
}

nb::dict facts_arrays(nb::handle self) {
    const auto& facts = nb::cast<const ForestFacts&>(self);
    ArrayViews views(self);
    views.put("layout", facts.layout);
    views.put("impurity_exponent", facts.impurity_exponent);
    views.put("samples", facts.samples);
    views.put("weights", facts.weights);
    views.put("first_impurity", facts.first_impurity);
    views.put("impurity", facts.impurity);
    views.put("first_class_weight", facts.first_class_weight);
    views.put("class_weights", facts.class_weights);
    views.put("first_node_value", facts.first_node_value);
    views.put("node_values", facts.node_values);
    return views.arrays;
}

std::shared_ptr<ForestFacts> facts_from(const PackedForest& forest, nb::dict arrays) {
    auto held = std::make_shared<HeldArrays>(std::move(arrays));
    auto facts = std::make_shared<ForestFacts>();
    facts->layout = held->vector<std::uint8_t>("layout");
    facts->impurity_exponent = held->vector<std::int32_t>("impurity_exponent");
    facts->samples = held->numbers("samples");
    facts->weights = held->numbers("weights");
    facts->first_impurity = held->vector<std::uint64_t>("first_impurity");
    facts->impurity = held->vector<double>("impurity");
    facts->first_class_weight = held->vector<std::uint64_t>("first_class_weight");
    facts->class_weights = held->vector<double>("class_weights");
    facts->first_node_value = held->vector<std::uint64_t>("first_node_value");
    facts->node_values = held->vector<double>("node_values");
    held->require_no_others();
    facts->memory = held;
    with_team(large(forest), [&](ThreadTeam& team) { check_facts(forest, *facts, team); });
    return facts;
}

std::vector<SharedTree> const_trees(const std::vector<std::shared_ptr<Tree>>& trees) {
    return {trees.begin(), trees.end()};
}

}  // namespace

void bind_model_file(nb::module_& m) {
    nb::class_<PackedForest>(m, "PackedForest", "Trees as samples walk them, in flat arrays.")
        .def_static(
            "of",
            [](const std::vector<std::shared_ptr<Tree>>& trees) {
                return std::make_shared<PackedForest>(pack(const_trees(trees)));
            },
            nb::arg("trees"))
        .def_static("from_arrays", &packed_from, nb::arg("arrays"), nb::arg("n_features"),
                    nb::arg("n_outputs"), nb::arg("n_classes"), nb::arg("both_ways"),
                    "The forest of arrays(), which it looks into; ValueError if it is not valid.")
        .def("arrays", &arrays_of, nb::sig("def arrays(self) -> dict[str, typing.Any]"),
             "Everything the forest holds, by name.")
        .def_prop_ro("n_trees", &PackedForest::n_trees)
        .def_prop_ro("n_features", [](const PackedForest& f) { return f.n_features; })
        .def_prop_ro("n_outputs", [](const PackedForest& f) { return f.n_outputs; })
        .def_prop_ro(
            "n_classes", [](const PackedForest& f) { return f.n_classes; },
            "Classes of each output; empty for regression.")
        .def_prop_ro("both_ways", [](const PackedForest& f) { return f.both_ways; })
        .def_prop_ro(
            "node_counts",
            [](const PackedForest& f) {
                std::vector<std::size_t> counts;
                for (const TreeShape& shape : f.shapes) counts.push_back(shape.n_nodes);
                return counts;
            },
            "Nodes of each tree.")
        .def(
            "leaves",
            [](const PackedForest& f, std::size_t m) {
                if (m >= f.n_trees()) throw nb::index_error("no such tree");
                const PackedTree tree(f, m);
                const NodeNumbers numbers(tree);
                std::vector<std::int64_t> leaves;
                for (Place t = 0; t < tree.n_places(); ++t)
                    for (std::uint32_t k = 0; k < tree.n_children(t); ++k)
                        if (tree.child(t, k).leaf()) leaves.push_back(numbers.child(tree, t, k));
                std::ranges::sort(leaves);
                const std::size_t n = leaves.size();
                return to_numpy(std::move(leaves), n);
            },
            nb::arg("tree"), "Numbers of the nodes that are leaves, ascending.");
    nb::class_<ForestFacts>(m, "ForestFacts", "What trees know beyond what predicts.")
        .def_static(
            "of",
            [](const PackedForest& forest, const std::vector<std::shared_ptr<Tree>>& trees) {
                if (trees.size() != forest.n_trees())
                    throw std::invalid_argument("not the trees of the forest");
                return std::make_shared<ForestFacts>(facts_of(forest, const_trees(trees)));
            },
            nb::arg("forest"), nb::arg("trees"))
        .def_static("from_arrays", &facts_from, nb::arg("forest"), nb::arg("arrays"),
                    "The facts of arrays(), which they look into; ValueError if not valid.")
        .def("arrays", &facts_arrays, nb::sig("def arrays(self) -> dict[str, typing.Any]"),
             "Everything that is known, by name.")
        .def(
            "trees",
            [](const ForestFacts& self, const PackedForest& forest) {
                std::vector<std::shared_ptr<Tree>> trees;
                for (const SharedTree& tree : trees_of(forest, self))
                    trees.push_back(std::const_pointer_cast<Tree>(tree));
                return trees;
            },
            nb::arg("forest"), "The trees that it was made of.");
    m.def("checksum", &checksum_of, nb::arg("head"), nb::arg("rest"),
          "A checksum of bytes in two parts, the first of whole lines of 64.");
}

}  // namespace silvics::bindings
