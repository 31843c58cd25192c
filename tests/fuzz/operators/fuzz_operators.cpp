// SPDX-License-Identifier: BSD-3-Clause
//
// fuzz_operators [--op NAME[.OVERLOAD]] [--seed N] [--first N] [--count N] [--seconds N] [--calls FILE]
//                [--list] [--silent]
//
// Calls every operator that a graph may call with arguments that lie, as the engine would call it: what its
// check refuses or LibTorch throws is fine. A signal, a view beyond its storage or a call of more than three
// seconds is a finding, printed with its seed and arguments; --op NAME --seed N makes that call again in this
// process. --op also takes operators that are refused or not classed. Each overload gets --count seeds (64)
// from --first (0); with --seconds rounds of further seeds follow until the time is up. Exit status 1 where
// something was found that is not slow only.
// --list names the overloads, --silent those none of whose calls returned.
#include "core/engine/collectives/mirror_groups.h"
#include "core/engine/sandbox/allow_list.h"
#include "core/engine/sandbox/argument_checks.h"
#include "tests/fuzz/operators/guarded_memory.h"
#include "tests/fuzz/operators/hostile.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dynascope;
using fuzz::Recipe;

namespace {

constexpr unsigned secondsPerCall = 3;
constexpr std::size_t memoryPerChild = std::size_t{1} << 30; // beyond what the process has
constexpr int beyondStorage = 77;                            // exit status of a child
constexpr int mostFrames = 24;

constexpr std::size_t mostOverloads = 8192;
constexpr std::size_t overloadsPerChild = 64; // a fork costs as much as some ten calls

/// What a child tells its parent, in memory of both.
struct Shared {
    /// The number of the call: its overload's times the seeds of each, plus its seed's
    std::uint64_t job = 0;
    std::uint64_t calls = 0;
    std::uint32_t returned[mostOverloads] = {}; ///< calls, by overload
    void* address = nullptr;
    int frameCount = 0;
    void* frames[mostFrames] = {};
};
Shared* shared = nullptr;

extern "C" void onSignal(int number, siginfo_t* info, void*) {
    shared->address = info->si_addr;
    shared->frameCount = ::backtrace(shared->frames, mostFrames);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

void watchSignals() {
    static char stack[1 << 16];
    const stack_t alternate{stack, 0, sizeof stack};
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_sigaction = &onSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM})
        ::sigaction(number, &action, nullptr);
}

/// The innermost functions of LibTorch on the stack.
std::string whereItDied() {
    std::string out;
    int told = 0;
    for (int i = 0; i < shared->frameCount && told < 4; ++i) {
        Dl_info info{};
        if (!::dladdr(shared->frames[i], &info) || !info.dli_sname) continue;
        int status = 0;
        char* const plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
        std::string name = plain ? plain : info.dli_sname;
        std::free(plain);
        if (name == "onSignal" || name.starts_with("__restore") || name.starts_with("gsignal") ||
            name == "abort")
            continue;
        if (const std::size_t open = name.find('('); open != std::string::npos) name.resize(open);
        if (name.find("wrap_kernel_functor") != std::string::npos ||
            name.find("c10::Dispatcher") != std::string::npos || name.find("c10::impl") != std::string::npos)
            continue;
        out += (told++ ? " < " : "") + name.substr(0, 110);
    }
    return out;
}

bool liesWithin(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.layout() != at::kStrided || !tensor.has_storage() || tensor.is_meta() ||
        tensor.numel() == 0)
        return true;
    __int128 first = tensor.storage_offset(), last = first;
    for (std::int64_t i = 0; i < tensor.dim(); ++i) {
        const __int128 reach = static_cast<__int128>(tensor.size(i) - 1) * tensor.stride(i);
        (reach < 0 ? first : last) += reach;
    }
    return first >= 0 && (last + 1) * static_cast<__int128>(tensor.element_size()) <=
                             static_cast<__int128>(tensor.storage().nbytes());
}

bool liesWithin(const c10::IValue& value) {
    if (value.isTensor()) return liesWithin(value.toTensor());
    if (!value.isTensorList()) return true;
    for (const at::Tensor& tensor : value.toTensorVector())
        if (!liesWithin(tensor)) return false;
    return true;
}

struct Options {
    std::string op, calls = DYNASCOPE_OPERATOR_CALLS;
    std::optional<std::uint64_t> seed;
    std::uint64_t first = 0, count = 64;
    double seconds = 0;
    bool list = false, silent = false;
};

std::string nameOf(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    return name.name + '.' + (name.overload_name.empty() ? "default" : name.overload_name);
}

