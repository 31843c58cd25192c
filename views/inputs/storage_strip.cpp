// SPDX-License-Identifier: BSD-3-Clause
#include "views/inputs/storage_strip.h"

#include "views/inputs/inputs_model.h"
#include "views/theme/elided_name.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <map>

namespace dynascope::views {

namespace {
constexpr int margin = 12;
constexpr std::size_t mostStorages = 200;

QString describe(const session::TensorInput& input) {
    QString out = toQString(input.meta.shortForm());
    if (input.meta.strides) {
        QStringList strides;
        for (const std::string& s : *input.meta.strides)
            strides << toQString(s);
        out += QStringLiteral(" strides (") + strides.join(QStringLiteral(", ")) + u')';
    }
    if (input.storageOffset != "0" && !input.storageOffset.empty())
        out += QStringLiteral(" offset ") + toQString(input.storageOffset);
    return out;
}

/// By describer and id of a tensor: the first named input that is a view of it.
using ViewsOfBases = std::map<std::pair<int, int>, std::size_t>;

ViewsOfBases viewsOfBases(const session::Compile& compile) {
    ViewsOfBases out;
    for (std::size_t i = 0; i < compile.inputs.size(); ++i)
        if (const session::TensorInput& input = compile.inputs[i]; !input.source.empty())
            out.emplace(std::pair(input.describer, input.base), i);
    return out;
}

QString nameOf(const session::TensorInput& input, const QString& name, const ViewsOfBases& views,
               const std::vector<QString>& names) {
    if (!input.source.empty()) return name;
    // A helper tensor: the base of a view has no name in the program.
    if (const auto view = views.find({input.describer, input.id}); view != views.end())
        return StorageStrip::tr("base of %1").arg(names[view->second]);
    return StorageStrip::tr("tensor %1").arg(input.id);
}
} // namespace

StorageStrip::StorageStrip(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("storages"));
    setAccessibleName(tr("Storages and the inputs that share them"));
    setMouseTracking(true);
    connect(&m_theme, &Theme::changed, this, [this] {
        placeLanes();
        updateGeometry();
        update();
    });
}

void StorageStrip::setCompile(session::SessionPtr session, std::size_t compile) {
    m_session = std::move(session);
    m_compile = compile;
    m_selected = -1;
    m_storages = m_session ? session::storagesOf(this->compile()) : std::vector<session::StorageView>{};
    if (m_storages.size() > mostStorages) m_storages.resize(mostStorages);
    placeLanes();
    updateGeometry();
    update();
}

void StorageStrip::setSelectedInput(int input) {
    m_selected = input;
    update();
}

const session::Compile& StorageStrip::compile() const {
    return m_session->compiles[m_compile];
}

void StorageStrip::placeLanes() {
    m_places.clear();
    const ViewsOfBases views = m_session ? viewsOfBases(compile()) : ViewsOfBases();
    const std::vector<QString> names = m_session ? inputNames(compile()) : std::vector<QString>();
    int y = m_theme.scaled(8);
    for (const session::StorageView& storage : m_storages) {
        const bool shared = std::ranges::any_of(
            storage.lanes, [](const session::StorageLane& lane) { return !lane.overlap.empty(); });
        m_places.push_back(
            {y, m_theme.scaled(20), &storage, nullptr,
             tr("Storage %1, %2, %3")
                 .arg(storage.id)
                 .arg(bytesText(storage.bytes), countText(storage.lanes.size(), tr("tensor"), tr("tensors"))),
             shared ? tr("~ overlap") : QString()});
        y += m_places.back().height;
        for (const session::StorageLane& lane : storage.lanes) {
            const session::TensorInput& input = compile().inputs[lane.input];
            m_places.push_back({y, m_theme.scaled(48), &storage, &lane,
                                nameOf(input, names[lane.input], views, names), describe(input)});
            y += m_places.back().height;
        }
        y += m_theme.scaled(8);
    }
    m_height = y;
}

QSize StorageStrip::sizeHint() const {
    return {264, m_height};
}

void StorageStrip::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(event->rect(), c.bg1);
    for (const Place& place : m_places) {
        if (place.y > event->rect().bottom() || place.y + place.height < event->rect().top()) continue;
        if (place.lane) {
            paintLane(painter, place);
            continue;
        }
        painter.setFont(m_theme.font(FontRole::Section));
        painter.setPen(c.text2);
        const QRect line(margin, place.y, width() - 2 * margin, m_theme.scaled(18));
        painter.drawText(line, Qt::AlignVCenter, place.name);
        painter.setPen(c.changed);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, place.details);
    }
}

