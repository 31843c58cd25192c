// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/shown_text.h"

#include "core/base/shown_text.h"
#include "views/theme/elided_name.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLocale>
#include <QMenu>
#include <QRandomGenerator>
#include <QTabBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr qsizetype longestToolTip = 1000;

/// What a tool tip of ours begins with: an element, or Qt shows the tool tip's markup. No capture can know the number.
const QString& mark() {
    static const QString text = QStringLiteral("<qt id='%1'>")
                                    .arg(QRandomGenerator::global()->generate64(), 16, 16, QLatin1Char('0'));
    return text;
}

QString safe(const QString& toolTip) {
    return toolTip.isEmpty() || toolTip.startsWith(mark()) ? toolTip : plainToolTip(toolTip);
}

QString withVisibleMarks(const QString& text) {
    const auto hides = [](QChar c) { return hidesText(c.unicode()); };
    if (std::none_of(text.begin(), text.end(), hides)) return text;
    QString out;
    for (const QChar c : text) {
        if (hides(c))
            out += QStringLiteral("<U+%1>").arg(c.unicode(), 4, 16, QLatin1Char('0')).toUpper();
        else
            out += c;
    }
    return out;
}

/// Of the item, section, tab or entry at a place of a widget; else the widget's own.
struct Tip {
    QString text;
    QRect about;
};
Tip tipAt(const QWidget& widget, const QPoint& at) {
    if (const auto* header = qobject_cast<const QHeaderView*>(widget.parentWidget());
        header && header->viewport() == &widget && header->model()) {
        const int section = header->logicalIndexAt(at);
        if (section < 0) return {};
        return {header->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString(), {}};
    }
    if (const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
        view && view->viewport() == &widget) {
        const QModelIndex index = view->indexAt(at);
        return {index.data(Qt::ToolTipRole).toString(), view->visualRect(index)};
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        const int tab = tabs->tabAt(at);
        if (tab >= 0 && !tabs->tabToolTip(tab).isEmpty()) return {tabs->tabToolTip(tab), tabs->tabRect(tab)};
    }
    if (const auto* menu = qobject_cast<const QMenu*>(&widget)) {
        const QAction* action = menu->actionAt(at);
        if (action && menu->toolTipsVisible())
            return {action->toolTip(), menu->actionGeometry(menu->actionAt(at))};
    }
    return {widget.toolTip(), {}};
}

/// "f32[64, 128]", with strides behind it as well.
bool isType(QStringView text) {
    const qsizetype open = text.indexOf(u'[');
    if (open < 2 || (text.back() != u']' && text.back() != u')')) return false;
    return std::ranges::all_of(text.first(open), [](QChar c) { return c.isLetterOrNumber() || c == u'_'; });
}

} // namespace

QString shownText(const QString& text, qsizetype most) {
    const bool isLong = text.size() > most;
    const bool hides = std::any_of(text.begin(), text.begin() + std::min(text.size(), most),
                                   [](QChar c) { return hidesText(c.unicode()); });
    if (!isLong && !hides) return text;
    QString out = text.left(most);
    if (isLong && !out.isEmpty() && out.back().isHighSurrogate()) out.chop(1);
    if (hides) out = withVisibleMarks(out);
    if (isLong)
        out += QCoreApplication::translate("shownText", "… and %1 more characters")
                   .arg(QLocale::c().toString(text.size() - most));
    return out;
}

QString plainToolTip(const QString& text) {
    if (text.isEmpty() || text.startsWith(mark())) return text;
    return mark() + QLatin1String("<p style='white-space:pre-wrap; margin:0'>") +
           shownText(shownText(text, longestToolTip), 2 * longestToolTip).toHtmlEscaped();
}

QString markupToolTip(const QString& html) {
    return html.isEmpty() ? QString() : mark() + html;
}

QString elided(const QFontMetricsF& metrics, const QString& text, Qt::TextElideMode mode, qreal width) {
    // No character that is seen is narrower than a pixel.
    const auto most = std::max<qsizetype>(64, qsizetype(std::max<qreal>(width, 0)));
    if (text.size() <= most) return metrics.elidedText(withVisibleMarks(text), mode, width);
    const QString cut =
        withVisibleMarks(mode == Qt::ElideLeft     ? text.right(most)
                         : mode == Qt::ElideMiddle ? text.left(most / 2) + text.right(most / 2)
                                                   : text.left(most));
    return metrics.elidedText(cut, mode, std::min(width, metrics.horizontalAdvance(cut) - 1));
}

