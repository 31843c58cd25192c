// SPDX-License-Identifier: BSD-3-Clause
//
// Writes small TORCH_TRACE logs for tests, hashes included.
#pragma once

#include <QByteArray>
#include <QCryptographicHash>
#include <string>

namespace dynascope::test {

class TraceText {
public:
    /// One record: `header` is the JSON between the braces. The compile id is 0/0 and the attempt 0 unless
    /// at() said otherwise.
    TraceText& add(const std::string& header) { return line(header, context()); }
    TraceText& add(const std::string& header, const std::string& payload) {
        const QByteArray hash =
            QCryptographicHash::hash(QByteArray::fromStdString(payload), QCryptographicHash::Md5).toHex();
        line(header, context() + ", \"has_payload\": \"" + hash.toStdString() + '"');
        m_text += '\t';
        for (const char c : payload)
            m_text += c == '\n' ? std::string("\n\t") : std::string(1, c);
        m_text += '\n';
        return *this;
    }
    TraceText& artifact(const std::string& name, const std::string& payload) {
        return add("\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}", payload);
    }
    TraceText& start(const std::string& function = "f", int lineNumber = 28) {
        return add("\"dynamo_start\": {\"stack\": [{\"line\": " + std::to_string(lineNumber) +
                   ", \"name\": \"" + function + "\", \"filename\": 1}]}");
    }
    TraceText& metrics(const std::string& more = "\"fail_type\": null", const std::string& function = "f",
                       int firstLine = 28) {
        return add("\"compilation_metrics\": {\"co_name\": \"" + function +
                   "\", \"co_filename\": \"cap.py\", \"co_firstlineno\": " + std::to_string(firstLine) +
                   ", \"entire_frame_compile_time_s\": 0.5, " + more + "}");
    }
    TraceText& string(int id, const std::string& text) {
        return line("\"str\": [\"" + text + "\", " + std::to_string(id) + "]", "");
    }
    TraceText& raw(const std::string& text) {
        m_text += text;
        return *this;
    }
    TraceText& at(int frame, int compile, int attempt = 0) {
        m_frame = frame;
        m_compile = compile;
        m_attempt = attempt;
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    [[nodiscard]] std::string context() const {
        return ", \"frame_id\": " + std::to_string(m_frame) +
               ", \"frame_compile_id\": " + std::to_string(m_compile) +
               ", \"attempt\": " + std::to_string(m_attempt);
    }
    TraceText& line(const std::string& header, const std::string& context) {
        m_text += "V1121 01:29:50.608000 10733 torch/_dynamo/utils.py:2350] {" + header + context + "}\n";
        return *this;
    }

    std::string m_text;
    int m_frame = 0, m_compile = 0, m_attempt = 0;
};

/// print_readable text of a graph with `ops` call_function nodes between one placeholder and the output.
inline std::string readableGraph(int ops = 1) {
    std::string out = "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n";
    std::string last = "x";
    for (int i = 0; i < ops; ++i) {
        const std::string name = "add_" + std::to_string(i);
        out += "        " + name + ": \"f32[4]\" = torch.ops.aten.add.Tensor(" + last + ", 1)\n";
        last = name;
    }
    return out + "        return (" + last + ",)\n";
}

} // namespace dynascope::test
