// SPDX-License-Identifier: BSD-3-Clause
//
// What deriving AOTAutograd's graphs anew says of the captured ones, compile by compile: asked of the engine
// on demand, kept while the capture is open.
#pragma once

#include "core/engine/client/rederive.h"
#include "views/engine/engine.h"
#include "views/models/workspace.h"

#include <QHash>
#include <QObject>

namespace dynascope::views {

/// GUI thread only. Owned by the window.
class Rederivations : public QObject {
    Q_OBJECT
public:
    Rederivations(Workspace& workspace, Engine& engine, QObject* parent = nullptr);

    /// Derives the graphs of the current compile (tag "rederive" of the engine).
    void run();
    [[nodiscard]] bool isRunning() const;
    /// Of a captured stage; null where it was not asked, or where nothing can be derived.
    [[nodiscard]] const engine::RederivedStage* find(const session::Stage* stage) const;
    /// Of the metadata behind a joint or inference graph; null for other stages.
    [[nodiscard]] const engine::RederivedStage* metadataOf(const session::Stage* stage) const;
    /// Puts the graph that was derived for a captured stage of the current compile beside the captured ones,
    /// once; its index, or -1 where there is none.
    int showDerived(int stage);

    /// "isomorphic", "equivalent", "different", "declined".
    [[nodiscard]] static QString word(const engine::RederivedStage& row);
    /// One sentence or two: the verdict, its reason, and what metadata says.
    [[nodiscard]] QString text(const session::Stage* stage) const;
    /// Of all stages of a compile: "3 isomorphic, 1 declined"; empty where it was not asked.
    [[nodiscard]] QString summary(const session::Compile& compile) const;

signals:
    void changed();
    void done(const QString& summary);
    void failed(const QString& message);

private:
    struct Known {
        engine::RederivedStage row;
        std::optional<engine::RederivedStage> metadata;
        session::StagePtr derived; ///< in the workspace; null until it is asked for
    };
    void take(const session::SessionPtr& session, std::size_t compile,
              std::vector<engine::RederivedStage> rows);

    Workspace& m_workspace;
    Engine& m_engine;
    QHash<const session::Stage*, Known> m_known;
};

} // namespace dynascope::views
