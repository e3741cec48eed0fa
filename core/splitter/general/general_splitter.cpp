#include "splitter/general/general_splitter.hpp"

namespace silvics {

template class GeneralSplitter<ClassCounts<Gini>>;
template class GeneralSplitter<ClassCounts<Entropy>>;
template class GeneralSplitter<ClassCounts<Misclassification>>;
template class GeneralSplitter<Moments<SquaredError>>;
template class GeneralSplitter<Moments<FriedmanImprovement>>;
template class GeneralSplitter<Moments<PoissonDeviance>>;
template class GeneralSplitter<OrderedTargets>;
template class GeneralSplitter<CustomCounts>;
template class GeneralSplitter<CustomMoments>;

}  // namespace silvics
