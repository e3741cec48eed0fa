#include "builder/shared_growth.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace silvics {

void grow_shared(TreeState& state, Builder<FullStore>& top, ThreadTeam& team) {
    const std::size_t subtree_size =
        std::max(state.order.size() / (2 * team.size()), state.rules.search.shared_from / 4);
    top.splitter().share(&team);
    top.grow(subtree_size);
    top.splitter().share(nullptr);
    std::vector<OpenNode>& roots = top.postponed();
    std::ranges::stable_sort(roots, std::greater{}, &OpenNode::n);
    std::vector<GrowingTree> subtrees(roots.size());
    std::vector<Work> work(roots.size());
    team.run_steps(roots.size(), [&](std::size_t i, std::size_t) {
        Builder<FullStore> builder(state, top.splitter().another(), state.new_full_store(),
                                   top.constants(), top.cells());
        builder.start(roots[i]);
        builder.grow();
        subtrees[i] = std::move(builder.store()).take_growing();
        work[i] = builder.work();
    });
    for (const Work& of_subtree : work) top.add_work(of_subtree);
    for (std::size_t i = 0; i < roots.size(); ++i)
        top.store().attach(roots[i].id, std::move(subtrees[i]));
}

}  // namespace silvics
