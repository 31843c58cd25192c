// SPDX-License-Identifier: BSD-3-Clause
#include "views/guards/guards_model.h"

#include "core/base/text.h"
#include "core/session/module_names.h"
#include "views/workspace/labels.h"

#include <array>

namespace dynascope::views {

namespace {

constexpr int deepestTree = 200;

QString named(std::string_view text) {
    return toQString(session::withModuleNames(text));
}

/// Checks about the whole process, which every frame has: no source of the user's.
bool isAmbient(const session::Guard& guard) {
    return guard.source.empty() && !guard.isManager();
}

} // namespace

bool guardMatchesReason(const session::Guard& guard, std::string_view reason) {
    if (guard.isManager()) return false;
    // "0/0: L['n'] == 3": what stands behind the compile id is the check, or prose that quotes the source's
    // name.
    if (const std::size_t colon = reason.find(": ");
        colon != std::string_view::npos && reason.find('/') < colon)
        reason.remove_prefix(colon + 2);
    const std::string_view code = guard.code;
    const std::string_view check = reason.substr(0, reason.find("  #"));
    if (check.size() >= 4 && code.find(check) != std::string_view::npos) return true;
    if (guard.source.empty() || !guard.type.starts_with("TENSOR_MATCH")) return false;
    const std::size_t quote = reason.find("tensor '");
    if (quote == std::string_view::npos) return false;
    const std::string_view named = reason.substr(quote + 8, reason.find('\'', quote + 8) - quote - 8);
    if (named == guard.source) return true;
    // Sources are printed without L['...'] in some versions.
    const std::string_view source = guard.source;
    return source.size() == named.size() + 5 && source.substr(3, named.size()) == named;
}

GuardsModel::GuardsModel(QObject* parent)
    : ItemTreeModel(ColumnCount, parent) {}

int GuardsModel::add(int parent, const session::Guard* guard) {
    GuardItem item;
    item.parent = parent;
    item.guard = guard;
    return addItem(std::move(item));
}

void GuardsModel::clear() {
    beginResetModel();
    m_session.reset();
    clearItems();
    m_failed = m_checks = 0;
    endResetModel();
}

void GuardsModel::setGuards(session::SessionPtr session, std::size_t compileIndex) {
    beginResetModel();
    m_session = std::move(session);
    clearItems();
    m_failed = m_checks = 0;
    const session::Compile& compile = m_session->compiles[compileIndex];
    // A recompile's reasons name guards of an earlier compile of the frame; a later one's reasons name these.
    std::vector<std::string_view> reasons;
    session::CompileId told = compile.id; // PyTorch's own spelling knows no run
    told.run = 1;
    const std::string id = told.toString() + ":";
    for (const session::Compile& other : m_session->compiles)
        if (other.origin() == compile.origin() && other.id.frame == compile.id.frame)
            for (const std::string& reason : other.recompileReasons)
                if (std::string_view(reason).starts_with(id)) reasons.push_back(reason);
    std::vector<std::pair<int, int>> open; // depth, item
    std::vector<const session::Guard*> ambient;
    for (const session::Guard& guard : compile.guards) {
        if (!guard.isManager()) ++m_checks;
        if (isAmbient(guard)) {
            ambient.push_back(&guard);
            continue;
        }
        while (!open.empty() && (open.back().first >= guard.depth || open.size() >= deepestTree))
            open.pop_back();
        const int at = add(open.empty() ? 0 : open.back().second, &guard);
        for (const std::string_view reason : reasons)
            if (guardMatchesReason(guard, reason)) m_items[std::size_t(at)].failed = true;
        if (m_items[std::size_t(at)].failed) ++m_failed;
        open.emplace_back(guard.depth, at);
    }
    if (!ambient.empty()) {
        const int group = add(0, nullptr);
        for (const session::Guard* guard : ambient)
            add(group, guard);
    }
    endResetModel();
}

QVariant GuardsModel::data(const QModelIndex& index, int role) const {
    const GuardItem* own = itemAt(index);
    if (!own) return {};
    if (!own->guard) {
        if (role == Qt::DisplayRole && index.column() == Source) return tr("Checks of every frame");
        if (role == Qt::DisplayRole && index.column() == Check)
            return countText(own->children.size(), tr("check"), tr("checks"));
        if (role == Qt::ToolTipRole)
            return tr("Grad mode, default device, global state: not about a value of the program");
        return {};
    }
    const session::Guard& guard = *own->guard;
    switch (role) {
    case FailedRole:
        return own->failed;
    case FileRole:
        return toQString(guard.addedAt.file);
    case LineRole:
        return guard.addedAt.line;
    case SearchRole:
        return QString(data(index, CopyRole).toString() + u' ' + named(guard.code));
    case CopyRole:
        return toQString(guard.source + ' ' + guard.type + ' ' + guard.code + ' ' + guard.userCode);
    case NameRole:
        return named(guard.source);
    case Qt::ToolTipRole:
        if (index.column() == AddedBy)
            return toQString(guard.addedAt.file.empty()
                                 ? guard.userCode
                                 : guard.addedAt.file + ':' + std::to_string(guard.addedAt.line) + '\n' +
                                       guard.userCode);
        return toQString(guard.type + '\n' + guard.code.substr(0, 2000));
    case Qt::DisplayRole:
        break;
    default:
        return {};
    }
    switch (index.column()) {
    case Source:
        return own->guard->isManager() || own->parent == 0 ||
                       m_items[std::size_t(own->parent)].guard == nullptr
                   ? named(guard.source.empty() ? guard.type : guard.source)
                   : toQString(guard.type);
    case Type:
        return toQString(guard.type);
    case Check:
        return guard.isManager() ? QString() : named(firstLine(guard.code));
    case AddedBy:
        return guard.addedAt.line > 0 ? placeText(guard.addedAt) : QString();
    default:
        return {};
    }
}

QVariant GuardsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    const std::array<QString, ColumnCount> names{tr("Source"), tr("Type"), tr("Check"), tr("Added by")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
