// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette_model.h"

#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QPainter>

namespace dynascope::views {

void PaletteModel::setResult(PaletteResult result) {
    beginResetModel();
    m_result = std::move(result);
    m_rows.clear();
    for (int i = 0; i < int(m_result.hits.size()); ++i) {
        const PaletteKind kind = m_result.hits[std::size_t(i)].kind;
        if (m_rows.empty() || m_rows.back().kind != kind) m_rows.push_back({kind, -1});
        m_rows.push_back({kind, i});
    }
    endResetModel();
}

const PaletteHit* PaletteModel::hit(int row) const {
    if (row < 0 || row >= int(m_rows.size()) || m_rows[std::size_t(row)].hit < 0) return nullptr;
    return &m_result.hits[std::size_t(m_rows[std::size_t(row)].hit)];
}

QString PaletteModel::heading(int row) const {
    switch (m_rows[std::size_t(row)].kind) {
    case PaletteKind::Node:
        return tr("Nodes");
    case PaletteKind::Module:
        return tr("Modules, parameters and buffers");
    case PaletteKind::Action:
        return tr("Actions");
    case PaletteKind::Source:
        return tr("Source");
    case PaletteKind::Frame:
        return tr("Frames and graph breaks");
    case PaletteKind::Note:
        return tr("Notes and bookmarks");
    case PaletteKind::Pass:
        return tr("Inductor's passes");
    }
    return {};
}

QString PaletteModel::headingDetail(int row) const {
    const PaletteKind kind = m_rows[std::size_t(row)].kind;
    std::size_t shown = 0;
    for (const Row& r : m_rows)
        if (r.kind == kind && r.hit >= 0) ++shown;
    const std::size_t found = m_result.found[int(kind)];
    return shown < found ? tr("%1 of %2").arg(numberText(shown), numberText(found)) : numberText(found);
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const PaletteHit* found = hit(index.row());
    if (role == Qt::DisplayRole) return found ? found->title : heading(index.row());
    if (role == Qt::ToolTipRole && found) return QString(found->title + u'\n' + found->detail);
    if (role == Qt::AccessibleTextRole && found) return QString(found->title + u' ' + found->detail);
    return {};
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags leaf = Qt::ItemNeverHasChildren;
    return hit(index.row()) ? leaf | Qt::ItemIsEnabled | Qt::ItemIsSelectable : leaf;
}

PaletteDelegate::PaletteDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const auto* model = qobject_cast<const PaletteModel*>(index.model());
    return {200, m_theme.scaled(model && model->hit(index.row()) ? 32 : 26)};
}

int drawKeyCaps(QPainter& painter, const Theme& theme, const QString& keys, int right, int centreY) {
    const Colours& c = theme.colours();
    QFont font = theme.font(FontRole::Text);
    font.setPixelSize(theme.scaled(10));
    const QFontMetrics metrics(font);
    painter.setFont(font);
    QStringList caps = keys.split(u'+', Qt::SkipEmptyParts);
    if (keys.endsWith(QLatin1String("++")) || keys == u'+') caps << QStringLiteral("+");
    for (auto cap = caps.crbegin(); cap != caps.crend(); ++cap) {
        const int width = metrics.horizontalAdvance(*cap) + theme.scaled(10), height = theme.scaled(18);
        const QRectF box(right - width + 0.5, centreY - height / 2.0 + 0.5, width - 1, height - 1);
        painter.setPen(c.line2);
        painter.setBrush(c.bg2);
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(c.text2);
        painter.drawText(box, Qt::AlignCenter, *cap);
        right -= width + theme.scaled(3);
    }
    return right;
}

ShownTitle shownTitle(const QFontMetricsF& metrics, const PaletteHit& hit, qreal width) {
    const QString& title = hit.title;
    ShownTitle out{elidedPath(metrics, title, width), {}};
    if (out.text == title) {
        out.ranges = hit.ranges;
        return out;
    }
    // What is left at both ends is where it was, from its own end.
    const auto least = std::min(title.size(), out.text.size());
    const auto start =
        std::mismatch(title.begin(), title.begin() + least, out.text.begin()).first - title.begin();
    const auto end =
        std::mismatch(title.rbegin(), title.rbegin() + (least - start), out.text.rbegin()).first -
        title.rbegin();
    const auto behind = title.size() - end, shift = title.size() - out.text.size();
    for (const auto& [begin, length] : hit.ranges) {
        const int last = begin + length;
        if (begin < start) out.ranges.emplace_back(begin, std::min<int>(last, int(start)) - begin);
        if (last > behind) {
            const int from = std::max<int>(begin, int(behind));
            out.ranges.emplace_back(from - int(shift), last - from);
        }
    }
    return out;
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const auto* model = qobject_cast<const PaletteModel*>(index.model());
    if (!model) return;
    const Colours& c = m_theme.colours();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const PaletteHit* hit = model->hit(index.row());
    QRect rest = option.rect.adjusted(m_theme.scaled(14), 0, -m_theme.scaled(14), 0);
    if (!hit) {
        painter->setFont(m_theme.font(FontRole::Section));
        painter->setPen(c.text2);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, model->heading(index.row()));
        painter->setFont(m_theme.font(FontRole::Text));
        painter->setPen(c.text3);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, model->headingDetail(index.row()));
        painter->restore();
        return;
    }
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, c.row);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, c.bg2);
    const int side = m_theme.scaled(16);
    m_theme.icon(hit->icon, c.text2)
        .paint(painter, QRect(rest.left(), rest.center().y() - side / 2, side, side));
    rest.setLeft(rest.left() + side + m_theme.scaled(9));
    if (!hit->key.isEmpty())
        rest.setRight(drawKeyCaps(*painter, m_theme, hit->key.toString(QKeySequence::NativeText),
                                  rest.right(), rest.center().y()));

    const QFont plain = m_theme.font(hit->kind == PaletteKind::Source ? FontRole::Code : FontRole::Text);
    QFont bold = plain;
    bold.setWeight(QFont::Bold);
    int at = 0;
    const auto draw = [&](const QString& text, const QFont& font, const QColor& colour) {
        if (text.isEmpty() || rest.width() < m_theme.scaled(10)) return;
        const QFontMetrics metrics(font);
        const QString shown = elided(metrics, text, Qt::ElideRight, rest.width());
        painter->setFont(font);
        painter->setPen(colour);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rest.setLeft(rest.left() + metrics.horizontalAdvance(shown));
    };
    const QColor normal =
        hit->needs.isEmpty() ? c.text : c.hint(option.state.testFlag(QStyle::State_Selected));
    // Bold is the wider of both. A part of the row is the detail's.
    const ShownTitle title =
        shownTitle(QFontMetricsF(hit->ranges.empty() ? plain : bold), *hit,
                   hit->detail.isEmpty() ? rest.width() : std::max(rest.width() * 4 / 5, 1));
    for (const auto& [begin, length] : title.ranges) {
        draw(title.text.mid(at, begin - at), plain, normal);
        draw(title.text.mid(begin, length), bold, hit->needs.isEmpty() ? c.accent : normal);
        at = begin + length;
    }
    draw(title.text.mid(at), plain, normal);
    rest.setLeft(rest.left() + m_theme.scaled(10));
    draw(hit->detail, m_theme.font(hit->kind == PaletteKind::Node ? FontRole::CodeSmall : FontRole::Text),
         c.text2);
    painter->restore();
}

} // namespace dynascope::views