/// Every overload that a graph may name, in order.
std::vector<c10::OperatorHandle> allowedOperators(const std::string& only) {
    std::vector<c10::OperatorHandle> out;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const std::size_t colons = name.name.find("::");
        const std::string space = name.name.substr(0, colons), op = name.name.substr(colons + 2);
        const auto handle = dispatcher.findSchema(name);
        const bool collective = space.starts_with("_c10d_functional") || space == "_dtensor";
        if ((space != "aten" && space != "prims" && !collective) || !handle) continue;
        const std::string whole = nameOf(*handle);
        if (!only.empty() && only != whole && only != name.name && only != op && space + "::" + only != whole)
            continue;
        if (only.empty() && engine::judgeOperator(space, op).obstacle != engine::Obstacle::None) continue;
        out.push_back(*handle);
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return nameOf(a) < nameOf(b); });
    return out;
}

std::string textOf(const c10::OperatorHandle& op, const std::vector<Recipe>& call) {
    std::string out;
    for (std::size_t i = 0; i < call.size(); ++i)
        out += (i ? ", " : "") + op.schema().arguments()[i].name() + '=' + call[i].toString();
    return out;
}

/// False where a view reaches beyond its storage.
bool callOnce(const c10::OperatorHandle& op, const fuzz::KnownCalls& known, std::uint64_t seed,
              std::uint32_t& returned, std::string* why) {
    ++shared->calls;
    fuzz::setFlush(seed % 4 == 3 ? fuzz::Flush::Begin : fuzz::Flush::End);
    at::manual_seed(0);
    try {
        const std::vector<Recipe> call = fuzz::hostileCall(op.schema(), known, seed);
        std::vector<c10::IValue> arguments;
        for (std::size_t i = 0; i < call.size(); ++i)
            arguments.push_back(fuzz::make(call[i], op.schema().arguments()[i], arguments));
        torch::jit::Stack stack(arguments.begin(), arguments.end());
        engine::callChecked(op, stack);
        ++returned;
        const auto within = [](const c10::IValue& value) { return liesWithin(value); };
        return std::all_of(stack.begin(), stack.end(), within) &&
               std::all_of(arguments.begin(), arguments.end(), within);
    } catch (const c10::Error& error) {
        if (why) *why = error.what_without_backtrace();
    } catch (const std::exception& error) {
        if (why) *why = error.what();
    }
    return true;
}

/// One round: seeds from `first` for each of `operators`.
struct Round {
    const std::vector<c10::OperatorHandle>& operators;
    const fuzz::KnownCalls& known;
    std::uint64_t first, count;

    [[nodiscard]] std::size_t overload(std::uint64_t job) const {
        return static_cast<std::size_t>(job / count);
    }
    [[nodiscard]] std::uint64_t seed(std::uint64_t job) const { return first + job % count; }
};

/// The calls from number `next` up to `end`; ends the process.
[[noreturn]] void runChild(const Round& round, std::uint64_t next, std::uint64_t end) {
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) ::_exit(2);
    std::size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    const rlimit memory{pages * 4096 + memoryPerChild, pages * 4096 + memoryPerChild};
    ::setrlimit(RLIMIT_AS, &memory);
    watchSignals();
    for (; next < end; ++next) {
        shared->job = next;
        ::alarm(secondsPerCall);
        const std::size_t i = round.overload(next);
        if (!callOnce(round.operators[i], round.known, round.seed(next), shared->returned[i], nullptr))
            ::_exit(beyondStorage);
    }
    ::_exit(0);
}

struct Tally {
    std::uint64_t calls = 0, returned = 0, findings = 0, slow = 0;
    std::set<std::string> operators; ///< with findings
};

void tell(const Round& round, int status, Tally& tally) {
    const c10::OperatorHandle& op = round.operators[round.overload(shared->job)];
    const std::uint64_t seed = round.seed(shared->job);
    const bool signalled = WIFSIGNALED(status);
    const bool slow = signalled && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL);
    ++(slow ? tally.slow : tally.findings);
    if (!slow) tally.operators.insert(op.operator_name().name);
    const std::string what = signalled ? ::strsignal(WTERMSIG(status))
                             : WEXITSTATUS(status) == beyondStorage
                                 ? "a view beyond its storage"
                                 : "exit status " + std::to_string(WEXITSTATUS(status));
    std::printf("%s --op %s --seed %llu: %s at %p in %s; %s\n", slow ? "slow" : "FOUND", nameOf(op).c_str(),
                static_cast<unsigned long long>(seed), what.c_str(), shared->address, whereItDied().c_str(),
                textOf(op, fuzz::hostileCall(op.schema(), round.known, seed)).c_str());
    std::fflush(stdout);
}

