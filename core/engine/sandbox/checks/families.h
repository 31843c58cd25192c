// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of operator_classes.inc, one for each family of operators whose kernels believe the same. Each
// is an ArgumentCheck: it throws where the kernel would leave the memory of its arguments, divide by zero or
// end the process.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace dynascope::engine::checks {

#define DYNASCOPE_CHECK(name) void name(const c10::FunctionSchema& schema, const c10::IValue* values)

// collectives.cpp
DYNASCOPE_CHECK(checkGather);
DYNASCOPE_CHECK(checkReduceScatter);
DYNASCOPE_CHECK(checkAllToAll);
DYNASCOPE_CHECK(checkShardDim);

// views.cpp
DYNASCOPE_CHECK(checkAlias);
DYNASCOPE_CHECK(checkStrided);
DYNASCOPE_CHECK(checkUnfoldBackward);
DYNASCOPE_CHECK(checkChunks);

// pooling.cpp
template <int Dims>
DYNASCOPE_CHECK(checkPoolBackward);
DYNASCOPE_CHECK(checkAdaptiveVolumePoolBackward);
template <int Dims>
DYNASCOPE_CHECK(checkAveragePoolBackward);
template <int Dims>
DYNASCOPE_CHECK(checkUnpool);

// sampling.cpp
DYNASCOPE_CHECK(checkGridModes);
template <int Dims>
DYNASCOPE_CHECK(checkPadBackward);
DYNASCOPE_CHECK(checkOutsApart);
DYNASCOPE_CHECK(checkAntialias);
DYNASCOPE_CHECK(checkScales);
DYNASCOPE_CHECK(checkStep);

// losses.cpp
DYNASCOPE_CHECK(checkNllBackward);
DYNASCOPE_CHECK(checkMarginBackward);
DYNASCOPE_CHECK(checkPdist);
DYNASCOPE_CHECK(checkPdistBackward);
DYNASCOPE_CHECK(checkCdistBackward);
DYNASCOPE_CHECK(checkCtc);

// indices.cpp
DYNASCOPE_CHECK(checkSegments);
DYNASCOPE_CHECK(checkCompressedIndices);
DYNASCOPE_CHECK(checkRowIndices);
DYNASCOPE_CHECK(checkSobol);
DYNASCOPE_CHECK(checkMedian);
DYNASCOPE_CHECK(checkDiagonals);

// normalization.cpp
DYNASCOPE_CHECK(checkBatchNorm);
DYNASCOPE_CHECK(checkGroupNorm);
DYNASCOPE_CHECK(checkLayerNormBackward);
DYNASCOPE_CHECK(checkSoftmaxBackward);
DYNASCOPE_CHECK(checkWeightNorm);
DYNASCOPE_CHECK(checkNoise);
DYNASCOPE_CHECK(checkMaskedSoftmax);
DYNASCOPE_CHECK(checkObserver);

// embedding.cpp
DYNASCOPE_CHECK(checkEmbeddingBackward);
DYNASCOPE_CHECK(checkEmbeddingBag);
DYNASCOPE_CHECK(checkRenorm);

// linear_algebra.cpp
DYNASCOPE_CHECK(checkFourier);
DYNASCOPE_CHECK(checkIndefiniteSolve);
DYNASCOPE_CHECK(checkFactorsUnpack);
DYNASCOPE_CHECK(checkNoLeast);
DYNASCOPE_CHECK(checkFinite);

// networks.cpp
DYNASCOPE_CHECK(checkAttention);
DYNASCOPE_CHECK(checkGroupedHeads);
DYNASCOPE_CHECK(checkHeads);
DYNASCOPE_CHECK(checkPackedWeights);
DYNASCOPE_CHECK(checkScaledWeights);
DYNASCOPE_CHECK(checkRecurrentLayer);
DYNASCOPE_CHECK(checkRecurrent);
DYNASCOPE_CHECK(checkKernelSize);
DYNASCOPE_CHECK(checkFusedOptimizer);
DYNASCOPE_CHECK(checkSameLists);
DYNASCOPE_CHECK(checkCopied);

#undef DYNASCOPE_CHECK

} // namespace dynascope::engine::checks
