// SPDX-License-Identifier: BSD-3-Clause
//
// Saving, reopening and comparing captures.
//
//   bench_session LOG [OTHER_LOG]
//   bench_session --notes LOG
//
// Prints medians of 9 runs and the size of the session file. Ends with 1 where reopening takes 0.3 s or more,
// or comparing the two logs 2 s or more; with --notes, where 1,000 notes make saving or opening 50 ms slower.
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/store/session_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

using namespace dynascope;

namespace {

double median(const std::function<void()>& work) {
    std::array<double, 9> seconds{};
    for (double& s : seconds) {
        const auto start = std::chrono::steady_clock::now();
        work();
        s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

template <typename T>
T need(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "%s\n", result.error().toString().c_str());
    std::exit(2);
}

/// A thousand notes at compiles and stages of the log.
int measureNotes(const std::string& log) {
    constexpr std::size_t count = 1000;
    const std::string file = (std::filesystem::temp_directory_path() / "bench_session.dynascope").string();
    const session::SessionPtr session = need(capture::open(log));
    if (session->compiles.empty()) return 2;
    store::SessionContents bare;
    bare.inputs = session->inputs;
    store::SessionContents noted = bare;
    for (std::size_t i = 0; i < count; ++i) {
        const session::Compile& compile = session->compiles[i % session->compiles.size()];
        store::Note note;
        note.address = {compile.rank, compile.id.toString(), 0, "stage", static_cast<int>(i), {}};
        note.text = "note " + std::to_string(i) + ": look here again, where the strides differ";
        note.changed = 1795226875 + static_cast<std::int64_t>(i);
        noted.notes.push_back(std::move(note));
    }
    const auto row = [](const char* name, double without, double with) {
        std::printf("%-8s %8.1f ms without notes, %8.1f ms with 1,000\n", name, without * 1e3, with * 1e3);
        return with - without < 0.05;
    };
    const auto saving = [&](store::SessionContents& contents) {
        return median([&] {
            contents.captureId.clear();
            need(store::saveSession(file, contents));
        });
    };
    const auto opening = [&] { return median([&] { need(capture::openSaved(file)); }); };
    const double savingBare = saving(bare), openingBare = opening();
    const double savingNoted = saving(noted), openingNoted = opening();
    const bool whole = need(capture::openSaved(file)).saved->notes.size() == count;
    bool good = row("save", savingBare, savingNoted);
    good &= row("open", openingBare, openingNoted);
    std::filesystem::remove(file);
    return good && whole ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--notes") return measureNotes(argv[2]);
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_session LOG [OTHER_LOG]\n");
        return 2;
    }
    const std::string log = argv[1];
    const std::string file = (std::filesystem::temp_directory_path() / "bench_session.dynascope").string();
    store::SessionContents contents;
    contents.inputs = need(capture::open(log))->inputs;
    bool good = true;

    const double opening = median([&] { need(capture::open(log)); });
    const double saving = median([&] {
        contents.captureId.clear();
        need(store::saveSession(file, contents));
    });
    contents.captureId = need(store::saveSession(file, contents));
    const double again = median([&] { need(store::saveSession(file, contents)); });
    const double reopening = median([&] { need(capture::openSaved(file)); });
    good &= reopening < 0.3;
    std::printf("log            %12ju bytes\n", std::uintmax_t{std::filesystem::file_size(log)});
    std::printf("session file   %12ju bytes\n", std::uintmax_t{std::filesystem::file_size(file)});
    std::printf("open the log   %12.1f ms\n", opening * 1e3);
    std::printf("save           %12.1f ms\n", saving * 1e3);
    std::printf("save again     %12.1f ms\n", again * 1e3);
    std::printf("reopen         %12.1f ms\n", reopening * 1e3);
    std::filesystem::remove(file);
    if (argc > 2) {
        // Graphs are read once a session: from the files on, as a user waits for it.
        const auto compareAll = [&] {
            const auto a = need(capture::open(argv[1])), b = need(capture::open(argv[2]));
            need(compare::compareSessions(*a, *b));
        };
        const double comparing = median(compareAll);
        good &= comparing < 2;
        std::printf("compare        %12.1f ms, both opened\n", comparing * 1e3);
    }
    return good ? 0 : 1;
}
