// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/generated_code.h"

#include "core/base/text.h"
#include "core/ir/meta.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace dynascope::session {

namespace {

void addNames(std::string_view list, std::vector<std::string>& to) {
    for (std::size_t i = 0; i < list.size();) {
        std::size_t end = i;
        while (end < list.size() && isNameByte(list[end]))
            ++end;
        if (end > i) to.emplace_back(list.substr(i, end - i));
        i = std::max(end, i + 1);
    }
}

using BytesByName = std::map<std::string, double, std::less<>>;

/// What a "Graph fragment:" says, line by line.
struct FragmentLines {
    GraphFragment fragment;
    std::vector<std::string> read, returned;
    BytesByName bytes; ///< of values whose size is known

    /// False where the line is none of a fragment.
    bool add(std::string_view line) {
        if (line.starts_with("return ")) {
            addNames(line.substr(7), returned);
            return true;
        }
        if (!line.starts_with('%')) return false;
        std::size_t end = 1;
        while (end < line.size() && isNameByte(line[end]))
            ++end;
        const std::string name(line.substr(1, end - 1));
        constexpr std::string_view tensor = " : Tensor \"";
        std::string_view rest = line.substr(end);
        if (rest.starts_with(tensor)) {
            rest.remove_prefix(tensor.size());
            const ir::ValueMeta meta = ir::parseAnnotation(rest.substr(0, rest.find('"')));
            if (const auto size = meta.tensor ? meta.tensor->bytes() : std::nullopt)
                bytes[name] = static_cast<double>(*size);
        }
        (rest.find("= PlaceHolder[") != std::string_view::npos ? read : fragment.nodes).push_back(name);
        return true;
    }

    /// Halves of a reduction pass buffers that only the fragment that reads one says the size of.
    void measure(const BytesByName& everywhere) {
        if (read.empty() || returned.empty()) return;
        const auto sum = [&](const std::vector<std::string>& names) -> std::optional<double> {
            double out = 0;
            for (const std::string& name : names) {
                const auto known = everywhere.find(name);
                if (known == everywhere.end()) return {};
                out += known->second;
            }
            return out;
        };
        fragment.bytesRead = sum(read);
        fragment.bytesWritten = sum(returned);
    }
};

/// What a run of comment lines tells of the code below it.
struct Comments {
    std::size_t first = 0; ///< line; 0 where there are none
    std::string handle, file;
    std::vector<std::string> sources, atens;
    FragmentLines fragment;
    bool inMapping = false, inFragment = false;

    void add(std::string_view line, std::size_t number) {
        if (first == 0) first = number;
        const std::string_view rest = trimmed(line.substr(1));
        const auto list = [&](std::string_view key) -> std::string_view {
            const std::size_t at = rest.find(key);
            if (at == std::string_view::npos) return {};
            const std::string_view from = rest.substr(at + key.size());
            return from.substr(0, from.find(']'));
        };
        constexpr std::string_view handles = "[Provenance debug handles] ", files = "kernel path: ";
        if (rest.starts_with(files)) file = rest.substr(files.size());
        if (rest.starts_with(handles)) {
            const std::string_view all = rest.substr(handles.size());
            handle = all.substr(0, all.find(','));
        } else if (const std::string_view names = list("Source Nodes: ["); !names.empty()) {
            addNames(names, sources);
        }
        inFragment = inFragment ? fragment.add(rest) : rest == "Graph fragment:";
        if (inFragment) {
            inMapping = false;
            return;
        }
        if (rest.starts_with("Source node to ATen node mapping")) {
            inMapping = true;
            return;
        }
        const std::size_t arrow = rest.find(" => ");
        if (!inMapping || arrow == std::string_view::npos) {
            inMapping = false;
            return;
        }
        addNames(rest.substr(0, arrow), sources);
        addNames(rest.substr(arrow + 4), atens);
    }
};

class CodeReader {
public:
    explicit CodeReader(std::string_view text)
        : m_rest(text) {}

