// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/output_code.h"

#include <QStringView>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Names between the brackets of "# Topologically Sorted Source Nodes: [add, getitem]".
void linkList(CodeLine& line, int from, int index, OutputCode& out) {
    const int close = int(line.text.indexOf(u']', from));
    const int end = close < 0 ? int(line.text.size()) : close;
    for (int i = from; i < end;) {
        int to = i;
        while (to < end && (isNamePart(line.text[to]) || line.text[to] == u'.'))
            ++to;
        if (to > i) {
            const QString name = line.text.mid(i, to - i);
            line.links.push_back({i, to, name});
            out.linesOfNode[name].push_back(index);
        }
        i = std::max(to, i + 1);
    }
}

/// "#   y => add" and "#   setitem => copy, select_1": the node of Dynamo's graph, then what it became.
void linkMapping(CodeLine& line, int index, OutputCode& out) {
    for (int i = 1; i < line.text.size();) {
        int to = i;
        while (to < line.text.size() && isNamePart(line.text[to]))
            ++to;
        if (to > i) {
            const QString name = line.text.mid(i, to - i);
            line.links.push_back({i, to, name});
            out.linesOfNode[name].push_back(index);
        }
        i = std::max(to, i + 1);
    }
}

} // namespace

OutputCode readOutputCode(const QString& text) {
    OutputCode out;
    auto document = makeCodeDocument(text, Language::OutputCode);
    bool mapping = false;
    int comment = -1; // first line of the comment block just above
    Kernel* open = nullptr;
    for (int i = 0; i < int(document->lines.size()); ++i) {
        CodeLine& line = document->lines[std::size_t(i)];
        const QString trimmed = line.text.trimmed();
        const int nodes = int(line.text.indexOf(QLatin1String("Source Nodes: [")));
        if (trimmed.startsWith(u'#')) {
            if (comment < 0) comment = i;
            if (nodes >= 0)
                linkList(line, nodes + 15, i, out);
            else if (mapping && trimmed.contains(QLatin1String("=>")))
                linkMapping(line, i, out);
            mapping = (mapping && trimmed.contains(QLatin1String("=>"))) ||
                      trimmed.contains(QLatin1String("Source node to ATen node mapping"));
            continue;
        }
        mapping = false;
        const int assigned = int(line.text.indexOf(QLatin1String(" = async_compile.")));
        const bool defined = line.text.startsWith(QLatin1String("def ")) &&
                             (line.text.startsWith(QLatin1String("def call(")) ||
                              line.text.startsWith(QLatin1String("def partition_")));
        const bool method = trimmed.startsWith(QLatin1String("def call(")) ||
                            trimmed.startsWith(QLatin1String("def partition_"));
        if (assigned > 0 || defined || method) {
            Kernel kernel;
            kernel.name =
                assigned > 0 ? line.text.left(assigned).trimmed() : trimmed.mid(4, trimmed.indexOf(u'(') - 4);
            kernel.line = i;
            kernel.first = comment >= 0 && assigned > 0 ? comment : i;
            kernel.last = i;
            out.kernels.push_back(kernel);
            open = assigned > 0 ? &out.kernels.back() : nullptr;
        }
        if (open) {
            open->last = i;
            if (trimmed.startsWith(QLatin1String("''')")) || trimmed.startsWith(QLatin1String("\"\"\")")) ||
                trimmed.startsWith(QLatin1String("''',")))
                open = nullptr;
        }
        if (!trimmed.isEmpty()) comment = -1;
    }
    out.document = std::move(document);
    return out;
}

} // namespace dynascope::views
