// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/export_archive.h"

#include "core/capture/export_graph.h"
#include "core/capture/export_values.h"
#include "core/capture/graph_file.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

namespace dynascope::capture {

namespace {

using json::element;

constexpr std::size_t shownNumbers = 256;

/// "data/weights/weight_0" of "encoder/data/weights/weight_0": PyTorch puts everything below one folder.
std::string_view insideFolder(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::string_view lastPart(std::string_view name) {
    return name.substr(name.rfind('/') + 1);
}

bool isProgram(std::string_view name) {
    return name.ends_with(".json") && (name.find("models/") != std::string_view::npos ||
                                       lastPart(name) == "serialized_exported_program.json");
}

bool isConfig(std::string_view name) {
    return name.ends_with("weights_config.json") || name.ends_with("constants_config.json");
}

bool isText(std::string_view bytes) {
    return bytes.size() < 4096 && std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) {
               return c >= ' ' || c == '\n' || c == '\r' || c == '\t';
           });
}

template <typename T>
void appendNumbers(std::string& out, std::string_view bytes) {
    const std::size_t count = std::min(bytes.size() / sizeof(T), shownNumbers);
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        std::array<char, 40> buffer{};
        const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
        out.append(buffer.data(), end);
        out += (i + 1) % 8 == 0 ? '\n' : ' ';
    }
    if (bytes.size() / sizeof(T) > count) out += "...";
}

/// bfloat16 is the upper half of a float.
void appendBfloats(std::string& out, std::string_view bytes) {
    std::string wide;
    for (std::size_t i = 0; i + 1 < bytes.size() && wide.size() < 4 * (shownNumbers + 1); i += 2) {
        wide.append(2, '\0');
        wide.append(bytes.substr(i, 2));
    }
    appendNumbers<float>(out, wide);
}

/// The head of a tensor's data, as numbers where the dtype is one of C++.
std::string tensorText(const ir::TensorMeta& meta, const std::string& name, std::string_view bytes,
                       std::uint64_t size) {
    std::string out = name + ": " + meta.annotation() + ", " + std::to_string(size) + " bytes\n\n";
    if (size > 0 && bytes.empty()) return out + "Too large to be unpacked for a look.";
    if (meta.dtype == "f32")
        appendNumbers<float>(out, bytes);
    else if (meta.dtype == "f64")
        appendNumbers<double>(out, bytes);
    else if (meta.dtype == "i64")
        appendNumbers<std::int64_t>(out, bytes);
    else if (meta.dtype == "i32")
        appendNumbers<std::int32_t>(out, bytes);
    else if (meta.dtype == "i16")
        appendNumbers<std::int16_t>(out, bytes);
    else if (meta.dtype == "u8" || meta.dtype == "b8")
        appendNumbers<std::uint8_t>(out, bytes);
    else if (meta.dtype == "i8")
        appendNumbers<std::int8_t>(out, bytes);
    else if (meta.dtype == "bf16")
        appendBfloats(out, bytes);
    else
        out += "No numbers are shown for this dtype.";
    return out;
}

struct TensorFile {
    std::string name; ///< "layers.0.weight"
    ir::TensorMeta meta;
    std::string json;
    bool pickled = false;
};

/// The tensors that the config files name, by the path of their data inside the folder.
std::map<std::string, TensorFile, std::less<>> tensorFiles(const std::vector<PackedFile>& files,
                                                           std::vector<session::Warning>& warnings,
                                                           const std::string& label) {
    std::map<std::string, TensorFile, std::less<>> out;
    for (const PackedFile& file : files) {
        if (!isConfig(file.name) || !file.source) continue;
        simdjson::dom::parser parser;
        element root;
        simdjson::dom::object config;
        const std::string_view text = file.source->bytes();
        if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS ||
            root["config"].get(config) != simdjson::SUCCESS) {
            warnings.push_back({Error{"not the JSON of a weights list", label + "/" + file.name}, SIZE_MAX});
            continue;
        }
        const std::string folder = file.name.substr(0, file.name.rfind('/') + 1);
        for (const auto field : config) {
            TensorFile tensor;
            tensor.name = field.key;
            tensor.pickled = json::boolean(field.value, "use_pickle");
            tensor.json = simdjson::minify(field.value);
            if (element meta; field.value["tensor_meta"].get(meta) == simdjson::SUCCESS)
                tensor.meta = exportedTensor(meta);
            out.emplace(folder + std::string(json::text(field.value, "path_name")), std::move(tensor));
        }
    }
    return out;
}

session::Payload payloadOf(std::string text) {
    session::Payload out;
    out.length = text.size();
    out.source = session::makeByteSource(std::move(text));
    return out;
}

