// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/metrics.h"

#include "core/base/utf8.h"
#include "core/session/generated_code.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <simdjson.h>
#include <string_view>
#include <unordered_map>

namespace dynascope::session {

namespace {

constexpr std::size_t longestText = 2000;

struct PartOfType {
    std::string_view type, part;
};
constexpr std::array partsOfTypes{
    PartOfType{"compilation_metrics", "forward"},
    PartOfType{"bwd_compilation_metrics", "backward"},
    PartOfType{"aot_autograd_backward_compilation_metrics", "backward"},
    PartOfType{"compilation_metrics_runtime", "runtime"},
};

constexpr std::array<std::string_view, 4> moments{"start_time", "start_time_us", "end_time_us", "frame_key"};

Metric metricOf(Metric::Kind kind, std::string_view text, double number = 0) {
    Metric out{kind, number, {}, std::hash<std::string_view>()(text)};
    const std::size_t length = characterStart(text, std::min(text.size(), longestText));
    out.text = std::string(text.substr(0, length)) + (length < text.size() ? "..." : "");
    return out;
}

Metric metricOf(const simdjson::dom::element& value) {
    std::string_view text;
    bool flag = false;
    double number = 0;
    if (value.is_null()) return {};
    if (value.get(text) == simdjson::SUCCESS) return metricOf(Metric::Kind::Text, text);
    if (value.get(flag) == simdjson::SUCCESS)
        return metricOf(Metric::Kind::Bool, flag ? "True" : "False", flag ? 1 : 0);
    const std::string json = simdjson::minify(value);
    if (value.get(number) == simdjson::SUCCESS) return metricOf(Metric::Kind::Number, json, number);
    return metricOf(Metric::Kind::Text, json);
}

bool isConfig(std::string_view name, std::string_view text) {
    return name.ends_with("_config") && text.starts_with('{');
}

/// Columns are numbered as their names appear.
class Reader {
public:
    explicit Reader(const Session& session)
        : m_session(session)
        , m_compileOf(session.records.size(), -1) {
        for (std::size_t i = 0; i < session.compiles.size(); ++i)
            for (const std::size_t record : session.compiles[i].records)
                if (record < m_compileOf.size()) m_compileOf[record] = static_cast<int>(i);
    }

    void read(std::size_t index) {
        const std::string& type = m_session.records.type(index);
        const auto part = std::find_if(partsOfTypes.begin(), partsOfTypes.end(),
                                       [&](const PartOfType& p) { return p.type == type; });
        if (part == partsOfTypes.end()) return;
        const Record record = m_session.records[index];
        const simdjson::padded_string json(record.header.text());
        simdjson::dom::object fields;
        if (m_parser.parse(json)[record.type].get(fields) != simdjson::SUCCESS) return;
        MetricRow row{index, m_compileOf[index], std::string(part->part), {}};
        for (const auto& [name, value] : fields)
            set(row, name, value);
        m_table.rows.push_back(std::move(row));
    }

    MetricTable finish() {
        takeConfigsApart();
        judge();
        sortColumns();
        return std::move(m_table);
    }

private:
    std::size_t columnOf(std::string_view name) {
        const auto [at, isNew] = m_columnOf.try_emplace(std::string(name), m_table.columns.size());
        if (isNew) m_table.columns.push_back({at->first});
        return at->second;
    }

    void set(MetricRow& row, std::string_view name, const simdjson::dom::element& value) {
        const std::size_t column = columnOf(name);
        if (row.values.size() <= column) row.values.resize(column + 1);
        row.values[column] = metricOf(value);
        std::string_view text;
        if (value.get(text) == simdjson::SUCCESS && isConfig(name, text))
            m_configs[column].try_emplace(row.values[column].hash, text);
    }

    void takeConfigsApart() {
        for (const auto& [column, texts] : m_configs) {
            if (texts.size() < 2) continue;
            const std::string prefix = m_table.columns[column].name + '.';
            std::map<std::size_t, std::map<std::string, Metric>> read;
            for (const auto& [hash, text] : texts) {
                const simdjson::padded_string json(text);
                simdjson::dom::object fields;
                std::map<std::string, Metric>& values = read[hash];
                if (m_parser.parse(json).get(fields) != simdjson::SUCCESS) continue;
                for (const auto& [name, value] : fields)
                    values.insert_or_assign(std::string(name), metricOf(value));
            }
            if (std::any_of(read.begin(), read.end(), [](const auto& one) { return one.second.empty(); }))
                continue; // not all of them are JSON: the texts differ, and that is all there is to say
            for (const std::string& name : differingKeys(read)) {
                const std::size_t own = columnOf(prefix + name);
                for (MetricRow& row : m_table.rows) {
                    if (column >= row.values.size()) continue;
                    const auto values = read.find(row.values[column].hash);
                    if (row.values[column].kind == Metric::Kind::Absent || values == read.end()) continue;
                    if (row.values.size() <= own) row.values.resize(own + 1);
                    const auto value = values->second.find(name);
                    row.values[own] =
                        value != values->second.end() && value->second.kind != Metric::Kind::Absent
                            ? value->second
                            : metricOf(Metric::Kind::Text, "None");
                }
            }
            for (MetricRow& row : m_table.rows)
                if (column < row.values.size()) row.values[column] = {};
        }
    }

    static std::vector<std::string>
    differingKeys(const std::map<std::size_t, std::map<std::string, Metric>>& read) {
        std::vector<std::string> out;
        std::map<std::string, std::size_t> seen;
        for (const auto& [hash, values] : read)
            for (const auto& [name, value] : values)
                ++seen[name];
        const std::map<std::string, Metric>& first = read.begin()->second;
        for (const auto& [name, count] : seen) {
            const auto value = first.find(name);
            const bool same = count == read.size() && value != first.end() &&
                              std::all_of(read.begin(), read.end(), [&](const auto& one) {
                                  return one.second.at(name) == value->second;
                              });
            if (!same) out.push_back(name);
        }
        return out;
    }

