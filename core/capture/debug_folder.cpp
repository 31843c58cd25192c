// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/debug_folder.h"

#include "core/capture/dot_graph.h"
#include "core/capture/log_folder.h"
#include "core/capture/trace_reader.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;
using session::Phase;

/// Files of a model's folder and what TORCH_TRACE calls their contents.
struct KnownFile {
    std::string_view file, name;
};
constexpr std::array<KnownFile, 10> knownFiles = {{
    {"fx_graph_readable.py", "before_post_grad_graph"},
    {"fx_graph_transformed.py", "inductor_post_grad_graph"},
    {"fx_graph_runnable.py", "fx_graph_runnable"},
    {"ir_pre_fusion.txt", ""},
    {"ir_post_fusion.txt", ""},
    {"output_code.py", "inductor_output_code"},
    {"inductor_provenance_tracking_node_mappings.json", "inductor_provenance_tracking_node_mappings"},
    {"inductor_provenance_tracking_kernel_stack_traces.json",
     "inductor_provenance_tracking_kernel_stack_traces"},
    {"inductor_triton_kernel_to_post_grad_nodes.json", "inductor_triton_kernel_to_post_grad_nodes"},
    {"debug.log", ""},
}};

std::string_view fileName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}
std::string_view folderOf(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::optional<int> takeNumber(std::string_view& text) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || out < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return out;
}

/// "model__1_backward_4.2": the graph number of AOTAutograd, what it is, and its place in order.
struct Model {
    int aot = 0;
    std::string kind;
    int order = 0;
};
std::optional<Model> modelOf(std::string_view folder) {
    std::string_view name = fileName(folder);
    constexpr std::string_view prefix = "model__";
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    Model out;
    const std::optional<int> aot = takeNumber(name);
    if (!aot || !name.starts_with('_')) return std::nullopt;
    out.aot = *aot;
    name.remove_prefix(1);
    out.kind = name.substr(0, name.find('_'));
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
        name.remove_prefix(dot + 1);
        out.order = takeNumber(name).value_or(0);
    }
    return out;
}

/// "pass_12_remove_noop_ops_input_graph.dot": 12, "remove_noop_ops_input_graph".
struct DrawnPass {
    int number = 0;
    std::string stage;
};
std::optional<DrawnPass> drawnPassOf(std::string_view path) {
    std::string_view name = fileName(path);
    if (!name.ends_with(".dot")) return std::nullopt;
    name.remove_suffix(4);
    DrawnPass out;
    constexpr std::string_view prefix = "pass_";
    if (name.starts_with(prefix)) {
        std::string_view rest = name.substr(prefix.size());
        const std::optional<int> number = takeNumber(rest);
        if (number && rest.starts_with('_')) {
            out.number = *number;
            name = rest.substr(1);
        }
    }
    out.stage = name;
    return out;
}

bool isTraceLog(const DebugFile& file) {
    return file.path.ends_with(".log") && file.source && TraceReader::holdsRecord(file.source->bytes());
}

Phase phaseOfModel(const std::string& kind) {
    return kind == "backward" ? Phase::PostGradBackward : Phase::PostGradForward;
}

class FolderReader {
public:
    FolderReader(std::vector<DebugFile> files, std::string label)
        : m_files(std::move(files))
        , m_label(std::move(label))
        , m_reader({}) {}

    [[nodiscard]] Result<session::Session> run(const TaskContext& task) {
        std::stable_sort(m_files.begin(), m_files.end(), [](const DebugFile& a, const DebugFile& b) {
            return order(a.path) < order(b.path);
        });
        bool traced = false;
        for (const DebugFile& file : m_files) {
            if (!isTraceLog(file)) continue;
            traced = true;
            if (!m_reader.read(file.source, m_label + '/' + file.path, rankOfName(file.path), task))
                return cancellation();
        }
        for (const DebugFile& file : m_files) {
            if (task.cancelled()) return cancellation();
            if (file.source && !isTraceLog(file)) add(file, traced);
        }
        session::Session session = m_reader.finish();
        session.kind = session::Kind::DebugFolder;
        session.warnings.insert(session.warnings.end(), m_warnings.begin(), m_warnings.end());
        return session;
    }

private:
    /// By run, then model in order of compilation, then file in order of the pipeline, then pass.
    static std::tuple<std::string_view, int, std::string_view, std::size_t, int, std::string_view>
    order(std::string_view path) {
        const std::string_view folder = folderOf(path);
        const std::optional<Model> model = modelOf(folder);
        const auto known = std::find_if(knownFiles.begin(), knownFiles.end(),
                                        [&](const KnownFile& file) { return file.file == fileName(path); });
        const std::optional<DrawnPass> pass = drawnPassOf(path);
        return {model ? folderOf(folder) : folder,
                model ? model->order : -1,
                folder,
                static_cast<std::size_t>(known - knownFiles.begin()),
                pass ? pass->number : 0,
                fileName(path)};
    }

