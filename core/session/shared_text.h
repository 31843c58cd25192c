// SPDX-License-Identifier: BSD-3-Clause
//
// A text that many values have in common, kept once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dynascope::session {

/// An immutable text; copies share it. Thread-safe as a shared_ptr is.
class SharedText {
public:
    SharedText() = default;
    SharedText(std::string text) // NOLINT(google-explicit-constructor): is a text
        : m_text(std::make_shared<const std::string>(std::move(text))) {}
    SharedText(std::string_view text) // NOLINT(google-explicit-constructor)
        : SharedText(std::string(text)) {}
    SharedText(const char* text) // NOLINT(google-explicit-constructor)
        : SharedText(std::string(text)) {}

    [[nodiscard]] const std::string& str() const {
        static const std::string none;
        return m_text ? *m_text : none;
    }
    operator const std::string&() const { return str(); } // NOLINT(google-explicit-constructor)
    [[nodiscard]] bool empty() const { return str().empty(); }

    friend bool operator==(const SharedText& a, const SharedText& b) { return a.str() == b.str(); }
    friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }

private:
    std::shared_ptr<const std::string> m_text;
};

} // namespace dynascope::session
