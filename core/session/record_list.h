// SPDX-License-Identifier: BSD-3-Clause
//
// The records of a session. A trace of 2 GB has a million of them, so what many have in common (type, origin,
// file) is kept once, and a record is put together when it is asked for.
#pragma once

#include "core/base/result.h"
#include "core/session/shared_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::session {

class ByteSource;
using ByteSourcePtr = std::shared_ptr<const ByteSource>;

/// A piece of a ByteSource. In a trace log every line of a payload starts with a tab, which text() takes off.
struct Payload {
    ByteSourcePtr source;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool tabbed = false;

    [[nodiscard]] bool empty() const { return length == 0; }
    /// A copy of the text, made valid UTF-8 (bad bytes become U+FFFD). An Error where it lies on another machine, which
    /// does not answer.
    [[nodiscard]] Result<std::string> read() const;
    /// The same for showing: in place of what cannot be got stands why, between brackets.
    [[nodiscard]] std::string text() const;
    /// Whether read() answers at once, as of a file of this machine.
    [[nodiscard]] bool isHere() const;
    /// As it lies in the file, tabs included. Valid as long as the source is. Errors as of read().
    [[nodiscard]] Result<std::string_view> bytes() const;
};

/// "1/0": frame_id / frame_compile_id of torch._guards.CompileId; `autograd` is set for compiled autograd
/// ("!0/1/0"). Every process counts its ids from 0/0, and again after torch._dynamo.reset(): `run` says which
/// counting of the rank it is, from 1.
struct CompileId {
    int frame = -1;
    int compile = -1;
    int autograd = -1;
    int run = 1;

    /// Neither a frame nor compiled autograd is named.
    [[nodiscard]] bool empty() const { return frame < 0 && autograd < 0; }
    /// "-" when frame is -1; "0/0@2" in the second run.
    [[nodiscard]] std::string toString() const;
    friend auto operator<=>(const CompileId&, const CompileId&) = default;
};

/// One record of a trace log. Unknown types are records like any other.
struct Record {
    std::string type; ///< "dynamo_start", "artifact:dynamo_graph_break_reason", ...
    int rank = 0;
    CompileId compileId;
    int attempt = -1;
    std::size_t line = 0; ///< of the header, from 1
    Payload header;       ///< the JSON of the header line
    Payload payload;
    double seconds = 0; ///< wall clock of the log prefix, seconds of the day; 0 where unreadable
    std::string origin; ///< "torch/_dynamo/convert_frame.py:303"
    bool known = false; ///< false: kept and shown raw only
};

/// Records in file order. Reading is thread-safe; 80 bytes a record.
class RecordList {
public:
    /// Walks through the list, a Record by value at each step.
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Record;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Record;

        Iterator() = default;
        Iterator(const RecordList* list, std::size_t at)
            : m_list(list)
            , m_at(at) {}
        Record operator*() const { return (*m_list)[m_at]; }
        Iterator& operator++() {
            ++m_at;
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++m_at;
            return before;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const RecordList* m_list = nullptr;
        std::size_t m_at = 0;
    };

    [[nodiscard]] std::size_t size() const { return m_rows.size(); }
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    [[nodiscard]] Record operator[](std::size_t index) const;
    [[nodiscard]] Record front() const { return (*this)[0]; }
    [[nodiscard]] Record back() const { return (*this)[size() - 1]; }
    [[nodiscard]] Iterator begin() const { return {this, 0}; }
    [[nodiscard]] Iterator end() const { return {this, size()}; }

    // Single fields, for walks over all records.
    [[nodiscard]] const std::string& type(std::size_t index) const { return commonOf(index).type; }
    [[nodiscard]] bool known(std::size_t index) const { return commonOf(index).known; }
    [[nodiscard]] bool allKnown() const {
        return std::ranges::all_of(m_common, [](const Common& common) { return common.known; });
    }
    [[nodiscard]] int rank(std::size_t index) const { return m_rows[index].rank; }
    [[nodiscard]] std::size_t line(std::size_t index) const { return m_rows[index].line; }
    [[nodiscard]] const CompileId& compileId(std::size_t index) const { return m_rows[index].compileId; }
    [[nodiscard]] std::uint64_t payloadLength(std::size_t index) const { return m_rows[index].payloadLength; }
    /// Type and file as a number below commonCount(): to judge each kind of record once.
    [[nodiscard]] std::uint32_t commonIndex(std::size_t index) const { return m_rows[index].common; }
    [[nodiscard]] std::size_t commonCount() const { return m_common.size(); }

    void reserve(std::size_t count) { m_rows.reserve(count); }
    void push_back(const Record& record);
    /// What lies in `before` lies in `now` from here on, which begins with the same bytes.
    void moveTo(const ByteSourcePtr& before, const ByteSourcePtr& now);

private:
    struct Common {
        std::string type, origin;
        ByteSourcePtr header, payload;
        bool known = false, headerTabbed = false, payloadTabbed = false;
        friend bool operator==(const Common&, const Common&) = default;
    };
    struct Row {
        std::uint64_t headerOffset = 0, headerLength = 0, payloadOffset = 0, payloadLength = 0;
        std::size_t line = 0;
        double seconds = 0;
        CompileId compileId;
        int rank = 0, attempt = -1;
        std::uint32_t common = 0;
    };
    [[nodiscard]] static std::size_t hashOf(std::string_view type, std::string_view origin,
                                            const ByteSourcePtr& payload);
    [[nodiscard]] const Common& commonOf(std::size_t index) const { return m_common[m_rows[index].common]; }

    std::vector<Row> m_rows;
    std::vector<Common> m_common;
    std::unordered_multimap<std::size_t, std::uint32_t> m_commonByHash;
};

} // namespace dynascope::session
