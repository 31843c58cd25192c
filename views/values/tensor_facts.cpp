// SPDX-License-Identifier: BSD-3-Clause
#include "views/values/tensor_facts.h"

#include "views/values/value_text.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr std::int64_t cornerRows = 8, cornerColumns = 8;

/// The first rows and columns of the last two dimensions.
QStringList cornerText(const computed::TensorValue& value) {
    std::vector<std::vector<double>> rows = value.corner;
    const auto columns = std::size_t(value.shape.empty() ? 1 : std::max<std::int64_t>(1, value.shape.back()));
    if (rows.empty())
        for (std::size_t i = 0; i < value.data.size() && rows.size() < std::size_t(cornerRows);
             i += columns) {
            const std::size_t end =
                std::min({i + columns, i + std::size_t(cornerColumns), value.data.size()});
            rows.emplace_back(value.data.begin() + std::ptrdiff_t(i),
                              value.data.begin() + std::ptrdiff_t(end));
        }
    int width = 1;
    std::int64_t known = 0;
    for (const std::vector<double>& row : rows)
        for (const double cell : row) {
            width = std::max(width, int(cellText(cell).size()));
            ++known;
        }
    QStringList lines;
    for (const std::vector<double>& row : rows) {
        QStringList cells;
        for (const double cell : row)
            cells << cellText(cell).rightJustified(width);
        lines << cells.join(QStringLiteral("  ")) +
                     (row.size() < columns ? QStringLiteral("  …") : QString());
    }
    if (known < value.count && (rows.empty() || rows.front().size() == columns)) lines << QStringLiteral("…");
    return lines;
}

Fact codeLine(const QString& line) {
    Fact fact;
    fact.kind = Fact::Kind::Code;
    fact.tokens = {mono(line)};
    return fact;
}

} // namespace

HistogramPlot::HistogramPlot(computed::TensorValue::Histogram histogram, Theme& theme)
    : m_histogram(std::move(histogram))
    , m_theme(theme) {
    std::int64_t most = 0;
    for (const std::int64_t n : m_histogram.counts)
        most = std::max(most, n);
    setToolTip(QObject::tr("How often values between %1 and %2 occur; the highest bar stands for %3")
                   .arg(cellText(m_histogram.first), cellText(m_histogram.last))
                   .arg(most));
}

QSize HistogramPlot::sizeHint() const {
    return {m_theme.scaled(200), m_theme.scaled(84)};
}

void HistogramPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    const int left = m_theme.scaled(12), right = width() - m_theme.scaled(12),
              bottom = height() - m_theme.scaled(20);
    std::int64_t most = 1;
    for (const std::int64_t n : m_histogram.counts)
        most = std::max(most, n);
    const double step = double(right - left) / double(m_histogram.counts.size());
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.op(ir::OpKind::Compute));
    for (std::size_t i = 0; i < m_histogram.counts.size(); ++i) {
        const std::int64_t n = m_histogram.counts[i];
        if (n == 0) continue;
        const double h = std::max(1.0, double(bottom - 4) * double(n) / double(most));
        painter.drawRect(QRectF(left + double(i) * step, bottom - h, std::max(1.0, step - 1), h));
    }
    painter.setPen(c.line2);
    painter.drawLine(left, bottom, right, bottom);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    const QRect axis(left, bottom + 2, right - left, m_theme.scaled(16));
    painter.drawText(axis, Qt::AlignLeft, cellText(m_histogram.first));
    painter.drawText(axis, Qt::AlignRight, cellText(m_histogram.last));
}

QString summaryText(const computed::TensorValue& value) {
    if (value.count == 1 && value.data.size() == 1) return cellText(value.data[0]);
    if (!value.statistics) return {};
    const auto& s = *value.statistics;
    QString text = QStringLiteral("%1 … %2, mean %3").arg(cellText(s.min), cellText(s.max), cellText(s.mean));
    if (s.nan > 0) text += QObject::tr(", %1 NaN").arg(s.nan);
    if (s.infinite > 0) text += QObject::tr(", %1 inf").arg(s.infinite);
    return text;
}

Section valueSection(const QString& title, const computed::TensorValue& value) {
    Section section;
    section.title = title;
    for (const QString& line : cornerText(value))
        section.facts.push_back(codeLine(line));
    return section;
}

bool sameData(const computed::TensorValue& a, const computed::TensorValue& b) {
    return a.shape == b.shape &&
           std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

} // namespace dynascope::views
