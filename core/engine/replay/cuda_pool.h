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
/// Why the program cannot be recorded, with its node; nothing where it can be tried. A torch-level call would
/// choose the CPU by itself, as prims do that make tensors of nothing. The backward of fused attention reads
/// on the host the seed of its dropout, which a captured forward leaves on the device, wherever it does not
/// run in a capture itself: in warm-ups and eager runs.
[[nodiscard]] std::optional<RunError> cudaRefusal(const Program& program);
/// Whether a call draws random numbers.
[[nodiscard]] bool drawsNumbers(const Program& program);

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