    void judge() {
        for (MetricRow& row : m_table.rows)
            row.values.resize(m_table.columns.size());
        for (std::size_t i = 0; i < m_table.columns.size(); ++i) {
            MetricColumn& column = m_table.columns[i];
            column.moment = std::find(moments.begin(), moments.end(), column.name) != moments.end();
            const Metric* first = nullptr;
            for (const MetricRow& row : m_table.rows) {
                const Metric& value = row.values[i];
                if (value.kind == Metric::Kind::Absent) continue;
                column.empty = false;
                if (first == nullptr) first = &value;
                column.differs = column.differs || !(value == *first);
            }
        }
    }

    void sortColumns() {
        std::vector<std::size_t> order(m_table.columns.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        const auto place = [&](std::size_t i) {
            const MetricColumn& c = m_table.columns[i];
            return c.empty ? 3 : c.moment ? 1 : c.differs ? 0 : 2;
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        const auto sorted = [&order](auto& list) {
            auto out = list;
            for (std::size_t i = 0; i < order.size(); ++i)
                out[i] = std::move(list[order[i]]);
            list = std::move(out);
        };
        sorted(m_table.columns);
        for (MetricRow& row : m_table.rows)
            sorted(row.values);
    }

    const Session& m_session;
    std::vector<int> m_compileOf;
    simdjson::dom::parser m_parser;
    MetricTable m_table;
    std::unordered_map<std::string, std::size_t> m_columnOf;
    std::map<std::size_t, std::map<std::size_t, std::string>> m_configs; ///< by column and hash
};

/// The kernels of a compile's generated code, by name: the last code that has one.
std::map<std::string, KernelTime> kernelsOf(const Compile& compile) {
    std::map<std::string, KernelTime> out;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        const Stage& stage = *compile.stages[i];
        if (stage.content != Stage::Content::Code) continue;
        for (GeneratedKernel& kernel : readGeneratedCode(stage.payload.text()).kernels)
            out[kernel.name] = {kernel.name, 0, -1, static_cast<int>(i), std::move(kernel.atenNodes)};
    }
    return out;
}

} // namespace

MetricTable readMetrics(const Session& session, const TaskContext& task) {
    Reader reader(session);
    for (std::size_t i = 0; i < session.records.size(); ++i) {
        if (task.cancelled()) return {};
        reader.read(i);
    }
    return reader.finish();
}

std::string bodyJson(const Payload& header, std::string_view type) {
    if (header.empty()) return {};
    simdjson::dom::parser parser;
    const simdjson::padded_string json(header.text());
    simdjson::dom::element body;
    if (parser.parse(json)[type].get(body) != simdjson::SUCCESS) return {};
    return simdjson::minify(body);
}

std::map<std::string, Metric> readSettings(const Compile& compile) {
    std::map<std::string, Metric> out;
    if (compile.metrics.empty()) return out;
    simdjson::dom::parser parser, inner;
    const simdjson::padded_string json(compile.metrics.text());
    simdjson::dom::object fields;
    if (parser.parse(json)["compilation_metrics"].get(fields) != simdjson::SUCCESS) return out;
    for (const auto& [name, value] : fields) {
        std::string_view text;
        simdjson::dom::object config;
        const bool isText = value.get(text) == simdjson::SUCCESS;
        if (isText && isConfig(name, text)) {
            const simdjson::padded_string nested(text);
            if (inner.parse(nested).get(config) != simdjson::SUCCESS) continue;
            for (const auto& [key, setting] : config)
                out.insert_or_assign(std::string(name) + '.' + std::string(key), metricOf(setting));
        } else if (name.ends_with("_version") || name.starts_with("config_") || name == "specialize_float") {
            out.insert_or_assign(std::string(name), metricOf(value));
        }
    }
    return out;
}

std::vector<KernelTime> kernelTimes(const Session& session, const MetricTable& metrics) {
    std::vector<KernelTime> out;
    simdjson::dom::parser parser;
    std::map<int, std::map<std::string, KernelTime>> ofCompile;
    for (const MetricRow& row : metrics.rows) {
        if (row.record >= session.records.size()) continue;
        const Record& record = session.records[row.record];
        const simdjson::padded_string json(record.header.text());
        std::string_view text;
        if (parser.parse(json)[record.type]["triton_kernel_compile_times_us"].get(text) != simdjson::SUCCESS)
            continue;
        const simdjson::padded_string inner(text);
        simdjson::dom::array list;
        if (parser.parse(inner).get(list) != simdjson::SUCCESS) continue;
        const bool isNew = row.compile >= 0 && !ofCompile.contains(row.compile);
        std::map<std::string, KernelTime>& known = ofCompile[row.compile];
        if (isNew) known = kernelsOf(session.compiles[static_cast<std::size_t>(row.compile)]);
        for (const simdjson::dom::element entry : list) {
            std::string_view name;
            double us = 0;
            if (entry.at(0).get(name) != simdjson::SUCCESS || entry.at(1).get(us) != simdjson::SUCCESS ||
                us < 0)
                continue;
            const auto found = known.find(std::string(name));
            KernelTime time =
                found != known.end() ? found->second : KernelTime{std::string(name), 0, -1, -1, {}};
            time.us = us;
            time.compile = row.compile;
            out.push_back(std::move(time));
        }
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const KernelTime& a, const KernelTime& b) { return a.us > b.us; });
    return out;
}

} // namespace dynascope::session
