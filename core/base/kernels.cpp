#define SILVICS_KERNELS kPortableKernels
#define SILVICS_KERNELS_NAME "portable"
#include <cstdlib>
#include <stdexcept>

#include "base/kernels_table.hpp"

namespace silvics {

#ifdef SILVICS_AVX2
extern const Kernels kAvx2Kernels;
#endif

namespace {

const Kernels& pick() {
    const char* asked = std::getenv("SILVICS_CPU");
    const std::string name = asked ? asked : "";
    if (name == "portable") return kPortableKernels;
#ifdef SILVICS_AVX2
    const bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
    if (name == "avx2" && able) return kAvx2Kernels;
    if (name.empty()) return able ? kAvx2Kernels : kPortableKernels;
#else
    if (name.empty()) return kPortableKernels;
#endif
    throw std::invalid_argument("SILVICS_CPU=" + name +
                                " is not a path of this build on this processor; known are "
                                "portable and avx2");
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& picked = pick();
    return picked;
}

}  // namespace silvics
