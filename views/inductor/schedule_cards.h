// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of a schedule as cards with what they read and write: kernels grow as boxes around them fusion by
// fusion, arcs lead from who writes a buffer to who reads it.
#pragma once

#include "core/inductor/schedule_rows.h"

#include <QWidget>
#include <string>
#include <vector>

namespace dynascope::views {

class Theme;

/// To lie in a scroll area: as high as its cards. GUI thread only.
class ScheduleCards : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleCards(Theme& theme, QWidget* parent = nullptr);

    /// May be null; it outlives what is shown of it. All fusions are made, nothing is chosen.
    void setSchedule(const inductor::Schedule* schedule);
    /// After so many fusions.
    void setFusions(std::size_t count);
    /// At most two, by name; others are left out.
    void choose(const std::vector<std::string>& operations);
    /// In the order in which they were chosen.
    [[nodiscard]] std::vector<std::string> chosen() const;
    /// Of the two that are chosen: how the line between them is called, and whether it says no; and what lies between
    /// them. Empty: no line.
    void setBetween(const QString& word, const std::vector<std::string>& operations);

    [[nodiscard]] const inductor::ScheduleRows& rows() const { return m_rows; }
    /// Kernels of more than one operation that are drawn as made: numbers of fusions, from 1.
    [[nodiscard]] std::vector<std::size_t> boxes() const { return m_rows.boxesAfter(m_fusions); }
    [[nodiscard]] QRect cardRect(std::size_t row) const;
    [[nodiscard]] QRect boxRect(std::size_t fusion) const; ///< by number, from 1
    /// At a point; SIZE_MAX for none.
    [[nodiscard]] std::size_t rowAt(QPoint point) const;
    /// Where a reader should look: what is chosen, else the last fusion.
    [[nodiscard]] QRect focusRect() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void chosenChanged(); ///< by mouse or keyboard

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Left edges of what stands on a card.
    struct Columns {
        int left = 0, right = 0;
        int name = 0, kind = 0, origin = 0, sizes = 0, reads = 0, out = 0, bytes = 0;
    };
    [[nodiscard]] Columns columns() const;
    [[nodiscard]] int arcWidth() const;
    [[nodiscard]] bool isChosen(std::size_t row) const;
    void pick(std::size_t row, bool add);
    void paintBoxes(QPainter& painter, const QRect& area) const;
    void paintBox(QPainter& painter, std::size_t fusion, int look) const;
    void paintCard(QPainter& painter, std::size_t row, const Columns& at) const;
    void paintReads(QPainter& painter, const inductor::SchedulerNode& node, QRect area) const;
    void paintArcs(QPainter& painter, const QRect& area) const;
    void paintArc(QPainter& painter, std::size_t from, std::size_t to, bool arrow) const;
    void paintAnswer(QPainter& painter) const;
    [[nodiscard]] QString tip(const inductor::SchedulerNode& node) const;

    Theme& m_theme;
    const inductor::Schedule* m_schedule = nullptr;
    inductor::ScheduleRows m_rows;
    std::vector<std::size_t> m_finalBoxes; ///< numbers of the fusions that made the kernels at the end
    std::vector<std::size_t> m_gaps;       ///< by row: boxes that end or begin above it
    std::size_t m_fusions = 0;
    std::vector<std::size_t> m_chosen, m_between; ///< rows
    QString m_word;
};

/// "pointwise", "reduction sum", "extern": what a reader knows the kinds by.
[[nodiscard]] QString operationKind(const inductor::SchedulerNode& node);

} // namespace dynascope::views
