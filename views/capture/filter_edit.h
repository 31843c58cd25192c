// SPDX-License-Identifier: BSD-3-Clause
//
// A field for the filter language, with keys coloured, errors marked at their place, and completion.
#pragma once

#include "core/session/filter.h"
#include "views/theme/theme.h"

#include <QLineEdit>
#include <functional>
#include <vector>

class QTimer;

namespace dynascope::views {

class FilterPopup;

/// Emits filterChanged shortly after the text last changed, and only while it can be read. GUI thread only.
class FilterEdit : public QLineEdit {
    Q_OBJECT
public:
    using ValueSource = std::function<std::vector<session::FilterValue>(const std::string& key)>;

    FilterEdit(Theme& theme, QWidget* parent = nullptr);
    ~FilterEdit() override;

    /// Where values to complete come from.
    void setValueSource(ValueSource source);
    /// One line at the foot of the popup, such as "3 of 20 compiles".
    void setSummary(const QString& summary);
    [[nodiscard]] const session::Filter& filter() const { return m_filter; }
    [[nodiscard]] const FilterPopup* popup() const { return m_popup; }

signals:
    void filterChanged();
    void errorChanged(const QString& error);
    /// Down was pressed while no completion is open: go to the list.
    void leaveDown();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void textWasEdited();
    void read();
    void colour();
    void showCompletion();
    void accept(const QString& completion, bool isKey);

    Theme& m_theme;
    FilterPopup* m_popup = nullptr;
    QTimer* m_delay = nullptr;
    QAction* m_icon = nullptr;
    ValueSource m_values;
    session::Filter m_filter;
    QString m_error;
    bool m_colouring = false;
};

} // namespace dynascope::views
