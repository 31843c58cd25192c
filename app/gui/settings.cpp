// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/settings.h"

#include "core/remote/address.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

namespace dynascope::app {

namespace {
constexpr int recentLimit = 12;
const QString versionKey = QStringLiteral("schema");
} // namespace

Settings::Settings()
    : m_store(std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                          QStringLiteral("dynascope"), QStringLiteral("dynascope")))
    , m_draftFolder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                    QStringLiteral("/drafts")) {
    open();
}

Settings::Settings(const QString& file) {
    if (!file.isEmpty()) {
        m_store = std::make_unique<QSettings>(file, QSettings::IniFormat);
        m_draftFolder = QFileInfo(file).absoluteDir().filePath(QStringLiteral("drafts"));
    }
    open();
}

void Settings::open() {
    if (!m_store) return;
    const int found = m_store->value(versionKey, schema).toInt();
    m_readable = found <= schema;
    if (m_readable) m_store->setValue(versionKey, schema);
}

void Settings::readAgain() {
    if (m_store) m_store->sync();
}

QVariant Settings::value(const QString& key) const {
    if (!m_readable) return m_memory.value(key);
    return m_store ? m_store->value(key) : m_memory.value(key);
}

void Settings::setValue(const QString& key, const QVariant& value) {
    // A newer program's file is not written to: it would lose what this one does not know.
    if (m_store && m_readable)
        m_store->setValue(key, value);
    else
        m_memory.insert(key, value);
}

views::ColourScheme Settings::scheme() const {
    const QString name = value(QStringLiteral("theme")).toString();
    if (name == QLatin1String("dark")) return views::ColourScheme::Dark;
    if (name == QLatin1String("light")) return views::ColourScheme::Light;
    return views::ColourScheme::System;
}

void Settings::setScheme(views::ColourScheme scheme) {
    setValue(QStringLiteral("theme"), scheme == views::ColourScheme::Dark    ? QStringLiteral("dark")
                                      : scheme == views::ColourScheme::Light ? QStringLiteral("light")
                                                                             : QStringLiteral("system"));
}

int Settings::fontSize() const {
    const int size = value(QStringLiteral("fontSize")).toInt();
    return size >= 10 && size <= 16 ? size : 12;
}

void Settings::setFontSize(int pixels) {
    setValue(QStringLiteral("fontSize"), std::clamp(pixels, 10, 16));
}

QStringList Settings::recentFiles() const {
    return value(QStringLiteral("recentFiles")).toStringList();
}

void Settings::addRecentFile(const QString& path) {
    readAgain();
    QStringList files = recentFiles();
    const QString absolute =
        remote::isAddress(path.toStdString()) ? path : QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    while (files.size() > recentLimit)
        files.removeLast();
    setValue(QStringLiteral("recentFiles"), files);
    readAgain(); // which writes first: a window that opens a file now is to see this one
}

void Settings::clearRecentFiles() {
    setValue(QStringLiteral("recentFiles"), QStringList());
}

bool Settings::opensOnAnswers() const {
    const QVariant on = value(QStringLiteral("opensOnAnswers"));
    return !on.isValid() || on.toBool();
}

void Settings::setOpensOnAnswers(bool on) {
    setValue(QStringLiteral("opensOnAnswers"), on);
}

bool Settings::checksStages() const {
    const QVariant on = value(QStringLiteral("checksStages"));
    return !on.isValid() || on.toBool();
}

void Settings::setChecksStages(bool on) {
    setValue(QStringLiteral("checksStages"), on);
}

bool Settings::slidesCards() const {
    const QVariant on = value(QStringLiteral("slidesCards"));
    return !on.isValid() || on.toBool();
}

void Settings::setSlidesCards(bool on) {
    setValue(QStringLiteral("slidesCards"), on);
}

bool Settings::isFollowed(const QString& path) const {
    return value(QStringLiteral("followed")).toStringList().contains(QFileInfo(path).absoluteFilePath());
}

void Settings::setFollowed(const QString& path, bool on) {
    readAgain();
    QStringList paths = value(QStringLiteral("followed")).toStringList();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths.removeAll(absolute);
    if (on) paths.prepend(absolute);
    while (paths.size() > recentLimit)
        paths.removeLast();
    setValue(QStringLiteral("followed"), paths);
}

QStringList Settings::recentChoices() const {
    return value(QStringLiteral("recentChoices")).toStringList();
}
void Settings::setRecentChoices(const QStringList& ids) {
    setValue(QStringLiteral("recentChoices"), ids);
}

QVariantMap Settings::record() const {
    return value(QStringLiteral("record")).toMap();
}
void Settings::setRecord(const QVariantMap& values) {
    setValue(QStringLiteral("record"), values);
}

QString Settings::runsFolder() const {
    return value(QStringLiteral("runsFolder")).toString();
}
void Settings::setRunsFolder(const QString& folder) {
    setValue(QStringLiteral("runsFolder"), folder);
}

QVariantMap Settings::lesson(const QString& name) const {
    return value(QStringLiteral("lessons/") + name).toMap();
}
void Settings::setLesson(const QString& name, const QVariantMap& progress) {
    setValue(QStringLiteral("lessons/") + name, progress);
}

QList<QPair<QString, QString>> Settings::passes() const {
    QList<QPair<QString, QString>> out;
    const QStringList flat = value(QStringLiteral("passes")).toStringList();
    for (qsizetype i = 0; i + 1 < flat.size(); i += 2)
        out.push_back({flat[i], flat[i + 1]});
    return out;
}
void Settings::setPasses(const QList<QPair<QString, QString>>& passes) {
    QStringList flat;
    for (const auto& [name, summary] : passes)
        flat << name << summary;
    setValue(QStringLiteral("passes"), flat);
}

QStringList Settings::breakpoints() const {
    return value(QStringLiteral("breakpoints")).toStringList();
}
void Settings::setBreakpoints(const QStringList& saved) {
    setValue(QStringLiteral("breakpoints"), saved);
}

QByteArray Settings::layout(const QString& part) const {
    return value(QStringLiteral("layout/") + part).toByteArray();
}

void Settings::setLayout(const QString& part, const QByteArray& state) {
    setValue(QStringLiteral("layout/") + part, state);
}

void Settings::clearLayout() {
    if (m_store && m_readable) m_store->remove(QStringLiteral("layout"));
    for (auto it = m_memory.begin(); it != m_memory.end();)
        it = it.key().startsWith(QLatin1String("layout/")) ? m_memory.erase(it) : std::next(it);
}

} // namespace dynascope::app
