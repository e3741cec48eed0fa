// The interface of splitters: the search for the split of a node (Algorithms 3.3 and 4.1). There
// are a few virtual calls per node; the criterion is a template parameter of the implementations.
#pragma once

#include <memory>
#include <optional>

#include "base/stop.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "sampling/learning_subset.hpp"
#include "splitter/constants.hpp"
#include "splitter/split.hpp"
#include "splitter/work.hpp"

namespace silvics {

class ThreadTeam;

struct NodeStats {
    std::size_t n = 0;
    double weight = 0.0;
    bool homogeneous = false;
};

// The leaf of a single sample.
struct SoleSample {
    double weight = 0.0;
    double value = 0.0;  // mean, for regression of one output
    ClassId only_class = 0;
};

// Enters a node of one sample, for one output, and reads it in one call.
class SoleSampleReader {
public:
    virtual SoleSample enter_sole(std::size_t at) = 0;

protected:
    ~SoleSampleReader() = default;
};

class Splitter {
public:
    virtual ~Splitter() = default;
    virtual NodeStats enter(const NodeSamples& node) = 0;
    // Null if the splitter does not offer this.
    virtual SoleSampleReader* sole_sample_reader() { return nullptr; }
    // The split of the node last entered, whose samples are partitioned, those of the left child
    // first. Variables found to be constant are added to `constants`.
    virtual std::optional<Split> find_split(const NodeSamples& node, Constants& constants) = 0;
    // Lets a team share the search of large nodes; null ends that.
    virtual void share(ThreadTeam* team) = 0;
    virtual std::unique_ptr<Splitter> another()
        const = 0;                            // a splitter for other nodes of the same tree
    virtual Work work() const = 0;            // work done so far
    virtual bool sums_are_exact() const = 0;  // whether sums do not depend on the order of samples
    virtual double impurity() const = 0;      // of the node last entered, in the core's units
    virtual int impurity_exponent()
        const = 0;  // i(t) times two to this power is in the user's units
    virtual void write_value(std::span<double> value) const = 0;
    virtual ClassId only_class() const = 0;  // of a homogeneous node, for one output
};

struct SplitterParts {
    const Table& table;
    const Target& target;
    const LearningSubset& subset;
    const SearchRules& rules;
    const StopFlag& stop;
    SampleOrder& order;
    const std::vector<FeatureId>& features;  // variables that the tree may use
};

}  // namespace silvics
