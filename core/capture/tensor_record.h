// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/json.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// The body of describe_tensor (torch/_subclasses/meta_utils.py, MetaTensorDesc.as_json).
[[nodiscard]] session::TensorInput parseTensor(const json::element& body);
[[nodiscard]] session::StorageInfo parseStorage(const json::element& body);

/// "cuda:0" for "device(type='cuda', index=0)".
[[nodiscard]] std::string shortDevice(std::string_view device);

} // namespace dynascope::capture
