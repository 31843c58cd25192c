// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/trace.h"

#include "views/workspace/labels.h"
#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

Trace::Trace(Workspace& workspace, TaskRunner& tasks)
    : m_workspace(workspace)
    , m_tasks(tasks) {
    connect(&workspace, &Workspace::placeChanged, this, &Trace::follow);
    // A selection may be dropped or become readable when its graph arrives; computed stages come and go.
    connect(&workspace, &Workspace::nodeSelected, this, &Trace::follow);
    connect(&workspace, &Workspace::computedChanged, this, &Trace::follow);
}

const CompileTrace* Trace::current() const {
    const int compile = m_workspace.place().compile;
    const auto at = std::find_if(m_traces.begin(), m_traces.end(),
                                 [compile](const CompileTrace& t) { return t.compile == compile; });
    return at == m_traces.end() ? nullptr : &*at;
}

int Trace::capturedStage(int stage) const {
    while (m_workspace.isComputed(stage))
        stage = m_workspace.madeFrom(stage);
    return stage;
}

QString Trace::subjectText() const {
    const Subject& asked = subject();
    const session::StagePtr stage = m_workspace.stageAt(asked.stage);
    const QString label = stage ? toQString(stage->shortLabel()) : QString();
    switch (asked.kind) {
    case Subject::Kind::None:
        break;
    case Subject::Kind::Node: {
        const auto graph = stage ? stage->graph() : Result<ir::GraphPtr>(nullptr);
        if (graph && *graph && asked.node < (*graph)->size())
            return tr("%1 of %2").arg(toQString((*graph)->node(asked.node).name), label);
        break;
    }
    case Subject::Kind::Line:
        return QStringLiteral("%1:%2").arg(fileName(asked.file)).arg(asked.line);
    case Subject::Kind::Code:
        return tr("line %1 of %2").arg(asked.line).arg(label);
    }
    return {};
}

std::vector<ir::NodeIndex> Trace::nodesOf(int stage) const {
    std::vector<ir::NodeIndex> out;
    const CompileTrace* trace = current();
    const int captured = trace ? capturedStage(stage) : -1;
    if (captured < 0) return out;
    for (const session::LinkedNode& linked : trace->answer.nodes)
        if (int(linked.stage) == captured) out.push_back(linked.node);
    if (captured == stage) return out;
    std::vector<ir::NodeIndex> made;
    for (const auto& [from, to] : m_workspace.origins(captured, stage))
        if (std::binary_search(out.begin(), out.end(), from)) made.push_back(to);
    std::sort(made.begin(), made.end());
    made.erase(std::unique(made.begin(), made.end()), made.end());
    return made;
}

Trace::Asked Trace::question() const {
    Asked out;
    if (!m_workspace.compile()) return out;
    out.subject = m_workspace.subject();
    if (out.subject.isEmpty()) return out;
    out.session = m_workspace.capture()->session;
    out.compile = out.subject.everyCompile ? -1 : m_workspace.place().compile;
    out.stage = capturedStage(out.subject.stage);
    if (out.subject.kind != Subject::Kind::Node) return out;
    if (out.stage == out.subject.stage)
        out.nodes = {out.subject.node};
    else
        for (const auto& [from, to] : m_workspace.origins(out.stage, out.subject.stage))
            if (to == out.subject.node) out.nodes.push_back(from);
    return out;
}

CompileTrace Trace::answer(const session::Provenance& provenance, int compile, const Asked& asked) {
    CompileTrace out;
    out.compile = compile;
    switch (asked.subject.kind) {
    case Subject::Kind::None:
        break;
    case Subject::Kind::Node:
        if (asked.stage >= 0) out.answer = provenance.ofNodes(std::size_t(asked.stage), asked.nodes);
        break;
    case Subject::Kind::Line:
        out.answer = provenance.ofSource(asked.subject.file, asked.subject.line);
        break;
    case Subject::Kind::Code:
        if (asked.stage >= 0) out.answer = provenance.ofCode(std::size_t(asked.stage), asked.subject.line);
        break;
    }
    for (const session::LinkedKernel& linked : out.answer.kernels)
        out.kernels.push_back(provenance.code(linked.stage).kernels[linked.kernel]);
    return out;
}

void Trace::forgetOtherCaptures() {
    const Workspace::Capture* capture = m_workspace.capture();
    const session::SessionPtr now = capture ? capture->session : nullptr;
    if (now == m_session) return;
    m_session = now;
    m_known.clear();
}

Trace::ProvenancePtr Trace::provenance(int compile) {
    forgetOtherCaptures();
    ProvenancePtr& known = m_known[compile];
    if (!known) known = std::make_shared<const session::Provenance>(m_session, std::size_t(compile));
    return known;
}

void Trace::follow() {
    forgetOtherCaptures();
    Asked asked = question();
    if (asked == m_asked) return;
    m_asked = std::move(asked);
    m_traces.clear();
    m_tasks.cancel(QStringLiteral("trace"));
    m_loading = !m_asked.subject.isEmpty();
    if (!m_loading) {
        emit changed();
        return;
    }
    std::vector<std::pair<int, ProvenancePtr>> ask;
    const int count = int(m_asked.session->compiles.size());
    for (int i = 0; i < count; ++i) {
        if (m_asked.compile >= 0 && i != m_asked.compile) continue;
        ask.emplace_back(i, provenance(i));
    }
    m_tasks.run<std::vector<CompileTrace>>(
        QStringLiteral("trace"), this,
        [asked = m_asked, ask = std::move(ask)](const TaskContext& task) {
            std::vector<CompileTrace> out;
            for (const auto& [compile, provenance] : ask) {
                if (task.cancelled()) break;
                task.report("Tracing", out.size(), ask.size());
                CompileTrace trace = answer(*provenance, compile, asked);
                if (!trace.answer.empty()) out.push_back(std::move(trace));
            }
            return out;
        },
        [this](std::vector<CompileTrace> traces) {
            m_loading = false;
            m_traces = std::move(traces);
            emit changed();
        });
    emit changed();
}

} // namespace dynascope::views
