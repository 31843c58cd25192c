// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

QColor hex(unsigned rgb) {
    return QColor::fromRgb(static_cast<QRgb>(0xff000000U | rgb));
}

struct DiffTable {
    DiffColours added, removed, changed, moved;
};

DiffTable diffTable(bool dark) {
    if (dark) {
        return {{hex(0x31B99B), hex(0x14312C), hex(0x1E5549)},
                {hex(0xF18966), hex(0x3A211A), hex(0x6A3524)},
                {hex(0xE0B341), hex(0x332B16), hex(0x5C4B1C)},
                {hex(0xDCCBFF), hex(0x2A2340), hex(0x2A2340)}};
    }
    return {{hex(0x0A715F), hex(0xDDF3ED), hex(0xABE0D3)},
            {hex(0x802300), hex(0xFCE8DF), hex(0xF6C3AC)},
            {hex(0x786200), hex(0xFCF4DC), hex(0xF0DB95)},
            {hex(0x4B2A8C), hex(0xEEE7FD), hex(0xEEE7FD)}};
}

} // namespace

Colours Theme::darkColours() {
    Colours c;
    c.bg0 = hex(0x121417);
    c.bg1 = hex(0x191C21);
    c.bg2 = hex(0x20242A);
    c.bg3 = hex(0x2A2F37);
    c.line = hex(0x2B3038);
    c.line2 = hex(0x3D444F);
    c.edge = hex(0x626C7A);
    c.text = hex(0xE4E7EC);
    c.text2 = hex(0xA4ACB9);
    c.text3 = hex(0x8F98A6);
    c.accent = hex(0x6EA8FF);
    c.accentBg = hex(0x1D3252);
    c.row = hex(0x233B60);
    c.dark = true;
    const DiffTable table = diffTable(true);
    c.added = table.added.line;
    c.removed = table.removed.line;
    c.changed = table.changed.line;
    return c;
}

Colours Theme::lightColours() {
    Colours c;
    c.bg0 = hex(0xF4F6F8);
    c.bg1 = hex(0xFFFFFF);
    c.bg2 = hex(0xF0F2F5);
    c.bg3 = hex(0xE5E9EE);
    c.line = hex(0xDEE2E8);
    c.line2 = hex(0xC1C8D2);
    c.edge = hex(0x97A1AF);
    c.text = hex(0x1A1E24);
    c.text2 = hex(0x525C6A);
    c.text3 = hex(0x606977);
    c.accent = hex(0x1D5FC8);
    c.accentBg = hex(0xDEEAFF);
    c.row = hex(0xD3E3FF);
    c.dark = false;
    const DiffTable table = diffTable(false);
    c.added = table.added.line;
    c.removed = table.removed.line;
    c.changed = table.changed.line;
    return c;
}

QColor Colours::heat(double share) const {
    const QColor ground = dark ? bg2 : bg1;
    const double part = 0.45 * std::sqrt(std::clamp(share, 0.0, 1.0));
    const auto mixed = [&](int from, int to) { return int(std::lround(from + (to - from) * part)); };
    const QColor& hot = changed;
    return {mixed(ground.red(), hot.red()), mixed(ground.green(), hot.green()),
            mixed(ground.blue(), hot.blue())};
}

QColor Colours::accentText() const {
    return accent;
}

QColor Colours::hint(bool selected) const {
    return selected ? text2 : text3;
}

DiffColours Colours::diff(diff::Change change) const {
    const DiffTable table = diffTable(dark);
    switch (change) {
    case diff::Change::Added:
        return table.added;
    case diff::Change::Removed:
        return table.removed;
    case diff::Change::Changed:
        return table.changed;
    case diff::Change::Moved:
        return table.moved;
    case diff::Change::Same:
    case diff::Change::Respelled:
        break;
    }
    return {text3, Qt::transparent, Qt::transparent};
}

QColor Colours::op(ir::OpKind kind) const {
    switch (kind) {
    case ir::OpKind::InputOutput:
        return hex(dark ? 0x9BA6B4 : 0x5B6574);
    case ir::OpKind::Parameter:
    case ir::OpKind::Linear:
        return hex(dark ? 0xC69E71 : 0x865B2B);
    case ir::OpKind::Compute:
        return hex(dark ? 0x929FF9 : 0x4656D4);
    case ir::OpKind::View:
        return hex(dark ? 0x56B4E9 : 0x14699F);
    case ir::OpKind::Write:
    case ir::OpKind::FunctionalWrite:
        return hex(dark ? 0xE388BC : 0xAA377C);
    case ir::OpKind::Factory:
        return hex(dark ? 0xB8C14A : 0x63690E);
    case ir::OpKind::HigherOrder:
        return hex(dark ? 0x5EC4C0 : 0x10706C);
    }
    return text3;
}

std::array<QColor, Colours::mutationCount> Colours::mutation() const {
    return {hex(dark ? 0x667080 : 0x5C6672), hex(dark ? 0x7CC4F2 : 0x2674B0), hex(dark ? 0x22A187 : 0x2BAE91),
            hex(dark ? 0xF0805A : 0xDB6A3C)};
}

std::array<QColor, Colours::memoryCount> Colours::memory() const {
    return {hex(dark ? 0x7CC4F2 : 0x2674B0), op(ir::OpKind::Compute), op(ir::OpKind::Parameter),
            op(ir::OpKind::Write), hex(dark ? 0x22A187 : 0x2BAE91)};
}

} // namespace dynascope::views
