// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/plugins.h"

#include "core/base/own_program.h"
#include "core/engine/replay/cuda_loader.h"
#include "core/ir/empty_like.h"
#include "core/ir/text.h"
#include "core/passes/rename_inputs.h"
#include "plugins/dynascope_plugin.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <torch/headeronly/version.h>
#include <unistd.h>
#include <unordered_map>

/// What a plugin's pass sees as its graph.
struct DynascopeGraph {
    struct Rewritten {
        dynascope::ir::Node node;
        std::string why;
    };
    struct Removed {
        std::uint32_t replacement = DYNASCOPE_NO_NODE;
        std::string why;
    };
    const dynascope::ir::Graph& graph;
    const dynascope::passes::PassContext& context;
    std::vector<std::string> args, kwargs; ///< as text, made before the pass runs
    std::unordered_map<std::uint32_t, Rewritten> rewritten;
    std::unordered_map<std::uint32_t, Removed> removed;
    std::optional<std::string> failure;
};

namespace dynascope::engine {

namespace {

namespace fs = std::filesystem;
using ir::NodeIndex;
using passes::PassError;
using passes::PassState;
using passes::Step;

/// "message", or that something else was thrown.
std::string thrownText(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return std::string("it threw: ") + error.what();
    } catch (...) {
        return "it threw something that is no exception";
    }
    return {};
}

// ---- The host's functions

bool known(const DynascopeGraph* graph, std::uint32_t node) {
    return node < graph->graph.size();
}
std::string textOf(const char* text) {
    return text ? text : "";
}

std::uint32_t nodeCount(const DynascopeGraph* graph) {
    return static_cast<std::uint32_t>(graph->graph.size());
}
const char* nodeName(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? graph->graph.node(node).name.c_str() : "";
}
const char* nodeOp(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? ir::opName(graph->graph.node(node).op).data() : "";
}
const char* nodeTarget(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? graph->graph.node(node).target.c_str() : "";
}
const char* nodeArgs(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? graph->args[node].c_str() : "";
}
const char* nodeKwargs(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? graph->kwargs[node].c_str() : "";
}
std::uint32_t inputCount(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? static_cast<std::uint32_t>(graph->graph.inputs(node).size()) : 0;
}
std::uint32_t inputOf(const DynascopeGraph* graph, std::uint32_t node, std::uint32_t index) {
    return index < inputCount(graph, node) ? graph->graph.inputs(node)[index] : DYNASCOPE_NO_NODE;
}
std::uint32_t userCount(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) ? static_cast<std::uint32_t>(graph->graph.users(node).size()) : 0;
}
std::uint32_t userOf(const DynascopeGraph* graph, std::uint32_t node, std::uint32_t index) {
    return index < userCount(graph, node) ? graph->graph.users(node)[index] : DYNASCOPE_NO_NODE;
}
int isPure(const DynascopeGraph* graph, std::uint32_t node) {
    return known(graph, node) && graph->context.effects(graph->graph.node(node)).pure() ? 1 : 0;
}

void fail(DynascopeGraph* graph, const char* message) {
    if (!graph->failure) graph->failure = textOf(message);
}

void rewrite(DynascopeGraph* graph, std::uint32_t node, const char* target, const char* args,
             const char* kwargs, const char* why) {
    if (!known(graph, node)) return fail(graph, "it rewrites a node that is not there");
    const ir::Node& source = graph->graph.node(node);
    // One node of graph text is read by the reader of graph text.
    const std::string line =
        "graph():\n    %" + source.name + " : [num_users=0] = " + std::string(ir::opName(source.op)) +
        "[target=" + textOf(target) + "](args = " + textOf(args) + ", kwargs = " + textOf(kwargs) + ")\n";
    const Result<ir::GraphPtr> read = ir::readGraph(line);
    if (!read || (*read)->size() != 1)
        return fail(graph, ("it rewrites '" + source.name + "' as what is no node").c_str());
    ir::Node made = (*read)->node(0);
    made.meta = source.meta;
    made.stack = source.stack;
    made.note = source.note;
    graph->rewritten[node] = {std::move(made), textOf(why)};
}

void removeNode(DynascopeGraph* graph, std::uint32_t node, std::uint32_t replacement, const char* why) {
    if (!known(graph, node)) return fail(graph, "it removes a node that is not there");
    if (replacement != DYNASCOPE_NO_NODE && replacement >= node)
        return fail(graph, "a removed node's replacement has to come before it");
    graph->removed[node] = {replacement, textOf(why)};
}

