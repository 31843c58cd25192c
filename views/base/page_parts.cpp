// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/page_parts.h"
#include "views/theme/shown_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace dynascope::views {

QWidget* headerBar(QHBoxLayout*& row) {
    auto* out = new QWidget;
    out->setProperty("header", true);
    out->setAttribute(Qt::WA_StyledBackground);
    out->setMinimumHeight(28);
    row = new QHBoxLayout(out);
    row->setContentsMargins(12, 2, 12, 2);
    row->setSpacing(8);
    return out;
}

QLabel* plainLabel(const QString& text, const char* role) {
    auto* out = new QLabel(text);
    out->setTextFormat(Qt::PlainText);
    out->setProperty("role", role);
    return out;
}

TitledBox titledBox(const QString& title, QWidget* content) {
    TitledBox box;
    box.widget = new QWidget;
    auto* column = new QVBoxLayout(box.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->addWidget(box.title = plainLabel(title, "strong"));
    row->addStretch(1);
    row->addWidget(box.note = plainLabel({}, "hint"));
    column->addWidget(content, 1);
    return box;
}

FigureRow::FigureRow(QWidget* parent)
    : QWidget(parent)
    , m_row(new QHBoxLayout(this)) {
    setProperty("header", true);
    setAttribute(Qt::WA_StyledBackground);
    setStyleSheet(QStringLiteral("QWidget[header=\"true\"]{background:transparent}"));
    m_row->setContentsMargins(14, 8, 12, 8);
    m_row->setSpacing(28);
    m_row->addStretch(1);
}

void FigureRow::setFigures(const std::vector<Figure>& figures) {
    while (m_columns.size() < figures.size()) {
        auto* widget = new QWidget;
        auto* column = new QVBoxLayout(widget);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        const Column made{widget, plainLabel({}, "figure"), plainLabel({}, "label")};
        column->addWidget(made.value);
        column->addWidget(made.name);
        m_row->insertWidget(int(m_columns.size()), widget);
        m_columns.push_back(made);
    }
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Column& column = m_columns[i];
        column.widget->setVisible(i < figures.size());
        if (i >= figures.size()) continue;
        const Figure& figure = figures[i];
        column.value->setText(figure.value);
        column.value->setStyleSheet(figure.tone.isValid() ? QStringLiteral("color:%1").arg(figure.tone.name())
                                                          : QString());
        column.name->setText(figure.name);
        column.widget->setToolTip(figure.toolTip);
    }
}

} // namespace dynascope::views