bool isName(QStringView text) {
    // A source, "L['self'].lin.weight", is one too; "f32[4]" is a type.
    const bool source = text.startsWith(u"L[") || text.startsWith(u"G[");
    return !text.isEmpty() && (text.front().isLetter() || text.front() == u'_') &&
           std::all_of(text.begin(), text.end(), [source](QChar c) {
               return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u':' || c == u'$' ||
                      (source && (c == u'[' || c == u']' || c == u'\''));
           });
}

qsizetype shownEnd(QStringView name, qsizetype fits) {
    if (fits <= 0) return name.size();
    const qsizetype first = std::max<qsizetype>(0, name.size() - fits);
    if (first == 0) return 0;
    for (qsizetype i = first; i < first + fits / 2; ++i)
        if (i > 0 && (name[i - 1] == u'_' || name[i - 1] == u'.')) return i;
    return first;
}

QString elidedName(const QFontMetricsF& metrics, const QString& text, qreal width) {
    if (!isName(text)) return elided(metrics, text, isType(text) ? Qt::ElideMiddle : Qt::ElideRight, width);
    const auto most = std::max<qsizetype>(64, qsizetype(std::max<qreal>(width, 0)));
    if (text.size() <= most && metrics.horizontalAdvance(text) <= width) return text;
    const QChar dots(0x2026);
    const auto shown = [&](qsizetype fits) { return dots + text.mid(shownEnd(text, fits)); };
    qsizetype least = 0, more = std::min(text.size(), most);
    while (least + 1 < more) {
        const qsizetype middle = (least + more) / 2;
        (metrics.horizontalAdvance(dots + text.right(middle)) <= width ? least : more) = middle;
    }
    return least == 0 ? elided(metrics, text, Qt::ElideLeft, width) : shown(least);
}

QString elidedPath(const QFontMetricsF& metrics, const QString& text, qreal width) {
    constexpr qsizetype longest = 400; // of a name that is cut by parts, each of which is tried
    constexpr qsizetype tail = 2;      // parts at the end: "q_proj.weight"
    const QChar dots(0x2026);
    const bool isShort = text.size() <= longest;
    if (isShort && metrics.horizontalAdvance(text) <= width) return text;
    const QStringList parts = isShort ? text.split(u'.') : QStringList();
    if (parts.size() <= tail || !isName(text)) return elided(metrics, text, Qt::ElideMiddle, width);
    const QString end = dots + parts.mid(parts.size() - tail).join(u'.');
    const qsizetype head = parts.size() - tail - 1; // at most this many before it, so that a part is left out
    const auto isNumber = [](const QString& part) {
        return !part.isEmpty() && std::ranges::all_of(part, [](QChar c) { return c.isDigit(); });
    };
    qsizetype number = head;
    while (number >= 0 && !isNumber(parts[number]))
        --number;
    QStringList tries;
    for (qsizetype count = head; count > std::max<qsizetype>(number, 0); --count)
        tries << parts.mid(0, count).join(u'.') + end;
    for (const qsizetype count : {2, 1})
        if (number >= count - 1) tries << dots + parts.mid(number - count + 1, count).join(u'.') + end;
    if (number > 0) {
        // The number of a layer says more than the whole of what stands behind it.
        const QString layer = parts.mid(number - 1, 2).join(u'.');
        const QString cut = dots + metrics.elidedText(parts.mid(number - 1).join(u'.'), Qt::ElideMiddle,
                                                      width - metrics.horizontalAdvance(dots));
        if (cut.startsWith(dots + layer)) tries << cut;
    }
    tries << end;
    for (const QString& each : tries)
        if (metrics.horizontalAdvance(each) <= width) return each;
    return elided(metrics, text, Qt::ElideMiddle, width);
}

void TextGuard::install() {
    static TextGuard* guard = nullptr;
    if (guard || !QCoreApplication::instance()) return;
    guard = new TextGuard(QCoreApplication::instance());
    QObject::connect(guard, &QObject::destroyed, [] { guard = nullptr; });
    QCoreApplication::instance()->installEventFilter(guard);
}

bool TextGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ToolTip || !watched->isWidgetType()) return false;
    auto* widget = static_cast<QWidget*>(watched);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Tip tip = tipAt(*widget, help->pos());
    if (tip.text.isEmpty()) return false; // widgets that paint what they show find their own
    QToolTip::showText(help->globalPos(), safe(tip.text), widget, tip.about, widget->toolTipDuration());
    event->accept();
    return true;
}

} // namespace dynascope::views
