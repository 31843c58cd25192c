// SPDX-License-Identifier: BSD-3-Clause
//
// Derives the stages of the current capture anew, compile by compile, while the engine has nothing else to
// do. Whoever asks the engine for something comes first: the compile that is being checked is left and begun
// again later.
#pragma once

#include "core/answers/answer.h"
#include "views/engine/rederivations.h"

#include <QObject>
#include <QTimer>
#include <set>

namespace dynascope::views {

/// GUI thread only.
class StageChecker : public QObject {
    Q_OBJECT
public:
    StageChecker(Workspace& workspace, Rederivations& rederived, QObject* parent = nullptr);

    /// Whether it begins by itself; start() works all the same. Off at first.
    void setAutomatic(bool on);
    /// The page that shows the answer is visible: only then it begins by itself.
    void setWatched(bool on);
    void start();
    void stop();
    [[nodiscard]] bool isRunning() const { return m_wanted; }
    /// What is known of the current capture's stages.
    [[nodiscard]] answers::StageChecks checks() const;

signals:
    void changed();

private:
    void look();    ///< begins by itself where it may
    void next();    ///< checks the next compile, if one is left
    void giveWay(); ///< somebody asked the engine for something
    void ended(const QString& trouble);
    void cancelled();
    void placeChanged();
    /// Of the current capture: the first compile with stages of which nothing is known; -1 for none.
    [[nodiscard]] int nextCompile() const;

    Workspace& m_workspace;
    Rederivations& m_rederived;
    session::SessionPtr m_session; ///< that is being checked
    std::set<std::size_t> m_tried; ///< compiles that gave no answer
    QString m_trouble;
    QTimer m_pause;
    bool m_automatic = false, m_watched = false, m_wanted = false, m_stopped = false;
    bool m_interrupted = false; ///< the engine was stopped; by whom is about to be known
    bool m_yielding = false;    ///< it left the engine to somebody itself
};

} // namespace dynascope::views
