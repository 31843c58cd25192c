// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/cuda/launch_timer.h"

#include <atomic>
#include <cmath>

namespace dynascope::cuda {

namespace {

tl::unexpected<Error> refused(const DriverApi& api, const char* call, CUresult status) {
    return failure(std::string(call) + ": " + api.errorText(status));
}

class Event {
public:
    explicit Event(const DriverApi& api)
        : m_api(api) {
        m_status = api.eventCreate(&m_event, CU_EVENT_DEFAULT);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() {
        if (m_event) (void)m_api.eventDestroy(m_event);
    }
    [[nodiscard]] CUresult record(CUstream stream) {
        return m_status == CUDA_SUCCESS ? m_api.eventRecord(m_event, stream) : m_status;
    }
    [[nodiscard]] CUevent get() const { return m_event; }

private:
    const DriverApi& m_api;
    CUevent m_event = nullptr;
    CUresult m_status;
};

/// A word that the device waits for. Opens when it goes, whatever happened.
class Gate {
public:
    explicit Gate(const DriverApi& api)
        : m_api(api) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() {
        if (!m_word) return;
        open();
        if (m_held) (void)m_api.streamSynchronize(m_stream); // the device reads the word until then
        (void)m_api.memFreeHost(m_word);
    }
    [[nodiscard]] CUresult hold(CUstream stream) {
        void* word = nullptr;
        CUdeviceptr address = 0;
        CUresult status = m_api.memHostAlloc(&word, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP);
        if (status != CUDA_SUCCESS) return status;
        m_word = static_cast<std::uint32_t*>(word);
        std::atomic_ref(*m_word).store(0);
        status = m_api.memHostGetDevicePointer(&address, word, 0);
        if (status == CUDA_SUCCESS)
            status = m_api.streamWaitValue32(stream, address, 1, CU_STREAM_WAIT_VALUE_GEQ);
        m_stream = stream;
        m_held = status == CUDA_SUCCESS;
        return status;
    }
    void open() { std::atomic_ref(*m_word).store(1); }

private:
    const DriverApi& m_api;
    std::uint32_t* m_word = nullptr;
    CUstream m_stream = nullptr;
    bool m_held = false;
};

} // namespace

Result<std::uint64_t> timeOnDevice(const DriverApi& api, CUstream stream, CUgraphExec exec,
                                   const std::function<void()>& launch) {
    if (!api.timesLaunches()) return failure("the driver lacks calls that time a launch");
    // A first launch would copy the graph to the device, and might wait for the stream to do so.
    if (const CUresult status = api.graphUpload(exec, stream); status != CUDA_SUCCESS)
        return refused(api, "cuGraphUpload", status);
    Event begin(api), end(api);
    Gate gate(api);
    if (const CUresult status = gate.hold(stream); status != CUDA_SUCCESS)
        return refused(api, "cuStreamWaitValue32", status);
    CUresult status = begin.record(stream);
    launch();
    if (status == CUDA_SUCCESS) status = end.record(stream);
    gate.open();
    if (status != CUDA_SUCCESS) return refused(api, "cuEventRecord", status);
    if (status = api.eventSynchronize(end.get()); status != CUDA_SUCCESS)
        return refused(api, "cuEventSynchronize", status);
    float ms = 0;
    if (status = api.eventElapsedTime(&ms, begin.get(), end.get()); status != CUDA_SUCCESS)
        return refused(api, "cuEventElapsedTime", status);
    return static_cast<std::uint64_t>(std::llround(double(ms) * 1e6));
}

} // namespace dynascope::cuda
