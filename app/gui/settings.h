// SPDX-License-Identifier: BSD-3-Clause
//
// What the window remembers between runs. Versioned, so that a later program can tell what it reads.
#pragma once

#include "views/theme/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <memory>

namespace dynascope::app {

/// GUI thread only. Values out of range fall back to their defaults; settings of a newer schema are left
/// alone and not read.
class Settings {
public:
    static constexpr int schema = 1;

    /// In the user's configuration folder.
    Settings();
    /// In one file; an empty path keeps everything in memory only (tests, --export).
    explicit Settings(const QString& file);

    [[nodiscard]] views::ColourScheme scheme() const;
    void setScheme(views::ColourScheme scheme);
    [[nodiscard]] int fontSize() const;
    void setFontSize(int pixels);
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString& path);
    void clearRecentFiles();
    /// Captures that are followed whenever they are opened, by path.
    [[nodiscard]] bool isFollowed(const QString& path) const;
    void setFollowed(const QString& path, bool on);
    /// Whether a capture opens on the page Answers; else on its stages.
    [[nodiscard]] bool opensOnAnswers() const;
    void setOpensOnAnswers(bool on);
    /// Whether the engine derives stages anew by itself while it has nothing else to do.
    [[nodiscard]] bool checksStages() const;
    void setChecksStages(bool on);
    /// Whether cards slide to their new places.
    [[nodiscard]] bool slidesCards() const;
    void setSlidesCards(bool on);
    [[nodiscard]] QStringList recentChoices() const; ///< of the palette
    void setRecentChoices(const QStringList& ids);
    /// As RecordDialog::values() has them.
    [[nodiscard]] QVariantMap record() const;
    void setRecord(const QVariantMap& values);
    /// Where File > Runs looked the last time; empty at first.
    [[nodiscard]] QString runsFolder() const;
    void setRunsFolder(const QString& folder);
    /// What was answered of a lesson, by its name, as views::LessonRun::progress() has it.
    [[nodiscard]] QVariantMap lesson(const QString& name) const;
    void setLesson(const QString& name, const QVariantMap& progress);
    /// Passes that the engine listed last, as name and summary.
    [[nodiscard]] QList<QPair<QString, QString>> passes() const;
    void setPasses(const QList<QPair<QString, QString>>& passes);
    /// As views::BreakpointsModel::saved() has them.
    [[nodiscard]] QStringList breakpoints() const;
    void setBreakpoints(const QStringList& saved);
    /// Window geometry, docks and splitters, by part; empty where nothing was saved.
    [[nodiscard]] QByteArray layout(const QString& part) const;
    void setLayout(const QString& part, const QByteArray& state);
    void clearLayout();
    /// The folder for notes that no session file holds yet (views::Drafts): in the user's folder for the
    /// program's data, or beside a settings file of one's own. Empty in memory only.
    [[nodiscard]] QString draftFolder() const { return m_draftFolder; }

private:
    void open();
    /// Takes in what other windows, each a program of its own, wrote since; writes own changes first.
    void readAgain();
    [[nodiscard]] QVariant value(const QString& key) const;
    void setValue(const QString& key, const QVariant& value);

    std::unique_ptr<QSettings> m_store; ///< null: in memory
    QVariantMap m_memory;
    QString m_draftFolder;
    bool m_readable = true;
};

} // namespace dynascope::app
