// SPDX-License-Identifier: BSD-3-Clause
//
// The provenance of what the workspace's subject is: every node, kernel and line of code that it comes from
// or became, for the panels that show or highlight them.
#pragma once

#include "core/diff/origins.h"
#include "core/session/provenance.h"
#include "views/workspace/subject.h"
#include "views/workspace/task_runner.h"

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

namespace dynascope::views {

class Workspace;

/// What the subject is in one compile.
struct CompileTrace {
    int compile = -1; ///< into Session::compiles
    session::ProvenanceAnswer answer;
    std::vector<session::GeneratedKernel> kernels; ///< of answer.kernels, in their order
};

/// GUI thread only. Answers come from the TaskRunner (tag "trace").
class Trace : public QObject {
    Q_OBJECT
public:
    Trace(Workspace& workspace, TaskRunner& tasks);

    /// What the answer is about; None where nothing is asked.
    [[nodiscard]] const Subject& subject() const { return m_asked.subject; }
    /// "setitem of dynamo_output", "cap.py:43", "line 12 of output_code"; empty where nothing is asked.
    [[nodiscard]] QString subjectText() const;
    /// Compiles that know the subject, in the capture's order. Empty while loading and where there are none.
    [[nodiscard]] const std::vector<CompileTrace>& compiles() const { return m_traces; }
    /// The one of the workspace's compile, or null.
    [[nodiscard]] const CompileTrace* current() const;
    [[nodiscard]] bool isLoading() const { return m_loading; }
    /// Nodes of a stage of the workspace's compile, captured or computed; sorted.
    [[nodiscard]] std::vector<ir::NodeIndex> nodesOf(int stage) const;

    using ProvenancePtr = std::shared_ptr<const session::Provenance>;
    /// Of a compile (into Session::compiles) of the workspace's capture: the one that keeps what was found out about it.
    [[nodiscard]] ProvenancePtr provenance(int compile);

signals:
    void changed(); ///< another subject, or its answer came

private:
    /// A question as the worker gets it. Equal questions have equal answers.
    struct Asked {
        session::SessionPtr session;
        int compile = -1;
        Subject subject;
        int stage = -1;                   ///< captured one that the nodes are of
        std::vector<ir::NodeIndex> nodes; ///< of `stage`
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    void follow();
    void forgetOtherCaptures();
    [[nodiscard]] Asked question() const;
    [[nodiscard]] int capturedStage(int stage) const;
    [[nodiscard]] static CompileTrace answer(const session::Provenance& provenance, int compile,
                                             const Asked& asked);

    Workspace& m_workspace;
    TaskRunner& m_tasks;
    Asked m_asked;
    std::vector<CompileTrace> m_traces;
    session::SessionPtr m_session;
    std::map<int, ProvenancePtr> m_known; ///< by compile of m_session: alignments are dear
    bool m_loading = false;
};

} // namespace dynascope::views
