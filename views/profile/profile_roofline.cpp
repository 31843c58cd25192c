// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_roofline.h"

#include "views/base/page_parts.h"
#include "views/engine/engine.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::views {

std::optional<profile::Peaks> peaksFrom(const QString& text) {
    const QStringList parts = text.split(u',');
    if (parts.size() != 2) return {};
    bool okFlops = false, okBytes = false;
    const double flops = parts[0].trimmed().toDouble(&okFlops), bytes = parts[1].trimmed().toDouble(&okBytes);
    if (!okFlops || !okBytes || !(flops > 0) || !(bytes > 0) || flops > 1e9 || bytes > 1e9) return {};
    return profile::Peaks{flops * 1e9, bytes * 1e9, {}};
}

ProfileRoofline::ProfileRoofline(Theme& theme, Engine* engine, QWidget* parent)
    : QWidget(parent)
    , m_engine(engine)
    , m_view(new RooflineView(theme))
    , m_note(plainLabel({}, "label"))
    , m_field(new QLineEdit)
    , m_measure(new QPushButton(tr("Measure"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->addWidget(plainLabel(tr("Roofline"), "strong"));
    m_field->setPlaceholderText(tr("GFLOP/s, GB/s"));
    m_field->setAccessibleName(tr("Peaks of the machine"));
    m_field->setToolTip(tr("What the device can do at most: GFLOP/s and GB/s, such as 160, 9"));
    m_field->setMaximumWidth(theme.scaled(120));
    m_measure->setVisible(engine != nullptr);
    row->addStretch(1);
    row->addWidget(m_field);
    row->addWidget(m_measure);
    column->addWidget(m_view, 1);
    m_note->setContentsMargins(12, 0, 12, 4);
    m_note->setObjectName(QStringLiteral("profile.rooflineNote"));
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    connect(m_field, &QLineEdit::editingFinished, this, &ProfileRoofline::take);
    connect(m_measure, &QPushButton::clicked, this, &ProfileRoofline::measure);
}

void ProfileRoofline::show(const profile::Joined& joined, const std::vector<ProfileRow>& rows,
                           const std::vector<int>& numbers) {
    std::size_t moveOnly = 0;
    m_view->setPoints(rooflinePoints(rows, numbers, moveOnly));
    m_profile = joined.profile;
    std::vector<profile::GroupedRow> grouped;
    for (const ProfileRow& row : rows)
        if (!row.row.work.type.empty()) grouped.push_back(row.row);
    m_request = engine::peaksFor(*joined.profile, grouped);
    m_measure->setToolTip(
        m_request.backend == "cpu"
            ? tr("The engine multiplies matrices and adds two long vectors here, on the CPU")
            : tr("The engine multiplies matrices and adds two long vectors here, on %1")
                  .arg(toQString(m_request.backend)));
    QStringList said;
    if (m_view->points().empty())
        said << tr("No row has FLOPs that PyTorch's counter counts and bytes, both known by shapes");
    if (moveOnly > 0)
        said << tr("%1 only move bytes, as far as PyTorch's counter counts: they have no place here")
                    .arg(countText(moveOnly, tr("row"), tr("rows")));
    m_note->setText(said.join(QStringLiteral(". ")));
    m_note->setVisible(!said.isEmpty());
}

void ProfileRoofline::take() {
    if (m_measured && m_field->text() == m_measuredText) return setPeaks(m_measured->peaks);
    const std::optional<profile::Peaks> peaks = peaksFrom(m_field->text());
    if (!peaks && !m_field->text().trimmed().isEmpty()) {
        m_note->setText(tr("Peaks are two numbers: GFLOP/s, GB/s"));
        m_note->show();
        return;
    }
    setPeaks(peaks);
}

void ProfileRoofline::setPeaks(const std::optional<profile::Peaks>& peaks) {
    m_peaks = peaks;
    m_view->setPeaks(peaks);
    emit peaksChanged();
}

void ProfileRoofline::measure() {
    m_measure->setEnabled(false);
    m_engine->run<engine::MeasuredPeaks>(
        QStringLiteral("profile.peaks"), tr("measuring peaks"), this,
        [request = m_request](engine::Client& client, const engine::CallOptions& call)
            -> tl::expected<engine::MeasuredPeaks, engine::CallError> {
            if (auto info = client.start(call); !info) return tl::unexpected(info.error());
            return engine::measurePeaks(client, request, call.task);
        },
        [this](const tl::expected<engine::MeasuredPeaks, engine::CallError>& measured) {
            m_measure->setEnabled(true);
            if (!measured) {
                m_note->setText(toQString(measured.error().message));
                return m_note->show();
            }
            m_measured = *measured;
            m_measuredText = QStringLiteral("%1, %2")
                                 .arg(measured->peaks.flopsPerSecond / 1e9, 0, 'f', 1)
                                 .arg(measured->peaks.bytesPerSecond / 1e9, 0, 'f', 1);
            m_field->setText(m_measuredText);
            m_field->setToolTip(toQString(measured->toString()));
            take();
            const std::string doubt = engine::peakDoubt(*measured, *m_profile);
            if (doubt.empty()) return;
            m_note->setText(toQString(doubt));
            m_note->show();
        });
}

} // namespace dynascope::views
