// SPDX-License-Identifier: BSD-3-Clause
#include "views/records/timing_model.h"

#include "views/models/labels.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace dynascope::views {

namespace {
constexpr std::size_t deepestNesting = 200;

QString milliseconds(double us) {
    return QString::number(us / 1000, 'f', us < 10'000 ? 2 : 1);
}
} // namespace

void TimingModel::clear() {
    beginResetModel();
    m_items.clear();
    m_total = 0;
    endResetModel();
}

void TimingModel::setEvents(const session::Session& session, int compile) {
    beginResetModel();
    m_items.assign(1, {});
    m_total = 0;
    std::vector<const session::TimingEvent*> events;
    for (const session::TimingEvent& event : session.timings)
        if (compile < 0 || event.compile == compile) events.push_back(&event);
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) {
        return std::tuple(a->pid, a->tid, a->startUs, -a->durationUs) <
               std::tuple(b->pid, b->tid, b->startUs, -b->durationUs);
    });
    std::map<std::pair<int, std::string>, int> byName; // parent, name -> item
    struct Open {
        double end;
        int item;
    };
    std::vector<Open> stack;
    std::pair<std::int64_t, std::int64_t> thread{0, 0};
    for (const session::TimingEvent* event : events) {
        if (std::pair(event->pid, event->tid) != thread) {
            thread = {event->pid, event->tid};
            stack.clear();
        }
        // Clocks of begin and end differ by rounding: half a microsecond of overlap is still nesting.
        while (!stack.empty() && (event->startUs >= stack.back().end - 0.5 || stack.size() >= deepestNesting))
            stack.pop_back();
        const int parent = stack.empty() ? 0 : stack.back().item;
        const auto [at, isNew] = byName.try_emplace({parent, event->name}, int(m_items.size()));
        if (isNew) {
            Item item;
            item.name = event->name;
            item.parent = parent;
            item.row = int(m_items[std::size_t(parent)].children.size());
            m_items[std::size_t(parent)].children.push_back(at->second);
            m_items.push_back(std::move(item));
        }
        Item& item = m_items[std::size_t(at->second)];
        item.total += event->durationUs;
        item.self += event->durationUs;
        item.open = item.open || event->open;
        ++item.count;
        if (parent > 0)
            m_items[std::size_t(parent)].self -= event->durationUs;
        else
            m_total += event->durationUs;
        stack.push_back({event->startUs + event->durationUs, at->second});
    }
    for (Item& item : m_items)
        item.self = std::max(0.0, item.self);
    endResetModel();
}

const TimingModel::Item* TimingModel::item(const QModelIndex& index) const {
    const std::size_t i = index.isValid() ? std::size_t(index.internalId()) : 0;
    return i < m_items.size() ? &m_items[i] : nullptr;
}

QModelIndex TimingModel::index(int row, int column, const QModelIndex& parent) const {
    const Item* above = parent.column() > 0 ? nullptr : item(parent);
    if (!above || row < 0 || row >= int(above->children.size()) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(row, column, quintptr(above->children[std::size_t(row)]));
}

QModelIndex TimingModel::parent(const QModelIndex& child) const {
    const Item* own = child.isValid() ? item(child) : nullptr;
    if (!own || own->parent <= 0) return {};
    return createIndex(m_items[std::size_t(own->parent)].row, 0, quintptr(own->parent));
}

int TimingModel::rowCount(const QModelIndex& parent) const {
    const Item* own = parent.column() > 0 ? nullptr : item(parent);
    return own ? int(own->children.size()) : 0;
}

int TimingModel::columnCount(const QModelIndex& /*parent*/) const {
    return ColumnCount;
}

QVariant TimingModel::data(const QModelIndex& index, int role) const {
    const Item* own = index.isValid() ? item(index) : nullptr;
    if (!own) return {};
    if (role == ShareRole) return m_total > 0 ? own->total / m_total : 0.0;
    if (role == SelfShareRole) return m_total > 0 ? own->self / m_total : 0.0;
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        QString text =
            toQString(own->name) + u'\n' +
            tr("%1 ms in all, %2 ms of its own").arg(milliseconds(own->total), milliseconds(own->self));
        if (own->open) text += u'\n' + tr("The log ends before this event does.");
        return text;
    }
    if (role != Qt::DisplayRole && role != SortRole) return {};
    const bool sort = role == SortRole;
    switch (index.column()) {
    case Name:
        return toQString(own->name);
    case Bar:
        return sort ? QVariant(own->total) : QVariant();
    case Total:
        return sort ? QVariant(own->total) : QVariant(milliseconds(own->total));
    case Self:
        return sort ? QVariant(own->self) : QVariant(milliseconds(own->self));
    case Count:
        return qulonglong(own->count);
    default:
        return {};
    }
}

QVariant TimingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Name || section == Bar ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Self) return tr("Time that no event inside it accounts for");
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Phase"), tr("Total, ms"), tr("Self, ms"), tr("Count"),
                                                 tr("Share of all")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
