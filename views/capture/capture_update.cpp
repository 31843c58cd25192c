// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of a capture that was read again: those that stay are the same rows, so that a view keeps what is
// selected and open.
#include "views/capture/capture_item.h"
#include "views/capture/capture_model.h"

#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace dynascope::views {

void CaptureModel::updateCapture(int capture) {
    if (capture < 0 || std::size_t(capture) >= m_root->children.size()) return; // not added yet
    std::unique_ptr<Item> fresh = buildCapture(capture);
    if (m_withFacets && m_withFacets->captureItem() == m_root->children[std::size_t(capture)].get()) {
        // What is known about the compile that is shown stands before the frames below it.
        Item* same = nullptr;
        const Place& place = m_workspace.place();
        if (place.capture == capture) same = fresh->find(place.compile);
        if (same && same->strong == m_withFacets->strong) {
            auto facets = buildFacets(*m_workspace.captures()[std::size_t(capture)].session,
                                      std::size_t(place.compile));
            for (auto& facet : facets)
                facet->parent = same;
            same->children.insert(same->children.begin(), std::make_move_iterator(facets.begin()),
                                  std::make_move_iterator(facets.end()));
        } else {
            Item* old = std::exchange(m_withFacets, nullptr);
            beginRemoveRows(indexOf(old), 0, m_facets - 1);
            old->children.erase(old->children.begin(), old->children.begin() + m_facets);
            m_facets = 0;
            endRemoveRows();
        }
    }
    const Item* const before = m_withFacets;
    merge(*m_root->children[std::size_t(capture)], *fresh, capture);
    if (before && m_withFacets == before)
        m_facets = int(std::count_if(before->children.begin(), before->children.end(),
                                     [](const auto& child) { return child->kind == Kind::Facet; }));
}

void CaptureModel::merge(Item& item, Item& fresh, int capture) {
    item.breakReasons = fresh.breakReasons;
    if (item.isWritten) write(fresh, capture); // else no view has asked for its texts yet
    const auto shown = [](const Item& i) {
        return std::tie(i.kind, i.compile, i.icon, i.tone, i.strong, i.chip, i.breakChip, i.detail, i.right,
                        i.panel, i.type, i.tip);
    };
    if (shown(item) != shown(fresh)) {
        item.compile = fresh.compile;
        for (auto part : {&Item::icon, &Item::tone, &Item::strong, &Item::chip, &Item::breakChip,
                          &Item::detail, &Item::right, &Item::type, &Item::tip})
            item.*part = fresh.*part;
        item.panel = fresh.panel;
        emit dataChanged(indexOf(&item), indexOf(&item));
    }
    std::map<QString, int> wanted; // by key: its place
    for (std::size_t i = 0; i < fresh.children.size(); ++i)
        wanted.emplace(fresh.children[i]->key(), int(i));
    // What is gone goes, and what stands in another order now, which a log that grows has none of.
    int last = -1;
    for (std::size_t i = 0; i < item.children.size();) {
        const auto at = wanted.find(item.children[i]->key());
        if (at != wanted.end() && at->second > last) {
            last = at->second;
            ++i;
            continue;
        }
        const Item* gone = item.children[i].get();
        for (const Item* above = m_withFacets; above; above = above->parent)
            if (above == gone) {
                m_withFacets = nullptr;
                m_facets = 0;
                break;
            }
        beginRemoveRows(indexOf(&item), int(i), int(i));
        item.children.erase(item.children.begin() + std::ptrdiff_t(i));
        endRemoveRows();
    }
    for (std::size_t i = 0; i < fresh.children.size(); ++i) {
        if (i < item.children.size() && item.children[i]->key() == fresh.children[i]->key()) {
            merge(*item.children[i], *fresh.children[i], capture);
            continue;
        }
        beginInsertRows(indexOf(&item), int(i), int(i));
        fresh.children[i]->parent = &item;
        item.children.insert(item.children.begin() + std::ptrdiff_t(i), std::move(fresh.children[i]));
        endInsertRows();
    }
}

} // namespace dynascope::views
