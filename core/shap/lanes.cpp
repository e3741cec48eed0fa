#define SILVICS_LANES kPortableLanes
#include <string_view>

#include "shap/lane_loops.hpp"

namespace silvics {

#ifdef SILVICS_AVX2
extern const LaneKernels kAvx2Lanes;
#endif

const LaneKernels& lane_kernels() {
#ifdef SILVICS_AVX2
    if (std::string_view(kernels().name) == "avx2") return kAvx2Lanes;
#endif
    return kPortableLanes;
}

}  // namespace silvics
