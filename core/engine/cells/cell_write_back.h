// SPDX-License-Identifier: BSD-3-Clause
//
// The end of functionalization over cells: changed inputs get their contents and their places.
#pragma once

#include "core/engine/cells/cell_store.h"
#include "core/engine/functionalize/functionalize.h"
#include "core/engine/trace/tracer.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// A tensor input.
struct CellInput {
    std::size_t position = 0; ///< among the inputs
    std::string name;         ///< of the placeholder
    at::Tensor eager;         ///< as the program leaves it
    at::Tensor traced;        ///< a copy as it was given
    at::Tensor placeholder;
    Geometry atStart;
    std::uint32_t storageAtStart = 0;
};

class CellWriteBack {
public:
    CellWriteBack(CellStore& store, const std::vector<CellInput>& inputs, WriteBackBy by, const Tape& tape,
                  std::vector<WriteBack>& out)
        : m_store(store)
        , m_inputs(inputs)
        , m_by(by)
        , m_tape(tape)
        , m_out(out) {}

    /// Gives the values that the graph returns first, for its caller to write back.
    [[nodiscard]] std::vector<at::Tensor> run();

private:
    template <typename Fn>
    void apply(WriteBack& back, const char* how, const Fn& fn);
    [[nodiscard]] WriteBack& backOf(const CellInput& input);
    void lead(WriteBack& back, const at::Tensor& value);
    void writeData();
    void moveInputs();
    [[nodiscard]] at::Tensor sourceFor(const at::Tensor& eager);

    CellStore& m_store;
    const std::vector<CellInput>& m_inputs;
    WriteBackBy m_by;
    const Tape& m_tape;
    std::vector<WriteBack>& m_out;
    std::vector<at::Tensor> m_leading;
};

} // namespace dynascope::engine
