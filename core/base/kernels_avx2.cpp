#define SILVICS_KERNELS kAvx2Kernels
#define SILVICS_KERNELS_NAME "avx2"
#include "base/kernels_table.hpp"