    /// Each run_* folder is one process's, and its name says no rank; what lies in none belongs to the first.
    int runOf(std::string_view path) {
        const std::size_t at = path.find("run_");
        if (at == std::string_view::npos) return 1;
        const std::string folder(path.substr(0, path.find('/', at)));
        const auto [found, isNew] = m_runs.try_emplace(folder, 0);
        if (isNew) found->second = m_reader.runs().begin(0, m_label + '/' + folder, 0);
        return found->second;
    }

    void add(const DebugFile& file, bool traced) {
        TraceReader::Addition item;
        session::Record& record = item.record;
        const std::string_view name = fileName(file.path);
        const auto known = std::find_if(knownFiles.begin(), knownFiles.end(),
                                        [&](const KnownFile& entry) { return entry.file == name; });
        const std::string_view bytes = file.source->bytes();
        record.line = 1;
        record.origin = file.path;
        record.known = true;
        record.payload = {file.source, 0, bytes.size(), false};
        record.header = record.payload;
        record.type = "file:" + std::string(name);
        if (!traced) record.compileId.run = runOf(file.path);
        m_reader.setFile(m_label + '/' + file.path);
        item.payloadLine = 1;

        if (const std::optional<DrawnPass> pass = drawnPassOf(file.path)) {
            const Result<ir::GraphPtr> graph = readDotGraph(bytes);
            if (graph) {
                // The drawing stays with the record; the stage has the text that every other one has.
                const std::string text = ir::printReadable(**graph).text;
                record.payload = {session::makeByteSource(text), 0, text.size(), false};
                item.name = pass->stage;
                item.phase = Phase::PostGradForward;
            } else {
                Error error = graph.error();
                error.file = m_label + '/' + file.path;
                m_warnings.push_back({std::move(error), m_reader.recordCount()});
            }
        } else if (const std::optional<Model> model = modelOf(folderOf(file.path)); model && !traced) {
            record.compileId.frame = model->aot;
            record.compileId.compile = 0;
            record.attempt = 0;
            if (known != knownFiles.end() && !known->name.empty()) {
                item.name = known->name;
                if (!stagePlace(item.name)) record.type = "artifact:" + item.name;
                if (item.name.ends_with("post_grad_graph")) item.phase = phaseOfModel(model->kind);
            }
        }
        m_reader.add(std::move(item));
    }

    std::vector<DebugFile> m_files;
    std::string m_label;
    TraceReader m_reader;
    std::map<std::string, int, std::less<>> m_runs;
    std::vector<session::Warning> m_warnings;
};

} // namespace

bool isDebugFile(std::string_view path) {
    const std::string_view name = fileName(path);
    return name.ends_with(".dot") || modelOf(folderOf(path)) || name.ends_with("debug.log") ||
           path.starts_with("tlparse/") || path.find("/tlparse/") != std::string_view::npos ||
           std::any_of(knownFiles.begin(), knownFiles.end(),
                       [&](const KnownFile& file) { return file.file == name && file.file != "debug.log"; });
}

std::vector<DebugFile> debugFiles(const std::string& folder, std::vector<session::Warning>& warnings) {
    constexpr int deepest = 5;
    constexpr std::size_t most = 5000;
    std::vector<DebugFile> out;
    std::error_code error;
    // A model's own folder is opened with its name, which says what it is.
    fs::path root = fs::path(folder).lexically_normal();
    if (!root.has_filename()) root = root.parent_path();
    const std::string prefix =
        modelOf(root.filename().string()) ? root.filename().string() + '/' : std::string();
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
        if (at.depth() >= deepest) at.disable_recursion_pending();
        std::error_code ignored;
        if (at->is_symlink(ignored) || !at->is_regular_file(ignored) || at->file_size(ignored) == 0) continue;
        std::string path = prefix + at->path().lexically_relative(root).generic_string();
        if (!isDebugFile(path)) continue;
        if (out.size() == most) {
            warnings.push_back(
                {Error{"only the first " + std::to_string(most) + " files are read", folder}, SIZE_MAX});
            break;
        }
        Result<session::ByteSourcePtr> source = session::openByteSource(at->path().string());
        if (source)
            out.push_back({std::move(path), std::move(*source)});
        else
            warnings.push_back({source.error(), SIZE_MAX});
    }
    return out;
}

Result<session::Session> readDebugFolder(std::vector<DebugFile> files, const std::string& label,
                                         const TaskContext& task) {
    return FolderReader(std::move(files), label).run(task);
}

} // namespace dynascope::capture
