// SPDX-License-Identifier: BSD-3-Clause
//
// Where the reader is: what back and forward restore, and what a session file comes back to. What all pages
// share - capture, compile, stages, node - is here by name; where within a page the reader is, that page
// defines, and the workspace keeps it without knowing what it says.
#pragma once

#include "core/ir/graph.h"
#include "views/workspace/subject.h"

#include <map>
#include <memory>
#include <utility>

namespace dynascope::views {

struct OpenCapture;
struct Place;

enum class Side { A, B };

/// What the centre shows.
enum class Page {
    Welcome,
    Answers,
    Stages,
    Breaks,
    Recompiles,
    Functionalize,
    Memory,
    Compare,
    Replay,
    Autograd,
    Dynamo,
    Inductor,
    Profile,
    Ranks
};

/// A node, by the side whose stage holds it. Empty when `node` is ir::npos.
struct NodeSelection {
    Side side = Side::A;
    ir::NodeIndex node = ir::npos;
    [[nodiscard]] bool isEmpty() const { return node == ir::npos; }
    friend bool operator==(const NodeSelection&, const NodeSelection&) = default;
};

/// Where within pages the reader is: a value of a type of each page's own, which lasts while another page is
/// shown. Such a type T is compared with ==, `T{}` stands for no part of the page, and it has
///     static constexpr Page page;
///     void complete(const Place& place, const OpenCapture& capture); // what is not there becomes what is
///     void move(const OpenCapture& before, const OpenCapture& now);  // read again; may be left out
/// Copies share what they hold, which never changes. A value without a thread of its own.
class PagePlaces {
public:
    /// T{} where nothing is known.
    template <typename T>
    [[nodiscard]] T of() const {
        const auto at = m_held.find(T::page);
        const auto* own = at == m_held.end() ? nullptr : dynamic_cast<const Of<T>*>(at->second.get());
        return own ? own->value : T{};
    }
    template <typename T>
    void set(T value) {
        m_held[T::page] = std::make_shared<const Of<T>>(std::move(value));
    }
    [[nodiscard]] bool isEmpty() const { return m_held.empty(); }
    /// Begins in `page` where `starts` say, if nothing is known of it.
    void start(Page page, const PagePlaces& starts);
    /// Each as its page has it on that capture; those that say nothing go, so that equal places are equal.
    void complete(const Place& place, const OpenCapture& capture);
    /// Each as it is in what a capture was read again as.
    void move(const OpenCapture& before, const OpenCapture& now);
    friend bool operator==(const PagePlaces& a, const PagePlaces& b);

private:
    struct Held;
    using HeldPtr = std::shared_ptr<const Held>; ///< null for one that says nothing
    struct Held {
        Held() = default;
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        virtual ~Held() = default;
        [[nodiscard]] virtual bool equals(const Held& other) const = 0;
        [[nodiscard]] virtual HeldPtr completed(const Place& place, const OpenCapture& capture) const = 0;
        [[nodiscard]] virtual HeldPtr moved(const OpenCapture& before, const OpenCapture& now) const = 0;
    };
    template <typename T>
    struct Of final : Held {
        explicit Of(T held)
            : value(std::move(held)) {}
        [[nodiscard]] bool equals(const Held& other) const override {
            const auto* same = dynamic_cast<const Of*>(&other);
            return same && same->value == value;
        }
        [[nodiscard]] HeldPtr completed(const Place& place, const OpenCapture& capture) const override {
            T out = value;
            out.complete(place, capture);
            return out == T{} ? nullptr : std::make_shared<const Of>(std::move(out));
        }
        [[nodiscard]] HeldPtr moved(const OpenCapture& before, const OpenCapture& now) const override {
            T out = value;
            if constexpr (requires { out.move(before, now); }) out.move(before, now);
            return std::make_shared<const Of>(std::move(out));
        }
        T value;
    };
    std::map<Page, HeldPtr> m_held;
};

/// Indices are -1 for "none".
struct Place {
    int capture = -1; ///< into Workspace::captures()
    int compile = -1; ///< into Session::compiles
    int stageA = -1;  ///< as Workspace::stageAt counts
    int stageB = -1;
    Page page = Page::Welcome;
    NodeSelection node;
    /// What is asked about where that is not `node`: a line, or a node of a stage that is not on screen.
    Subject subject;
    int comparison = -1; ///< into Workspace::comparisons(), on Page::Compare only
    PagePlaces own;      ///< where within pages

    friend bool operator==(const Place&, const Place&) = default;
};

} // namespace dynascope::views
