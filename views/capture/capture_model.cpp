// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/capture_model.h"

#include "views/capture/capture_item.h"
#include "views/workspace/labels.h"

#include <iterator>

namespace dynascope::views {

using session::Session;

CaptureModel::CaptureModel(Workspace& workspace, QObject* parent)
    : TreeModel(1, parent)
    , m_workspace(workspace)
    , m_root(std::make_unique<Item>()) {
    for (int i = 0; i < int(m_workspace.captures().size()); ++i)
        m_root->children.push_back(buildCapture(i));
    connect(&m_workspace, &Workspace::captureOpened, this, &CaptureModel::addCapture);
    connect(&m_workspace, &Workspace::captureClosed, this, &CaptureModel::removeCapture);
    connect(&m_workspace, &Workspace::captureReplaced, this, &CaptureModel::updateCapture);
    connect(&m_workspace, &Workspace::followedChanged, this, &CaptureModel::updateCapture);
    connect(&m_workspace, &Workspace::placeChanged, this, &CaptureModel::moveFacets);
    moveFacets();
}

CaptureModel::~CaptureModel() = default;

void CaptureModel::addCapture(int capture) {
    beginInsertRows({}, capture, capture);
    m_root->children.insert(m_root->children.begin() + capture, buildCapture(capture));
    endInsertRows();
}

void CaptureModel::removeCapture(int capture) {
    beginRemoveRows({}, capture, capture);
    const auto at = m_root->children.begin() + capture;
    for (const Item* item = m_withFacets; item; item = item->parent)
        if (item == at->get()) {
            m_withFacets = nullptr;
            m_facets = 0;
            break;
        }
    m_root->children.erase(at);
    endRemoveRows();
}

void CaptureModel::moveFacets() {
    const Place& place = m_workspace.place();
    Item* wanted = findCompile(place.capture, place.compile);
    if (wanted == m_withFacets) return;
    if (m_withFacets) {
        auto& rows = m_withFacets->children;
        beginRemoveRows(indexOf(m_withFacets), 0, m_facets - 1);
        rows.erase(rows.begin(), rows.begin() + m_facets);
        m_withFacets = nullptr;
        m_facets = 0;
        endRemoveRows();
    }
    if (!wanted) return;
    const Session& session = *m_workspace.captures()[std::size_t(place.capture)].session;
    auto facets = buildFacets(session, std::size_t(place.compile));
    beginInsertRows(indexOf(wanted), 0, int(facets.size()) - 1);
    for (auto& facet : facets)
        facet->parent = wanted;
    m_facets = int(facets.size());
    m_withFacets = wanted;
    wanted->children.insert(wanted->children.begin(), std::make_move_iterator(facets.begin()),
                            std::make_move_iterator(facets.end()));
    endInsertRows();
}

CaptureModel::Item* CaptureModel::findCompile(int capture, int compile) const {
    if (capture < 0 || capture >= int(m_root->children.size()) || compile < 0) return nullptr;
    return m_root->children[std::size_t(capture)]->find(compile);
}

CaptureModel::Item* CaptureModel::itemOf(RowId id) const {
    return id == topId ? m_root.get() : reinterpret_cast<Item*>(id);
}

int CaptureModel::childCount(RowId id) const {
    return int(itemOf(id)->children.size());
}

TreeModel::RowId CaptureModel::childAt(RowId id, int row) const {
    return reinterpret_cast<RowId>(itemOf(id)->children[std::size_t(row)].get());
}

TreeModel::RowId CaptureModel::parentOf(RowId id) const {
    const Item* above = itemOf(id)->parent;
    return above == m_root.get() ? topId : reinterpret_cast<RowId>(above);
}

int CaptureModel::positionOf(RowId id) const {
    return itemOf(id)->row();
}

QModelIndex CaptureModel::indexOf(const Item* item) const {
    return item ? indexOfId(reinterpret_cast<RowId>(item)) : QModelIndex();
}

QModelIndex CaptureModel::captureIndex(int capture) const {
    return index(capture, 0);
}
QModelIndex CaptureModel::compileIndex(int capture, int compile) const {
    return indexOf(findCompile(capture, compile));
}

QVariant CaptureModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    Item& item = *itemOf(index.internalId());
    if (!item.isWritten && role != CompileRole && role != KindRole) write(item, item.captureItem()->row());
    switch (role) {
    case Qt::DisplayRole: {
        QStringList parts;
        for (const QString& part : {item.strong, item.chip, item.breakChip, item.detail})
            if (!part.isEmpty()) parts << part;
        return parts.join(u' ');
    }
    case Qt::ToolTipRole:
        return item.tip.isEmpty() ? QVariant() : QVariant(plainToolTip(item.tip));
    case Qt::AccessibleTextRole:
        return QString(data(index, Qt::DisplayRole).toString() + u' ' + item.right).simplified();
    case KindRole:
        return int(item.kind);
    case CaptureRole: {
        const Item* capture = item.captureItem();
        return capture ? capture->row() : -1;
    }
    case CompileRole:
        return item.compile;
    case IconRole:
        return item.icon;
    case ToneRole:
        return item.tone;
    case StrongRole:
        return item.strong;
    case ChipRole:
        return item.chip;
    case BreakChipRole:
        return item.breakChip;
    case DetailRole:
        return item.detail;
    case RightRole:
        return item.right;
    case PanelRole:
        return item.panel ? QVariant::fromValue(*item.panel) : QVariant();
    case RecordTypeRole:
        return item.type;
    default:
        return {};
    }
}

} // namespace dynascope::views