constexpr DynascopeHost host{DYNASCOPE_PLUGIN_ABI,
                             &nodeCount,
                             &nodeName,
                             &nodeOp,
                             &nodeTarget,
                             &nodeArgs,
                             &nodeKwargs,
                             &inputCount,
                             &inputOf,
                             &userCount,
                             &userOf,
                             &isPure,
                             &rewrite,
                             &removeNode,
                             &fail};

// ---- The pass

std::string argsText(const ir::Node& node) {
    return ir::Argument::tuple(node.args).toString("%");
}

std::string kwargsText(const ir::Node& node) {
    std::string out = "{";
    for (const auto& [key, argument] : node.kwargs)
        out += (out.size() > 1 ? ", " : "") + key + ": " + argument.toString("%");
    return out + '}';
}

class PluginPass final : public passes::Pass {
public:
    PluginPass(const DynascopePass& pass, std::shared_ptr<void> library)
        : m_name(pass.name)
        , m_description(textOf(pass.description))
        , m_run(pass.run)
        , m_library(std::move(library)) {}

    [[nodiscard]] std::string_view name() const override { return m_name; }
    [[nodiscard]] std::string_view description() const override { return m_description; }

    [[nodiscard]] passes::PassResult<PassState> run(const PassState& source,
                                                    const passes::PassContext& context,
                                                    passes::PassObserver& observer) const override {
        DynascopeGraph graph{*source.graph, context, {}, {}, {}, {}, {}};
        for (const ir::NodePtr& node : source.graph->nodes()) {
            graph.args.push_back(argsText(*node));
            graph.kwargs.push_back(kwargsText(*node));
        }
        std::string problem = thrownText([&] { m_run(&graph, &host); });
        if (problem.empty() && graph.failure) problem = *graph.failure;
        if (!problem.empty()) return tl::unexpected(PassError{std::move(problem), ir::npos, false, {}});
        return build(source, graph, observer);
    }

private:
    static passes::PassResult<PassState> build(const PassState& source, const DynascopeGraph& graph,
                                               passes::PassObserver& observer) {
        const ir::Graph& before = *source.graph;
        ir::GraphBuilder builder = ir::emptyLike(before);
        passes::NewNames names;
        std::vector<NodeIndex> after(before.size(), ir::npos);
        for (NodeIndex i = 0; i < before.size(); ++i) {
            Step step;
            step.source = i;
            if (const auto gone = graph.removed.find(i); gone != graph.removed.end()) {
                const std::uint32_t to = gone->second.replacement;
                if (to == DYNASCOPE_NO_NODE &&
                    std::any_of(before.users(i).begin(), before.users(i).end(),
                                [&](NodeIndex user) { return !graph.removed.contains(user); }))
                    return tl::unexpected(PassError{
                        "it removes '" + before.node(i).name + "', which is still read", i, false, {}});
                if (to != DYNASCOPE_NO_NODE) {
                    const auto further = names.find(before.node(to).name);
                    names[before.node(i).name] =
                        further == names.end() ? before.node(to).name : further->second;
                    after[i] = after[to];
                }
                step.why = gone->second.why;
                step.removed.push_back({i, after[i], step.why});
            } else {
                after[i] = static_cast<NodeIndex>(builder.size());
                addNode(before, i, graph, names, builder, step);
            }
            step.end = static_cast<NodeIndex>(builder.size());
            observer.onStep(std::move(step));
        }
        ir::GraphPtr result = builder.build();
        if (!result->missing().empty())
            return tl::unexpected(
                PassError{"its result reads '" + result->missing().front().second + "', which no node makes",
                          ir::npos,
                          false,
                          {}});
        return PassState{std::move(result), source.values, nullptr, {}};
    }

    static void addNode(const ir::Graph& before, NodeIndex i, const DynascopeGraph& graph,
                        const passes::NewNames& names, ir::GraphBuilder& builder, Step& step) {
        const auto rewritten = graph.rewritten.find(i);
        ir::Node node = rewritten == graph.rewritten.end() ? before.node(i) : rewritten->second.node;
        bool changed = rewritten != graph.rewritten.end();
        if (changed) step.why = rewritten->second.why;
        changed |= passes::renameInputs(node, names);
        if (changed && step.why.empty()) step.why = "reads a node in place of one that was removed";
        if (changed) {
            step.changed.push_back({i, static_cast<NodeIndex>(builder.size()), step.why});
            builder.add(std::move(node));
        } else {
            builder.add(before.nodes()[i]);
        }
    }