/// A file as a record: text as it is, tensors as numbers, the rest by its size.
session::Record recordOf(const PackedFile& file, const TensorFile* tensor) {
    session::Record record;
    const std::string_view inside = insideFolder(file.name);
    record.type = "file:" + std::string(inside);
    record.known = true;
    record.origin = file.name;
    const std::string_view bytes = file.source ? file.source->bytes() : std::string_view();
    if (tensor != nullptr) record.header = payloadOf(tensor->json);
    if (tensor != nullptr && !tensor->pickled)
        record.payload = payloadOf(tensorText(tensor->meta, tensor->name, bytes, file.bytes));
    else if (file.source && (file.name.ends_with(".json") || isText(bytes)))
        record.payload = {file.source, 0, bytes.size(), false};
    else
        record.payload =
            payloadOf(std::to_string(file.bytes) +
                      " bytes. This file may hold pickled objects; it is listed and never loaded.");
    return record;
}

/// Nodes that know their line in the printed text, which is what the stage shows.
ir::GraphPtr withLines(const ir::Graph& graph, const ir::ReadableText& printed) {
    std::vector<std::uint32_t> lines(graph.size(), 0);
    for (std::size_t line = 0; line < printed.nodeOfLine.size(); ++line)
        if (const ir::NodeIndex at = printed.nodeOfLine[line]; at != ir::npos && lines[at] == 0)
            lines[at] = static_cast<std::uint32_t>(line + 1);
    ir::GraphBuilder builder;
    builder.setName(graph.name()).setStyle(graph.style());
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        ir::Node node = graph.node(i);
        node.sourceLine = lines[i];
        builder.add(std::move(node));
    }
    for (const std::string& name : graph.subgraphOrder())
        builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    return builder.build();
}

} // namespace

bool isExportArchive(const std::vector<PackedFile>& files) {
    return std::any_of(files.begin(), files.end(),
                       [](const PackedFile& file) { return isProgram(file.name); });
}

bool isLargeWeight(std::string_view name, std::uint64_t bytes) {
    constexpr std::uint64_t limit = 1U << 20U;
    return bytes > limit && !name.ends_with(".json") &&
           (name.find("data/weights/") != std::string_view::npos ||
            name.find("data/constants/") != std::string_view::npos);
}

Result<session::Session> readExportArchive(const std::vector<PackedFile>& files, const std::string& label,
                                           const TaskContext& task) {
    session::Session session;
    session.kind = session::Kind::ExportedProgram;
    session.ranks = {0};
    const auto tensors = tensorFiles(files, session.warnings, label);
    session::Compile compile;
    compile.status = session::Status::Exported;
    std::optional<Error> firstError;
    std::uint64_t done = 0;
    for (const PackedFile& file : files) {
        if (task.cancelled()) return cancellation();
        task.report("Reading", done++, files.size());
        const auto tensor = tensors.find(file.name);
        session.records.push_back(recordOf(file, tensor == tensors.end() ? nullptr : &tensor->second));
        const std::size_t recordIndex = session.records.size() - 1;
        compile.records.push_back(recordIndex);
        ++session.recordCounts[session.records.back().type];
        if (!isProgram(file.name) || !file.source) continue;
        Result<ExportedProgram> program = readExportedProgram(file.source->bytes());
        if (!program) {
            Error error = program.error();
            error.file = label + "/" + file.name;
            if (!firstError) firstError = error;
            session.warnings.push_back({std::move(error), recordIndex});
            continue;
        }
        ir::ReadableText printed = ir::printReadable(*program->graph);
        auto stage = std::make_shared<session::Stage>();
        std::string model(lastPart(file.name));
        model.resize(model.size() - std::string_view(".json").size());
        stage->name = model == "model" || model == "serialized_exported_program" ? "exported_program" : model;
        stage->phase = session::Phase::Export;
        stage->record = recordIndex;
        ir::GraphPtr graph = withLines(*program->graph, printed);
        quoteStacks(session, *graph);
        stage->setGraph(std::move(graph));
        stage->payload = payloadOf(std::move(printed.text));
        if (session.torchVersion.empty()) session.torchVersion = program->torchVersion;
        // The programs of one archive share weights; their inputs and symbols are told apart by the record
        // only.
        if (compile.stages.empty()) {
            compile.inputs = std::move(program->inputs);
            for (session::TensorInput& input : compile.inputs) {
                input.record = recordIndex;
                if (const auto bytes = input.meta.bytes())
                    compile.storages.push_back({0, input.storage, *bytes});
            }
            compile.symbols = std::move(program->symbols);
            for (std::string& code : program->guards) {
                session::Guard guard;
                guard.type = "EXPORT_GUARD";
                guard.code = std::move(code);
                compile.guards.push_back(std::move(guard));
            }
        }
        compile.stages.push_back(std::move(stage));
    }
    if (compile.stages.empty())
        return tl::unexpected(firstError.value_or(Error{"archive holds no exported program", label}));
    session.compiles.push_back(std::move(compile));
    session::Frame frame;
    frame.compiles = {0};
    session.frames.push_back(std::move(frame));
    return session;
}

} // namespace dynascope::capture