void StorageStrip::paintLane(QPainter& painter, const Place& place) const {
    const Colours& c = m_theme.colours();
    const session::StorageView& storage = *place.storage;
    const session::StorageLane& lane = *place.lane;
    const int y = place.y;
    const bool selected = int(lane.input) == m_selected;
    const int room = width() - 2 * margin;
    if (selected) painter.fillRect(QRect(0, y - 2, width(), m_theme.scaled(46)), c.bg3);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QRect label(margin, y, room, m_theme.scaled(18));
    painter.setPen(selected ? c.accent : c.text);
    // A name has the room that its shape leaves; strides have what is left.
    const int shape = painter.fontMetrics().horizontalAdvance(
        toQString(compile().inputs[lane.input].meta.shortForm()).left(24));
    const QString shownName =
        elidedPath(painter.fontMetrics(), place.name, std::max(room / 2, room - shape - 10));
    painter.drawText(label, Qt::AlignVCenter, shownName);
    const int used = painter.fontMetrics().horizontalAdvance(shownName) + 10;
    painter.setPen(c.text2);
    painter.drawText(label.adjusted(used, 0, 0, 0), Qt::AlignVCenter,
                     elided(painter.fontMetrics(), place.details, Qt::ElideRight, room - used));
    const QRect bar(margin, y + m_theme.scaled(20), room, m_theme.scaled(18));
    if (!lane.cover || storage.bytes == 0) {
        painter.setPen(QPen(c.line2, 1, Qt::DashLine));
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
        painter.setPen(c.text2);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.drawText(bar.adjusted(6, 0, -6, 0), Qt::AlignVCenter,
                         lane.cover ? tr("empty storage") : tr("depends on symbolic sizes"));
        return;
    }
    const std::uint64_t cells = storage.cellBytes ? storage.bytes / storage.cellBytes : 0;
    const bool drawCells = cells > 0 && cells <= std::uint64_t(room / 7);
    // Whole pixels per cell, so that all cells look alike.
    const double scale = drawCells ? double(std::min(22, room / int(cells))) / storage.cellBytes
                                   : double(room) / double(storage.bytes);
    const int wide = drawCells ? int(double(storage.bytes) * scale) : room;
    const auto span = [&](std::uint64_t begin, std::uint64_t end) {
        const int left = bar.left() + int(double(std::min(begin, storage.bytes)) * scale);
        const int right = bar.left() + int(double(std::min(end, storage.bytes)) * scale);
        return QRect(left, bar.top(), std::max(1, right - left), bar.height());
    };
    painter.fillRect(QRect(bar.left(), bar.top(), wide, bar.height()), c.bg0);
    for (const auto& [begin, end] : lane.cover->ranges)
        painter.fillRect(span(begin, end), selected ? c.row : c.accentBg);
    const DiffColours changed = c.diff(diff::Change::Changed);
    for (const auto& [begin, end] : lane.overlap) {
        const QRect area = span(begin, end);
        painter.fillRect(area, changed.fill);
        painter.fillRect(area, QBrush(changed.line, Qt::BDiagPattern));
        painter.fillRect(QRect(area.left(), area.bottom() - 1, area.width(), 2), changed.line);
    }
    painter.setPen(c.line2);
    painter.drawRect(QRect(bar.left(), bar.top(), wide - 1, bar.height() - 1));
    if (drawCells) {
        const int cell = wide / int(cells);
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        for (std::uint64_t i = 0; i < cells; ++i) {
            const QRect box(bar.left() + int(i) * cell, bar.top(), cell, bar.height());
            if (i > 0) painter.drawLine(box.topLeft(), box.bottomLeft());
            const std::uint64_t at = i * storage.cellBytes;
            const bool covered = std::any_of(lane.cover->ranges.begin(), lane.cover->ranges.end(),
                                             [at](const auto& r) { return at >= r.first && at < r.second; });
            if (!covered || cell < m_theme.scaled(17)) continue;
            painter.setPen(c.text);
            painter.drawText(box, Qt::AlignCenter, QString::number(i));
            painter.setPen(c.line2);
        }
    }
}

const StorageStrip::Place* StorageStrip::laneAt(QPoint point) const {
    const auto found = std::ranges::find_if(m_places, [&](const Place& place) {
        return place.lane && point.y() >= place.y && point.y() < place.y + m_theme.scaled(44);
    });
    return found == m_places.end() ? nullptr : &*found;
}

void StorageStrip::mousePressEvent(QMouseEvent* event) {
    if (const Place* place = laneAt(event->position().toPoint())) emit inputClicked(int(place->lane->input));
}

bool StorageStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Place* place = laneAt(help->pos());
    if (!place) {
        QToolTip::hideText();
        return true;
    }
    const session::StorageLane* lane = place->lane;
    const auto sum = [](const session::ByteRanges& ranges) {
        std::uint64_t out = 0;
        for (const auto& [begin, end] : ranges)
            out += end - begin;
        return out;
    };
    const QString source = toQString(compile().inputs[lane->input].source);
    QString text = place->name + (source.isEmpty() || source == place->name ? QString() : u'\n' + source) +
                   u'\n' + place->details;
    if (lane->cover) {
        text += u'\n' + (lane->cover->exact ? tr("covers %1").arg(bytesText(sum(lane->cover->ranges)))
                                            : tr("lies within %1, in more pieces than are drawn")
                                                  .arg(bytesText(sum(lane->cover->ranges))));
        if (!lane->overlap.empty())
            text += u'\n' +
                    tr("%1 of them are covered by another input as well").arg(bytesText(sum(lane->overlap)));
    }
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
    return true;
}

} // namespace dynascope::views
