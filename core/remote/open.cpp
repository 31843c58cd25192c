// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/open.h"

#include "core/capture/follow.h"
#include "core/remote/host.h"

#include <utility>

namespace dynascope::remote {

namespace {

Result<session::Inputs> inputsThere(const std::string& path, std::vector<session::Warning>& unusable,
                                    const TaskContext& task) {
    const Result<std::shared_ptr<Host>> host = Host::open(path, task);
    if (!host) return tl::unexpected(host.error());
    const OpenReply& opened = (*host)->opened();
    session::Inputs inputs{path, opened.isFolder, {}};
    for (const RemoteWarning& warning : opened.unusable)
        unusable.push_back({Error{warning.message, warning.file}, SIZE_MAX});
    for (std::size_t i = 0; i < opened.files.size(); ++i) {
        Result<session::ByteSourcePtr> file = (*host)->file(i, task);
        if (!file) return tl::unexpected(file.error());
        inputs.files.push_back({opened.files[i].name, std::move(*file)});
    }
    return inputs;
}

} // namespace

Result<capture::Opened> openSaved(const std::string& path, const TaskContext& task,
                                  const capture::OpenOptions& options) {
    if (!isAddress(path)) return capture::openSaved(path, task, options);
    std::vector<session::Warning> unusable;
    Result<session::Inputs> inputs = inputsThere(path, unusable, task);
    if (!inputs) return tl::unexpected(inputs.error());
    return capture::openSavedInputs(std::move(*inputs), std::move(unusable), task, options);
}

Result<session::SessionPtr> readAgain(const session::Session& before, const TaskContext& task) {
    if (!isAddress(before.inputs.path)) return capture::readAgain(before, capture::Again::Whole, task);
    std::vector<session::Warning> unusable;
    Result<session::Inputs> now = inputsThere(before.inputs.path, unusable, task);
    if (!now) return tl::unexpected(now.error());
    return capture::readAgain(before, std::move(*now), unusable, task);
}

Result<session::SessionPtr> open(const std::string& path, const TaskContext& task,
                                 const capture::OpenOptions& options) {
    return remote::openSaved(path, task, options).map([](capture::Opened&& both) {
        return std::move(both.session);
    });
}

} // namespace dynascope::remote