/// The overloads from `begin` up to `end`, in a child, and in another one after each that died.
void fuzzOverloads(const Round& round, std::size_t begin, std::size_t end, Tally& tally) {
    constexpr int mostFindings = 4; // of an overload in a round
    int found = 0;
    std::uint64_t next = begin * round.count;
    const std::uint64_t last = end * round.count;
    while (next < last) {
        shared->frameCount = 0;
        shared->address = nullptr;
        const pid_t child = ::fork();
        if (child == 0) runChild(round, next, last);
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) < 0) throw std::runtime_error("no child can be made");
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        tell(round, status, tally);
        found = round.overload(next) == round.overload(shared->job) ? found + 1 : 1;
        next = found < mostFindings ? shared->job + 1 : (round.overload(shared->job) + 1) * round.count;
    }
}

std::optional<Options> parse(int argc, char** argv) {
    Options out;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--list" || option == "--silent") {
            (option == "--list" ? out.list : out.silent) = true;
            continue;
        }
        if (++i == argc) return std::nullopt;
        if (option == "--op") {
            out.op = argv[i];
        } else if (option == "--calls") {
            out.calls = argv[i];
        } else if (option == "--seed") {
            out.seed = std::strtoull(argv[i], nullptr, 10);
        } else if (option == "--first") {
            out.first = std::strtoull(argv[i], nullptr, 10);
        } else if (option == "--count") {
            out.count = std::strtoull(argv[i], nullptr, 10);
        } else if (option == "--seconds") {
            out.seconds = std::strtod(argv[i], nullptr);
        } else {
            return std::nullopt;
        }
    }
    return out;
}

int callAgain(const std::vector<c10::OperatorHandle>& operators, const fuzz::KnownCalls& known,
              std::uint64_t seed) {
    bool within = true;
    for (const c10::OperatorHandle& op : operators) {
        std::printf("%s(%s)\n", nameOf(op).c_str(),
                    textOf(op, fuzz::hostileCall(op.schema(), known, seed)).c_str());
        std::fflush(stdout);
        std::string why = "returned";
        std::uint32_t returned = 0;
        const bool here = callOnce(op, known, seed, returned, &why);
        std::printf("  %s\n", here ? why.c_str() : "a view beyond its storage");
        within = within && here;
    }
    return within ? 0 : 1;
}

int run(const Options& options) {
    using Clock = std::chrono::steady_clock;
    const fuzz::KnownCalls known = fuzz::readCalls(options.calls);
    const std::vector<c10::OperatorHandle> operators = allowedOperators(options.op);
    if (options.list) {
        for (const c10::OperatorHandle& op : operators)
            std::printf("%s\n", nameOf(op).c_str());
        return 0;
    }
    if (operators.empty()) {
        std::fprintf(stderr, "fuzz_operators: no such operator is allowed: %s\n", options.op.c_str());
        return 2;
    }
    if (options.seed) return callAgain(operators, known, *options.seed);
    if (operators.size() > mostOverloads) return 2;
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    Tally tally;
    std::uint64_t first = options.first;
    for (bool again = true; again; first += options.count) {
        const Round round{operators, known, first, options.count};
        for (std::size_t begin = 0; begin < operators.size() && again; begin += overloadsPerChild) {
            fuzzOverloads(round, begin, std::min(begin + overloadsPerChild, operators.size()), tally);
            again = options.seconds == 0 || Clock::now() < end;
        }
        again = again && options.seconds > 0;
    }
    std::size_t silent = 0;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        tally.returned += shared->returned[i];
        if (shared->returned[i] > 0) continue;
        if (options.silent) std::printf("never returned: %s\n", nameOf(operators[i]).c_str());
        ++silent;
    }
    std::printf("%zu overloads (%zu never returned), seeds %llu to %llu: %llu calls, of which %llu returned; "
                "%llu findings in "
                "%zu operators, %llu slow\n",
                operators.size(), silent, static_cast<unsigned long long>(options.first),
                static_cast<unsigned long long>(first - 1), static_cast<unsigned long long>(shared->calls),
                static_cast<unsigned long long>(tally.returned),
                static_cast<unsigned long long>(tally.findings), tally.operators.size(),
                static_cast<unsigned long long>(tally.slow));
    return tally.findings > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = parse(argc, argv);
    if (!options) {
        std::fputs(
            "usage: fuzz_operators [--op NAME[.OVERLOAD]] [--seed N] [--first N] [--count N] [--seconds N] "
            "[--calls FILE] [--list] [--silent]\n",
            stderr);
        return 2;
    }
    shared = static_cast<Shared*>(
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared == MAP_FAILED) return 2;
    void* frames[2];
    ::backtrace(frames, 2); // loads what a signal handler must not
    at::set_num_threads(1);
    fuzz::guardTensorMemory();
    const dynascope::ranks::GroupUse world{"0", 2};
    engine::enterMirrorGroups({&world, 1});
    try {
        return run(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz_operators: %s\n", error.what());
        return 2;
    }
}
