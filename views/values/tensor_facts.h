// SPDX-License-Identifier: BSD-3-Clause
//
// What is shown of a tensor's value: a summary, a corner of its data, a histogram. GUI thread only.
#pragma once

#include "core/computed/tensor_value.h"
#include "views/inspector/facts.h"
#include "views/theme/theme.h"

#include <QString>
#include <QWidget>

namespace dynascope::views {

/// Bars of counts between two values.
class HistogramPlot : public QWidget {
public:
    HistogramPlot(computed::TensorValue::Histogram histogram, Theme& theme);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    computed::TensorValue::Histogram m_histogram;
    Theme& m_theme;
};

/// "-1 … 3, mean 0.5, 2 NaN", or the only element; empty where neither is known.
[[nodiscard]] QString summaryText(const computed::TensorValue& value);
/// The first rows and columns of the last two dimensions.
[[nodiscard]] Section valueSection(const QString& title, const computed::TensorValue& value);
/// Shape and elements; a NaN is equal to a NaN.
[[nodiscard]] bool sameData(const computed::TensorValue& a, const computed::TensorValue& b);

} // namespace dynascope::views
