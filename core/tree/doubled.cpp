#include "tree/doubled.hpp"

#include <stdexcept>

namespace silvics {
namespace {

void double_values(Tree& tree) {
    for (double& value : tree.node_values) value *= 2.0;
}

void double_values(CompactTree& tree) {
    for (Node& node : tree.nodes)
        if (node.leaf()) node.set_mean(2.0 * node.mean(), node.n_samples());
}

}  // namespace

StoredTree doubled(const StoredTree& tree, int impurity_degree) {
    if (tree->classification()) throw std::invalid_argument("a tree of real outputs is needed");
    if (impurity_degree != 1 && impurity_degree != 2)
        throw std::invalid_argument("impurities are of degree 1 or 2");
    return tree.visit([&](auto copy) -> StoredTree {
        double_values(copy);
        copy.impurity_exponent += impurity_degree;  // the stored impurities stay
        return copy;
    });
}

}  // namespace silvics
