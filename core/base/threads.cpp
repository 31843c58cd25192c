// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/threads.h"

#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace dynascope {

void shareWork(std::size_t helpers, const std::function<void(const Sharer&)>& work) {
    std::atomic<bool> failed{false};
    std::vector<std::exception_ptr> errors(helpers + 1); // one each: no lock, and nothing to allocate
    const auto run = [&](std::size_t i) {
        try {
            work({i == 0, failed});
        } catch (...) {
            errors[i] = std::current_exception();
            failed = true;
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(helpers);
        for (std::size_t i = 1; i <= helpers; ++i) {
            try {
                threads.emplace_back(run, i);
            } catch (const std::system_error&) {
                break; // no thread can be had: those that run do all of it
            }
        }
        run(0);
    }
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

} // namespace dynascope
