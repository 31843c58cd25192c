// SPDX-License-Identifier: BSD-3-Clause
//
// Session files of the window: saving in the background, taking back what a file holds, and the question
// before something unsaved is closed.
#pragma once

#include "core/computed/saved_stages.h"
#include "views/notes/drafts.h"
#include "views/notes/notebook.h"

#include <QObject>
#include <QSet>
#include <QString>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dynascope::views {
class Passes;
class Rederivations;
} // namespace dynascope::views

namespace dynascope::app {

class Settings;

/// The tag of the task that writes a session file.
inline const QString saveTag = QStringLiteral("save");

/// GUI thread only. Owned by the window.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    enum class Unsaved { Save, Discard, Cancel };
    /// What the user is asked. The defaults are modal dialogs; tests answer by themselves.
    struct Questions {
        std::function<Unsaved(const QString& title)> unsaved;
        std::function<QString(const QString& suggestion)> file; ///< where to save; empty for nowhere
    };
    using Layout = std::map<std::string, std::string>; ///< as store::SessionContents::layout

    SessionKeeper(views::Workspace& workspace, views::Notebook& notebook, views::Passes& passes,
                  views::Rederivations& rederived, Settings& settings, QWidget& window);

    void setQuestions(Questions questions) { m_questions = std::move(questions); }
    /// Asked for with each save; where it has nothing to say, that of the file stays.
    void setLayout(std::function<Layout(int capture)> layout) { m_layout = std::move(layout); }

    /// Saves to the capture's file, or asks for one. Returns at once; so does saveAs().
    void save(int capture);
    void saveAs(int capture);
    /// Asks about what is unsaved of these captures. True: they may go now, and `discard` them. False: not
    /// now; where something is to be saved first, `again` is called after that.
    [[nodiscard]] bool mayClose(const std::vector<int>& captures, const std::function<void()>& again);
    /// Something is being saved or taken back, or a draft is being written.
    [[nodiscard]] bool isBusy() const;
    /// The name for the title: of the session file, else of the capture.
    [[nodiscard]] QString title(int capture) const;

signals:
    void failed(const QString& message);
    void told(const QString& message); ///< one line that needs no answer
    void saved(const QString& file);
    /// A session file is open with all that it held; `layout` is what was saved of the window.
    void opened(int capture, const dynascope::store::SessionContents& saved);

private:
    struct Save {
        session::SessionPtr session;
        QString file;
    };
    [[nodiscard]] int indexOf(const session::Session& session) const; ///< or -1
    [[nodiscard]] QString askFile(int capture);
    void enqueue(int capture, const QString& file);
    void startNext();
    void finished(const Save& save, const store::SessionContents& contents,
                  const views::Notebook::Computed& computed, const Result<std::string>& result);
    void takeBack(int capture);
    void goOnClosing();
    void stopClosing();

    views::Workspace& m_workspace;
    views::Notebook& m_notebook;
    views::Passes& m_passes;
    views::Rederivations& m_rederived;
    Settings& m_settings;
    views::Drafts* m_drafts;
    Questions m_questions;
    std::function<Layout(int)> m_layout;
    std::deque<Save> m_queue; ///< one save at a time
    bool m_saving = false, m_delivered = false;
    int m_restoring = 0, m_tags = 0;
    std::function<void()> m_again;           ///< while a close waits for saves
    QSet<const session::Session*> m_givenUp; ///< answered with Discard
};

} // namespace dynascope::app
