// SPDX-License-Identifier: BSD-3-Clause
//
// What rooms above this one read of a capture, and the session keeps for them without knowing what it is.
#pragma once

#include <memory>
#include <vector>

namespace dynascope::session {

/// Base of what can be kept. Immutable once a session holds it.
struct Attachment {
    virtual ~Attachment() = default;
};
using AttachmentPtr = std::shared_ptr<const Attachment>;

/// As what it is; null where it is none, or another class.
template <typename T>
[[nodiscard]] std::shared_ptr<const T> attachedAs(const AttachmentPtr& attachment) {
    return std::dynamic_pointer_cast<const T>(attachment);
}

/// Those of one class, in their order.
template <typename T>
[[nodiscard]] std::vector<std::shared_ptr<const T>> attachedAs(const std::vector<AttachmentPtr>& list) {
    std::vector<std::shared_ptr<const T>> out;
    for (const AttachmentPtr& attachment : list)
        if (auto found = attachedAs<T>(attachment)) out.push_back(std::move(found));
    return out;
}

} // namespace dynascope::session
