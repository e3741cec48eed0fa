// Several threads grow one tree.
#pragma once

#include "base/thread_team.hpp"
#include "builder/builder.hpp"

namespace silvics {

// `top` has been started. The threads share the search of large nodes; the subtrees below smaller
// nodes grow in parallel, one thread each. The leaves are not limited, so that the order of growth
// does not change the tree.
void grow_shared(TreeState& state, Builder<FullStore>& top, ThreadTeam& team);

}  // namespace silvics
