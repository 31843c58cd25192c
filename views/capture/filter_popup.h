// SPDX-License-Identifier: BSD-3-Clause
//
// The completion list under a FilterEdit: values of the key being typed with their counts, and the other
// keys.
#pragma once

#include "core/session/filter.h"
#include "views/theme/theme.h"

#include <QFrame>
#include <vector>

namespace dynascope::views {

/// Never takes the focus; the field drives it.
class FilterPopup : public QFrame {
    Q_OBJECT
public:
    struct Entry {
        QString text;   ///< what is inserted
        QString detail; ///< count, or examples of a key
        bool isKey = false;
    };

    FilterPopup(Theme& theme, QWidget* field);
    void setEntries(const QString& title, std::vector<Entry> entries, const QString& prefix);
    void setSummary(const QString& summary);
    void showUnder(const QWidget& field);
    void move(int rows);
    [[nodiscard]] const Entry* current() const;
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }

signals:
    void chosen(const QString& text, bool isKey);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int rowAt(int y) const;
    [[nodiscard]] int rowTop(int row) const;
    [[nodiscard]] int firstKey() const;

    Theme& m_theme;
    QString m_title, m_prefix, m_summary;
    std::vector<Entry> m_entries;
    int m_current = -1;
};

} // namespace dynascope::views