    std::string m_name, m_description;
    void (*m_run)(DynascopeGraph*, const DynascopeHost*);
    std::shared_ptr<void> m_library; ///< keeps the code loaded
};

/// Why a file or folder is not to be trusted with what runs in this process; empty: it is.
std::string distrust(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::strerror(errno);
    if (status.st_uid != ::geteuid() && status.st_uid != 0) return "it belongs to another user";
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others than its owner can write it";
    return {};
}

std::string ownerOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    if (const passwd* user = ::getpwuid(status.st_uid); user && user->pw_name) return user->pw_name;
    return std::to_string(status.st_uid);
}

/// Adds the plugin's passes to the registry and the report; gives the causes of those that it could not add.
std::vector<std::string> load(const std::string& path, passes::Registry& registry, PluginReport& report) {
    if (const std::string cause = distrust(path); !cause.empty()) return {"is not loaded: " + cause};
    const std::shared_ptr<void> library(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle) ::dlclose(handle);
    });
    if (!library) {
        std::string cause = textOf(::dlerror());
        if (cause.starts_with(path + ": ")) cause.erase(0, path.size() + 2);
        return {"cannot be loaded: " + cause};
    }
    using Entry = const DynascopePlugin* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(library.get(), "dynascope_plugin"));
    if (!entry) return {"is no plugin: it has no dynascope_plugin entry"};
    const DynascopePlugin* plugin = nullptr;
    if (const std::string problem = thrownText([&] { plugin = entry(); }); !problem.empty())
        return {"cannot start: " + problem};
    if (!plugin) return {"says that it cannot work here"};
    if (plugin->abi != DYNASCOPE_PLUGIN_ABI)
        return {"is built for plugin interface " + std::to_string(plugin->abi) + ", this engine has " +
                std::to_string(DYNASCOPE_PLUGIN_ABI)};
    report.torch = textOf(plugin->torch_version);
    if (plugin->torch_version && std::string_view(plugin->torch_version) != TORCH_VERSION)
        return {"is built for PyTorch " + textOf(plugin->torch_version) + ", this engine has " TORCH_VERSION};
    std::vector<std::string> problems;
    for (std::uint32_t i = 0; plugin->passes && i < plugin->pass_count; ++i) {
        const DynascopePass& pass = plugin->passes[i];
        if (!pass.name || !pass.run) {
            problems.emplace_back("has a pass without name or function");
            continue;
        }
        const auto added = registry.add(std::make_shared<PluginPass>(pass, library), path);
        if (added)
            report.passes.emplace_back(pass.name);
        else
            problems.push_back(added.error().message);
    }
    return problems;
}

} // namespace

std::vector<std::string> pluginFolders() {
    std::vector<std::string> folders;
    if (const fs::path own = ownPrefix(); !own.empty())
        folders.push_back(own / "lib" / "dynascope" / "plugins");
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (data && *data == '/') {
        folders.push_back(fs::path(data) / "dynascope" / "plugins");
    } else if (home && *home == '/') {
        folders.push_back(fs::path(home) / ".local" / "share" / "dynascope" / "plugins");
    }
    return folders;
}

std::vector<PluginReport> loadPlugins(const std::string& folder, passes::Registry& registry) {
    std::vector<std::string> paths;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (entry->path().extension() == ".so") paths.push_back(entry->path().string());
    std::sort(paths.begin(), paths.end());
    if (const std::string cause = paths.empty() ? std::string() : distrust(folder); !cause.empty())
        return {{folder, ownerOf(folder), {}, {}, {"no plugin is loaded from it: " + cause}}};
    std::vector<PluginReport> out;
    for (const std::string& path : paths) {
        PluginReport& report = out.emplace_back();
        report.path = path;
        report.owner = ownerOf(path);
        report.problems = load(path, registry, report);
    }
    return out;
}

wire::PluginsReply pluginList(std::vector<std::string> folders, const std::vector<PluginReport>& plugins) {
    wire::PluginsReply out;
    out.folders = std::move(folders);
    for (const PluginReport& plugin : plugins)
        out.plugins.push_back({plugin.path, fs::path(plugin.path).stem().string(), plugin.owner, plugin.torch,
                               plugin.passes, !plugin.passes.empty(), plugin.problems});
    const CudaPresence cuda = cudaPresence(cudaPluginPath());
    wire::BackendInfo& backend = out.backends.emplace_back();
    backend.path = cuda.plugin;
    backend.name = "cuda";
    backend.loaded = cuda.pluginProblem.empty();
    if (!backend.loaded) backend.problems.push_back(cuda.pluginProblem);
    return out;
}

} // namespace dynascope::engine
