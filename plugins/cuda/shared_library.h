// SPDX-License-Identifier: BSD-3-Clause
//
// A library that is opened at run time, and tables of functions filled from it.
#pragma once

#include "core/base/result.h"

#include <dlfcn.h>
#include <memory>
#include <string>

namespace dynascope::cuda {

/// Stays open as long as a copy lives.
class SharedLibrary {
public:
    [[nodiscard]] static Result<SharedLibrary> open(const std::string& name) {
        SharedLibrary out;
        out.m_name = name;
        out.m_handle = std::shared_ptr<void>(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
            if (handle) ::dlclose(handle);
        });
        if (!out.m_handle) {
            const char* const why = ::dlerror();
            return failure(why ? why : name + " cannot be opened");
        }
        return out;
    }
    /// Null where the library has no such function.
    template <typename Function>
    [[nodiscard]] Function find(const char* name) const {
        return reinterpret_cast<Function>(::dlsym(m_handle.get(), name));
    }
    [[nodiscard]] const std::string& name() const { return m_name; }

private:
    std::shared_ptr<void> m_handle;
    std::string m_name;
};

/// Fills a table; remembers the first function that was not there.
class Symbols {
public:
    explicit Symbols(const SharedLibrary& library)
        : m_library(library) {}
    template <typename Function>
    void operator()(const char* name, Function& slot) {
        optional(name, slot);
        if (!slot && m_missing.empty()) m_missing = name;
    }
    template <typename Function>
    void optional(const char* name, Function& slot) {
        slot = m_library.find<Function>(name);
    }
    [[nodiscard]] Result<void> result() const {
        if (m_missing.empty()) return {};
        return failure(m_library.name() + " has no " + m_missing);
    }

private:
    const SharedLibrary& m_library;
    std::string m_missing;
};

} // namespace dynascope::cuda
