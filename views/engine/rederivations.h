// SPDX-License-Identifier: BSD-3-Clause
//
// What deriving AOTAutograd's graphs anew says of the captured ones, compile by compile: asked of the engine
// on demand, kept while the capture is open and in its session file.
#pragma once

#include "core/computed/saved_stages.h"
#include "views/engine/passes.h"
#include "views/workspace/workspace.h"

#include <QHash>
#include <QObject>

namespace dynascope::views {

/// GUI thread only. Owned by the window.
class Rederivations : public QObject {
    Q_OBJECT
public:
    Rederivations(Workspace& workspace, Passes& passes, QObject* parent = nullptr);

    /// Derives the graphs of the current compile (tag "rederive" of the engine).
    void run();
    /// Of any compile, and without derived(), done() and failed(): runQuietlyEnded() says why there is no
    /// answer. Nothing happens while a run that somebody asked for goes on.
    void runQuietly(const session::SessionPtr& session, std::size_t compile);
    /// Stops a quiet run; runQuietlyEnded() does not follow.
    void stopQuietly();
    [[nodiscard]] bool isRunning() const;
    /// The compile that the last run was for: index into Session::compiles of its session.
    [[nodiscard]] std::size_t lastAsked() const { return m_asked.second; }
    [[nodiscard]] bool isQuiet() const { return m_quiet && isRunning(); }
    /// Whether somebody waits for another answer of the engine.
    [[nodiscard]] bool isEngineWanted() const;
    [[nodiscard]] Engine& engine() const { return m_engine; }
    /// Whether the graphs of this compile are being derived.
    [[nodiscard]] bool isRunning(const session::Session& session, std::size_t compile) const;
    /// Of a captured stage; null where it was not asked, or where nothing can be derived.
    [[nodiscard]] const engine::RederivedStage* find(const session::Stage* stage) const;
    /// Of the metadata behind a joint or inference graph; null for other stages.
    [[nodiscard]] const engine::RederivedStage* metadataOf(const session::Stage* stage) const;
    /// Puts the graph that was derived for a captured stage of the current compile beside the captured ones,
    /// once; its index, or -1 where there is none. There it is a computed stage, which Passes verifies.
    int showDerived(int stage);

    /// One sentence or two: the verdict, its reason, and what metadata says.
    [[nodiscard]] QString text(const session::Stage* stage) const;
    /// Of all stages of a compile: "3 isomorphic, 1 declined"; empty where it was not asked.
    [[nodiscard]] QString summary(const session::Compile& compile) const;

    /// What is known of a capture's stages, for its session file, and taken back from there. The session must
    /// be open; what was asked since stays.
    [[nodiscard]] std::vector<computed::StageRederivation> toSave(const session::Session& session) const;
    void restore(const std::vector<computed::StageRederivation>& saved);

signals:
    void changed();
    void derived(const dynascope::session::Session& session); ///< there is something else to save
    void done(const QString& summary);
    void failed(const QString& message);
    void runQuietlyEnded(const QString& trouble); ///< empty where there is an answer

private:
    void start(const session::SessionPtr& session, std::size_t compile, bool quiet);
    /// The index of the computed stage that shows what was derived for a captured one; -1 for none.
    [[nodiscard]] int shownAs(const session::Stage* stage) const;
    int show(const session::StagePtr& stage);
    void take(const session::SessionPtr& asked, std::size_t compile, std::vector<engine::RederivedStage> rows,
              bool quiet);

    Workspace& m_workspace;
    Passes& m_passes;
    Engine& m_engine;
    bool m_quiet = false;                                    ///< nobody asked for the last run
    std::pair<const session::Session*, std::size_t> m_asked; ///< what the last run was for; to compare with
    QHash<session::StageId, computed::Rederivation> m_known;
};

} // namespace dynascope::views
