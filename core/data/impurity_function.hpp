// The impurity of a criterion that is not part of the core: a function of the user.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace silvics {

class ImpurityFunction {
public:
    virtual ~ImpurityFunction() = default;
    // Writes the impurities of n samples of one output, each described by a row of `width` numbers:
    // the weights of the classes; or the weight, the mean and the variance. Threads may call it at
    // the same time. Throws ImpurityFailed if the function does.
    virtual void impurities(const double* rows, std::size_t n, std::size_t width,
                            double* out) const = 0;
};

struct ImpurityFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace silvics
