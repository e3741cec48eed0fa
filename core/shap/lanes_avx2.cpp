#define SILVICS_LANES kAvx2Lanes
#include "shap/lane_loops.hpp"
