// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in a list that has no rows.
#pragma once

#include "views/base/message_page.h"

class QAbstractButton;
class QAbstractItemView;
class QLineEdit;

namespace dynascope::views {

/// Lies over the rows of a view, which owns it, while the view's model has none and there is something to say. The model
/// stays the view's. GUI thread only.
class EmptyMessage : public MessagePage {
    Q_OBJECT
public:
    EmptyMessage(Theme& theme, QAbstractItemView& view);
    /// Why there are no rows; empty where nothing is to be said.
    void setWord(const QString& text, const QString& linkText = {}, std::function<void()> action = {});

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the viewport: its size
    [[nodiscard]] const QAbstractItemView& view() const { return m_view; }
    /// Whether there is no row, and the word tells why.
    [[nodiscard]] virtual bool isEmpty() const;

private:
    void follow();

    QAbstractItemView& m_view;
};

/// Says what finds nothing while something is typed in `filter`, and clears it by a click; nothing of a list that is
/// empty without the filter. GUI thread only.
class NothingMatches : public EmptyMessage {
    Q_OBJECT
public:
    /// `what` has a place for what was typed: "No guard matches %1."
    NothingMatches(Theme& theme, QAbstractItemView& view, QLineEdit& filter, const QString& what);
    /// A checked `box` leaves rows out as well: what is said where it alone does, and, with a place as above, where
    /// something is typed too.
    void narrowBy(QAbstractButton& box, const QString& alone, const QString& typed);

protected:
    [[nodiscard]] bool isEmpty() const override;

private:
    void say();

    QLineEdit& m_filter;
    QString m_what, m_alone, m_typed;
    QAbstractButton* m_box = nullptr;
};

} // namespace dynascope::views
