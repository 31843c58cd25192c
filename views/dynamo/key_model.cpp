// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/key_model.h"

#include "views/base/where_texts_part.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace dynascope::views {

namespace {

constexpr qsizetype longestTip = 3000;

using dynamo::KeyPart;

std::map<std::string_view, const KeyPart*> byName(const std::vector<KeyPart>& parts) {
    std::map<std::string_view, const KeyPart*> out;
    for (const KeyPart& part : parts)
        out.emplace(part.name, &part);
    return out;
}

} // namespace

KeyModel::KeyModel(Theme& theme, QObject* parent)
    : SectionedModel(ColumnCount, parent)
    , m_theme(theme) {}

std::vector<KeyModel::Part> KeyModel::merged(const std::vector<KeyPart>& key,
                                             const std::vector<KeyPart>& other, bool compared) {
    using diff::Change;
    std::vector<Part> out;
    const auto add = [&](const KeyPart& named, const KeyPart* own, const KeyPart* others) {
        static const std::vector<KeyPart> none;
        Part part{toQString(named.name),
                  {},
                  {},
                  {},
                  {},
                  Change::Same,
                  merged(own ? own->parts : none, others ? others->parts : none, compared)};
        if (own) {
            part.hash = toQString(own->hash);
            part.text = toQString(own->text);
        }
        if (others) {
            part.otherHash = toQString(others->hash);
            part.other = toQString(others->text);
        }
        const bool inner = std::any_of(part.parts.begin(), part.parts.end(),
                                       [](const Part& one) { return one.change != Change::Same; });
        if (compared)
            part.change = !others                              ? Change::Added
                          : !own                               ? Change::Removed
                          : inner || own->hash != others->hash ? Change::Changed
                                                               : Change::Same;
        out.push_back(std::move(part));
    };
    const auto theirs = byName(other), ours = byName(key);
    for (const KeyPart& part : key) {
        const auto found = theirs.find(part.name);
        add(part, &part, found == theirs.end() ? nullptr : found->second);
    }
    for (const KeyPart& part : other)
        if (ours.find(part.name) == ours.end()) add(part, nullptr, &part);
    return out;
}

void KeyModel::setKeys(const std::vector<KeyPart>& key, const std::vector<KeyPart>& other, bool compared) {
    beginResetModel();
    m_compared = compared;
    m_parts = merged(key, other, compared);
    endResetModel();
}

std::size_t KeyModel::ingredients() const {
    std::size_t out = 0;
    for (const Part& part : m_parts)
        out += std::max<std::size_t>(1, part.parts.size());
    return out;
}

std::size_t KeyModel::differences() const {
    const auto count = [](const std::vector<Part>& parts) {
        return std::size_t(std::count_if(parts.begin(), parts.end(), [](const Part& part) {
            return part.parts.empty() && part.change != diff::Change::Same;
        }));
    };
    std::size_t out = count(m_parts);
    for (const Part& part : m_parts)
        out += count(part.parts);
    return out;
}

QModelIndex KeyModel::firstDifference() const {
    for (int i = 0; i < rowCount(); ++i) {
        const Part& part = m_parts[std::size_t(i)];
        if (part.change == diff::Change::Same) continue;
        if (part.parts.empty()) return index(i, 0);
        for (std::size_t k = 0; k < part.parts.size(); ++k)
            if (part.parts[k].change != diff::Change::Same) return index(int(k), 0, index(i, 0));
    }
    return {};
}

const KeyModel::Part* KeyModel::part(const QModelIndex& index) const {
    if (!index.isValid()) return nullptr;
    const Part& top = m_parts[sectionOf(index)];
    return isSection(index) ? &top : &top.parts[std::size_t(index.row())];
}

int KeyModel::rowsIn(int section) const {
    return int(m_parts[std::size_t(section)].parts.size());
}

QString KeyModel::fullName(const QModelIndex& index) const {
    const Part* at = part(index);
    if (!at) return {};
    const Part* group = part(index.parent());
    return group ? QStringLiteral("%1[%2]").arg(group->name, at->name) : at->name;
}

QString KeyModel::display(const Part& part, int column) const {
    switch (column) {
    case Name:
        return part.change == diff::Change::Same
                   ? part.name
                   : QString::fromUcs4(std::array{diff::changeSign(part.change)}.data(), 1) + u' ' +
                         part.name;
    case Value:
        return part.parts.empty() ? fromWhereItParts(part.text.simplified(),
                                                     m_compared ? part.other.simplified() : QString())
                                  : countText(part.parts.size(), tr("ingredient"), tr("ingredients"));
    case Other:
        return m_compared ? fromWhereItParts(part.other.simplified(), part.text.simplified()) : QString();
    case Hash:
        return part.hash.isEmpty() ? part.otherHash : part.hash;
    default:
        return {};
    }
}

QVariant KeyModel::data(const QModelIndex& index, int role) const {
    const Part* at = part(index);
    if (!at) return {};
    const Colours& colours = m_theme.colours();
    switch (role) {
    case Qt::DisplayRole:
        return display(*at, index.column()).left(longestTip);
    case Qt::ToolTipRole: {
        QStringList lines{fullName(index)};
        if (!at->text.isEmpty()) lines << at->text.left(longestTip);
        if (m_compared && at->change != diff::Change::Same && at->parts.empty())
            lines << tr("compared with:")
                  << (at->otherHash.isEmpty() ? tr("nothing") : at->other.left(longestTip));
        return plainToolTip(lines.join(u'\n'));
    }
    case Qt::FontRole:
        return m_theme.font(FontRole::CodeSmall);
    case Qt::ForegroundRole:
        return index.column() == Hash || !at->parts.empty() ? colours.text2 : colours.text;
    case Qt::BackgroundRole:
        if (at->change != diff::Change::Same) return colours.diff(at->change).fill;
        break;
    default:
        break;
    }
    return {};
}

QVariant KeyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    const char* const titles[] = {QT_TR_NOOP("Ingredient"), QT_TR_NOOP("Value"),
                                  QT_TR_NOOP("Of the other key"), QT_TR_NOOP("Hash")};
    const char* const tips[] = {
        QT_TR_NOOP("What PyTorch puts into the key, in its order; settings and inputs below their name"),
        QT_TR_NOOP("As PyTorch prints it, cut off where it is long"),
        QT_TR_NOOP("The same ingredient of the key that this one is compared with"),
        QT_TR_NOOP("Of the pickled value; two keys are equal where all hashes are")};
    if (role == Qt::DisplayRole) return tr(titles[section]);
    if (role == Qt::ToolTipRole) return plainToolTip(tr(tips[section]));
    return {};
}

} // namespace dynascope::views