    GeneratedCode run() {
        while (!m_rest.empty()) {
            const std::size_t end = m_rest.find('\n');
            line(m_rest.substr(0, end), ++m_number);
            m_rest = end == std::string_view::npos ? std::string_view() : m_rest.substr(end + 1);
        }
        BytesByName everywhere;
        for (const auto& [kernel, lines] : m_fragments)
            everywhere.insert(lines.bytes.begin(), lines.bytes.end());
        for (auto& [kernel, lines] : m_fragments) {
            lines.measure(everywhere);
            m_out.kernels[kernel].fragment = std::move(lines.fragment);
        }
        return std::move(m_out);
    }

private:
    void line(std::string_view text, std::size_t number) {
        const std::string_view content = trimmed(text);
        if (m_definition) {
            m_out.kernels[*m_definition].definition.last = number;
            if (content.find("tl.dot") != std::string_view::npos ||
                content.find("micro_gemm") != std::string_view::npos)
                m_out.kernels[*m_definition].multiplies = true;
            if (content.starts_with("''')") || content.starts_with("\"\"\")") || content.starts_with("''',"))
                m_definition.reset();
            return;
        }
        if (content.starts_with('#')) {
            m_comments.add(content, number);
            return;
        }
        // Between a call on a GPU and its comments.
        if (content.find(" = get_raw_stream(") != std::string_view::npos) return;
        constexpr std::string_view compile = " = async_compile.";
        const std::size_t assigned = text.find(compile);
        if (assigned != std::string_view::npos && assigned > 0 && isNameByte(text.front())) {
            define(std::string(text.substr(0, assigned)), number);
            const std::size_t quote = std::min(content.find("'''"), content.find("\"\"\""));
            if (quote != std::string_view::npos &&
                content.find(content.substr(quote, 3), quote + 3) == std::string_view::npos)
                m_definition = m_out.kernels.size() - 1;
        } else if (content.starts_with("def call(") || content.starts_with("def partition_")) {
            m_inCall = true;
        } else if (m_inCall && !content.empty() && text.front() != ' ') {
            m_inCall = false;
        } else if (m_inCall) {
            call(content, number);
        }
        m_comments = {};
    }

    void define(std::string name, std::size_t number) {
        GeneratedKernel kernel;
        kernel.name = std::move(name);
        kernel.definition = {m_comments.first == 0 ? number : m_comments.first, number};
        kernel.file = std::move(m_comments.file);
        kernel.sourceNodes = std::move(m_comments.sources);
        kernel.atenNodes = std::move(m_comments.atens);
        m_fragments.emplace_back(m_out.kernels.size(), std::move(m_comments.fragment));
        m_byName[kernel.name] = m_out.kernels.size();
        m_out.kernels.push_back(std::move(kernel));
    }

    /// "name(...)", "name.run(...)", "buf0 = extern_kernels.mm(...)", "torch.ops.aten.sort.default(...)".
    void call(std::string_view content, std::size_t number) {
        std::size_t begin = 0;
        if (const std::size_t equals = content.find(" = ");
            equals != std::string_view::npos && equals < content.find('('))
            begin = equals + 3;
        std::size_t end = begin;
        while (end < content.size() && (isNameByte(content[end]) || content[end] == '.'))
            ++end;
        if (end >= content.size() || content[end] != '(') return;
        std::string_view name = content.substr(begin, end - begin);
        if (name.ends_with(".run")) name.remove_suffix(4);
        const auto known = m_byName.find(name);
        std::size_t kernel = 0;
        if (known != m_byName.end()) {
            kernel = known->second;
        } else if (name.starts_with("extern_kernels.") || name.starts_with("torch.ops.") ||
                   name.starts_with("aten.")) {
            kernel = m_out.kernels.size();
            m_out.kernels.emplace_back().name = name;
        } else {
            return;
        }
        GeneratedKernel& of = m_out.kernels[kernel];
        of.sourceNodes.insert(of.sourceNodes.end(), m_comments.sources.begin(), m_comments.sources.end());
        of.atenNodes.insert(of.atenNodes.end(), m_comments.atens.begin(), m_comments.atens.end());
        of.calls.push_back({{m_comments.first == 0 ? number : m_comments.first, number},
                            std::move(m_comments.handle),
                            std::move(m_comments.sources),
                            std::move(m_comments.atens)});
    }

    std::string_view m_rest;
    std::size_t m_number = 0;
    bool m_inCall = false;
    std::optional<std::size_t> m_definition; ///< kernel whose source is being read
    Comments m_comments;
    std::map<std::string, std::size_t, std::less<>> m_byName;
    std::vector<std::pair<std::size_t, FragmentLines>> m_fragments; ///< by kernel
    GeneratedCode m_out;
};

} // namespace

bool GeneratedKernel::namesNodesOfCalls() const {
    return !calls.empty() && std::ranges::all_of(calls, [](const KernelCall& call) {
        return !call.sourceNodes.empty() || !call.atenNodes.empty();
    });
}

std::vector<std::size_t> GeneratedCode::kernelsAt(std::size_t line) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const GeneratedKernel& kernel = kernels[i];
        if (kernel.definition.contains(line) ||
            std::any_of(kernel.calls.begin(), kernel.calls.end(),
                        [&](const KernelCall& call) { return call.lines.contains(line); }))
            out.push_back(i);
    }
    return out;
}

GeneratedCode readGeneratedCode(std::string_view text) {
    return CodeReader(text).run();
}

} // namespace dynascope::session
