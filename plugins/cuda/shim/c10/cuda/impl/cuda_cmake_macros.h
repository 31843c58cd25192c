// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's wheels without CUDA leave this generated header out, although the headers of c10/cuda include it.
#pragma once

#define C10_CUDA_BUILD_SHARED_LIBS
