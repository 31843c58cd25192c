// SPDX-License-Identifier: BSD-3-Clause
//
// The part of RecordDialog that is about trials: a program recorded again, with a setting or after a change.
#include "app/gui/record_dialog.h"

#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <utility>

namespace dynascope::app {

void RecordDialog::setTrial(const QString& capture, const QString& setting, const QString& note) {
    if (m_run->isRunning()) return;
    endTrial();
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
    m_untried = QDir(m_working->text().trimmed()).absoluteFilePath(m_output->text().trimmed());
    QString folder = m_untried + QStringLiteral("-trial");
    for (int i = 2; QFileInfo::exists(folder); ++i)
        folder = m_untried + QStringLiteral("-trial-%1").arg(i);
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
    m_output->setText(std::exchange(m_untried, {}));
}

} // namespace dynascope::app
