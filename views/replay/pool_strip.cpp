// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/pool_strip.h"

#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int stripMargin = 12, stripBar = 16, stripText = 18;

bool hasBlock(const std::vector<replay::PoolBlock>& blocks, const replay::PoolBlock& block) {
    return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

} // namespace

PoolStrip::PoolStrip(TreeWalk& walk, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_walk(walk)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("private_pool"));
    setAccessibleName(tr("Pool"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_walk, &TreeWalk::moved, this, &PoolStrip::follow);
    connect(&m_theme, &Theme::changed, this, &PoolStrip::updateGeometry);
    follow();
}

const replay::StepMeasure* PoolStrip::measure(std::size_t before) const {
    const std::size_t position = m_walk.position();
    return m_walk.run() && position > before ? m_walk.run()->log().measure(position - before - 1) : nullptr;
}

void PoolStrip::follow() {
    if (m_run != m_walk.run().get()) {
        m_run = m_walk.run().get();
        m_looked = 0;
        m_begin = m_end = 0;
    }
    for (; m_walk.run() && m_looked < m_walk.run()->size(); ++m_looked) {
        const replay::StepMeasure* step = m_walk.run()->log().measure(m_looked);
        if (!step) break;
        for (const replay::PoolBlock& block : step->blocks) {
            m_begin = m_end == 0 ? block.address : std::min(m_begin, block.address);
            m_end = std::max(m_end, block.address + block.bytes);
        }
    }
    setVisible(m_walk.run() && m_walk.run()->log().measure(0));
    setAccessibleDescription(text());
    update();
}

QString PoolStrip::text() const {
    const replay::StepMeasure* now = measure(0);
    if (!now) return {};
    std::uint64_t bytes = 0;
    bool known = true;
    for (const replay::PoolBlock& block : now->blocks) {
        bytes += block.bytes;
        known = known && block.bytes > 0;
    }
    const QString blocks = countText(now->blocks.size(), tr("block"), tr("blocks"));
    return tr("pool of %1, %2").arg(bytesText(now->poolBytes), blocks) +
           (known && bytes > 0 ? tr(" that take %1").arg(bytesText(bytes)) : QString());
}

QSize PoolStrip::sizeHint() const {
    return {m_theme.scaled(300), m_theme.scaled(stripBar + stripText + 10)};
}

QRectF PoolStrip::rectOf(const replay::PoolBlock& block) const {
    if (m_end <= m_begin) return {};
    const int left = m_theme.scaled(stripMargin);
    const double room = std::max(1, width() - 2 * left);
    const double from = double(block.address - m_begin) / double(m_end - m_begin) * room;
    const double size = double(block.bytes) / double(m_end - m_begin) * room;
    return {left + from, double(m_theme.scaled(stripText)), std::max(1.5, size),
            double(m_theme.scaled(stripBar))};
}

void PoolStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.setPen(c.text2);
    const int left = m_theme.scaled(stripMargin);
    const QRect line(left, 0, width() - 2 * left, m_theme.scaled(stripText));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.fillRect(QRect(left, m_theme.scaled(stripText), width() - 2 * left, m_theme.scaled(stripBar)),
                     c.bg2);
    const replay::StepMeasure* now = measure(0);
    if (!now) return;
    const replay::StepMeasure* before = measure(1);
    static const std::vector<replay::PoolBlock> none;
    for (const replay::PoolBlock& block : now->blocks) {
        const QRectF at = rectOf(block);
        painter.fillRect(at, hasBlock(before ? before->blocks : none, block) ? c.text3 : c.accent);
        if (at.width() > 3) painter.fillRect(QRectF(at.right() - 1, at.top(), 1, at.height()), c.bg0);
    }
}

bool PoolStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const replay::StepMeasure* now = measure(0);
        QString tip =
            tr("Blocks that the allocator counts in the pool after this step, by address; those that it took "
               "are coloured. A replay asks for none: it writes where its recording did");
        if (now)
            for (const replay::PoolBlock& block : now->blocks)
                if (rectOf(block).contains(help->pos()))
                    tip = tr("block at %1, %2")
                              .arg(block.address)
                              .arg(block.bytes > 0 ? bytesText(block.bytes) : tr("size not known"));
        QToolTip::showText(help->globalPos(), plainToolTip(tip), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace dynascope::views
