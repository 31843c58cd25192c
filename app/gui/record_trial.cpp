// SPDX-License-Identifier: BSD-3-Clause
//
// The part of RecordDialog that is about trials: a program recorded again, with a setting or after a change.
#include "app/gui/record_dialog.h"

#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>

namespace dynascope::app {

void RecordDialog::setTrial(const QString& capture, const QString& setting, const QString& note) {
    if (m_run->isRunning()) return;
    for (const QVariant& past : m_past) {
        const QVariantMap entry = past.toMap();
        const QString output = QDir(entry[QStringLiteral("working")].toString())
                                   .absoluteFilePath(entry[QStringLiteral("output")].toString());
        if (QDir::cleanPath(output) != QDir::cleanPath(capture)) continue;
        QVariantMap all = values();
        for (const char* key : ofCommand)
            all[QLatin1String(key)] = entry[QLatin1String(key)];
        setValues(all);
        break;
    }
    const QString base = QDir(m_working->text().trimmed()).absoluteFilePath(m_output->text().trimmed());
    QString folder = base + QStringLiteral("-trial");
    for (int i = 2; QFileInfo::exists(folder); ++i)
        folder = base + QStringLiteral("-trial-%1").arg(i);
    m_output->setText(folder);
    m_settings->setText(setting);
    m_opens->setChecked(true);
    m_trialNote->setText(note);
    m_trialNote->show();
    update();
}

void RecordDialog::endTrial() {
    if (m_run->isRunning() || m_trialNote->isHidden()) return;
    m_settings->clear();
    m_trialNote->hide();
    m_trialNote->clear();
    // The next recording is no trial: the folder is what it was before.
    static const QRegularExpression suffix(QStringLiteral("-trial(-\\d+)?$"));
    m_output->setText(m_output->text().remove(suffix));
}

QString RecordDialog::trialNote() const {
    return m_trialNote->isHidden() ? QString() : m_trialNote->text();
}

} // namespace dynascope::app
