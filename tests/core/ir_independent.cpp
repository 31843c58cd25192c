// SPDX-License-Identifier: BSD-3-Clause
#include "tests/core/ir_independent.h"

#include <QRegularExpression>
#include <QStringList>

namespace dynascope::test {

int countNodes(const QString& text) {
    static const QRegularExpression assigned(R"(^\s+\w+(: "[^"]*"| : \S+)? = (.*)$)");
    static const QRegularExpression rename(R"(^(?!(s|u|zf)\d+$)\w+$)");
    static const QRegularExpression inPlace(
        R"(^\s+\w+(\[.*\]| [-+*/@%&|^<>]+)=? .*;  \w+(: "[^"]*")? = \w+(;|$))");
    static const QRegularExpression flattened(R"(^\s+((\w+, )+)= fx_pytree)");
    static const QRegularExpression parameter(R"(\w+(: "[^"]*")?(?=,|$))");
    int count = 0;
    bool inSignature = false;
    bool isTree = false;
    int parameters = 0;
    const auto addParameters = [&](QString line) {
        line = line.section('#', 0, 0).trimmed();
        for (auto match = parameter.globalMatch(line); match.hasNext();) {
            const QString found = match.next().captured();
            if (found != "self") ++parameters;
        }
    };
    for (const QString& line : text.split('\n')) {
        const QString trimmed = line.trimmed();
        if (trimmed.startsWith("def forward(")) {
            parameters = 0;
            isTree = false;
            inSignature = !trimmed.endsWith("):");
            if (!inSignature) addParameters(trimmed.mid(12).chopped(2));
        } else if (inSignature) {
            inSignature = !trimmed.startsWith(")");
            if (inSignature) addParameters(trimmed);
        } else if (trimmed.startsWith("#")) {
            continue;
        } else if (const auto match = flattened.match(line); match.hasMatch()) {
            isTree = true;
            count += static_cast<int>(match.captured(1).count(','));
        } else if (trimmed.startsWith("return ")) {
            count += 1 + (isTree ? 0 : parameters);
        } else if (inPlace.match(line).hasMatch()) {
            ++count;
        } else if (const auto statement = assigned.match(line); statement.hasMatch()) {
            if (!rename.match(statement.captured(2)).hasMatch()) ++count;
        }
    }
    return count;
}

QString withoutLogPrefixes(QString log) {
    static const QRegularExpression prefix(R"(^[VI]\d{4} \S+ \d+ \S+\] \[\S+\] \[__\w+\] )",
                                           QRegularExpression::MultilineOption);
    static const QRegularExpression path(R"(^ \S+_lazy_graph_module\.py )",
                                         QRegularExpression::MultilineOption);
    return log.remove(prefix).remove(path);
}

} // namespace dynascope::test
