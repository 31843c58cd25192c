// SPDX-License-Identifier: BSD-3-Clause
//
// Whether this is compiled with a sanitizer, by GCC or by clang, for what a sanitizer does not stand: limits on memory,
// processes that look into their parent, a thousand repetitions.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace dynascope {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool addressSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool addressSanitized = true;
#else
inline constexpr bool addressSanitized = false;
#endif
#else
inline constexpr bool addressSanitized = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool threadSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool threadSanitized = true;
#else
inline constexpr bool threadSanitized = false;
#endif
#else
inline constexpr bool threadSanitized = false;
#endif

/// For the thread sanitizer, which does not see the order that code makes which was not built with it, such as Qt's
/// queues: what happened before handOver() is over when another thread returns from takeOver() of the same address.
/// They order nothing by themselves, and are nothing without that sanitizer.
inline void handOver([[maybe_unused]] void* at) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(at);
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    __tsan_release(at);
#endif
#endif
}
inline void takeOver([[maybe_unused]] void* at) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(at);
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    __tsan_acquire(at);
#endif
#endif
}

} // namespace dynascope
