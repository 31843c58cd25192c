// SPDX-License-Identifier: BSD-3-Clause
//
// A pool of CUDA graphs for trees, over a CudaDevice.
#pragma once

#include "core/engine/replay/cuda_device.h"
#include "core/engine/replay/graph_pool.h"

namespace dynascope::engine {

[[nodiscard]] std::unique_ptr<GraphPool> makeCudaPool(std::shared_ptr<CudaDevice> device);

/// The program with its device arguments naming the device.
[[nodiscard]] std::shared_ptr<const Program> programOn(const Program& program, c10::Device device);
/// Position of a torch-level call, which would choose the CPU by itself, or npos.
[[nodiscard]] ir::NodeIndex torchLevelCall(const Program& program);
inline constexpr const char* torchLevelRefusal =
    "torch-level calls run on the CPU only: replay a stage of operators";

/// Tells a capture which node runs.
class CaptureObserver final : public RunObserver {
public:
    explicit CaptureObserver(CudaCapture& capture)
        : m_capture(capture) {}
    void before(ir::NodeIndex node) override { m_capture.beginNode(node); }
    void after(ir::NodeIndex node, const c10::IValue& /*value*/) override { m_capture.endNode(node); }

private:
    CudaCapture& m_capture;
};

} // namespace dynascope::engine
