// SPDX-License-Identifier: BSD-3-Clause
//
// Judges AOTAutograd's layers that need no LibTorch: kinds `overlap` and `mutation_type`, and what the cases
// of kinds `hand` and `random` say of repeated inputs and synthetic bases.
#include "core/engine/cases/aot_case.h"
#include "core/oracle/oracle_case.h"
#include "core/passes/aot/dedupe.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
namespace aot = passes::aot;

/// One of a case's two runs of AOTAutograd.
class LayersJudge {
public:
    LayersJudge(const json& oracleCase, std::string run, CaseReport& report)
        : m_case(oracleCase)
        , m_run(std::move(run))
        , m_report(report) {}

    void judge() {
        const json& whole = field(m_case, m_run.c_str());
        // Where replaying views fails, PyTorch was run a second time without it.
        const bool failed = whole.contains("error");
        const json& answer = failed ? field(whole, "retry_without_view_replay") : whole;
        if (answer.contains("metadata_outer")) return layers(answer);
        const std::string message = stringField(field(whole, "error"), "message");
        if (message.starts_with("aot_autograd() does not yet handle")) refusal(message);
    }

private:
    void add(const std::string& layer, const std::string& difference) {
        m_report.parts.push_back({m_run + ' ' + layer,
                                  difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed,
                                  difference});
    }

    void layers(const json& answer) {
        DescribedInputs inputs(field(m_case, "inputs"));
        const json& outer = answer["metadata_outer"];
        const auto meta = readMetadata(outer, inputs.arguments().list.size());
        if (!inputs.valid() || !meta) return add("metadata", "the case's inputs and metadata do not fit");
        add("metadata", firstDifference(outer, metadataJson(*meta)));

        aot::CallKind kind;
        kind.training = inputs.training();
        const auto plan = aot::planDedupe(inputs.arguments(), *meta, kind);
        if (!plan) return add("dedupe", plan.error().message);
        const auto kept = aot::dedupedMetadata(*plan, *meta);
        add("dedupe", firstDifference(dedupeExpected(answer), dedupeJson(*plan, kept)));

        aot::TensorObjects objects = inputs.objects();
        const auto arguments = aot::dedupedArguments(*plan, inputs.arguments(), objects);
        const auto merged = aot::mergeViewInputs(objects, arguments, kept, kind);
        if (!merged) return add("synthetic bases", merged.error().message);
        json got{{"merge", nullptr}};
        if (*merged) {
            const auto after = aot::mergedMetadata(**merged, objects, arguments, kept);
            if (!after) return add("synthetic bases", after.error().message);
            got["merge"] = mergeJson(**merged, objects, arguments);
            got["metadata"] = metadataJson(after->meta);
            got["metadata"]["aliased_arg_idx_with_metadata_mutations"] = indicesJson(after->geometryChanged);
        }
        json expected{{"merge", withoutScalars(field(answer, "merge"), got["merge"])}};
        if (answer.contains("metadata_after_synthetic_base"))
            expected["metadata"] = answer["metadata_after_synthetic_base"];
        add("synthetic bases", firstDifference(expected, got));
    }

    static json dedupeExpected(const json& answer) {
        json out{{"dedupe_strategy", field(answer, "dedupe_strategy")}};
        for (const char* key : {"dedupe", "metadata_after_dedupe"})
            if (answer.contains(key)) out[key] = answer[key];
        return out;
    }

    static json dedupeJson(const aot::DedupePlan& plan,
                           const aot::ViewAndMutationMeta<aot::KeptIndex>& meta) {
        if (plan.strategy == aot::DedupePlan::Strategy::Leafify)
            return {{"dedupe_strategy", "none_or_leafify"}};
        return {{"dedupe_strategy", "specialize"},
                {"dedupe", {{"keep_arg_mask", plan.keep}, {"add_dupe_map", indicesJson(plan.keptOf)}}},
                {"metadata_after_dedupe", metadataJson(meta)}};
    }

    /// A case prints the values of numbers, which only have names here.
    static json withoutScalars(json expected, const json& got) {
        if (!expected.is_object() || !got.is_object()) return expected;
        json& list = expected["inner_args"];
        for (std::size_t i = 0; i < std::min(list.size(), got["inner_args"].size()); ++i)
            if (list[i].contains("scalar") && got["inner_args"][i].contains("scalar"))
                list[i] = got["inner_args"][i];
        return expected;
    }

    /// PyTorch raised before it kept its metadata: which storages are written is read off what eager did, and
    /// that tensors which are passed twice are not the ones that were written off the refusal itself.
    void refusal(const std::string& message) {
        DescribedInputs inputs(field(m_case, "inputs"));
        if (!inputs.valid()) return add("synthetic bases", "the case's inputs do not fit");
        const json& before = field(field(m_case, "inputs"), "storages");
        const json& after = field(field(field(m_case, "eager"), "post"), "storages");
        aot::ViewAndMutationMeta<aot::OuterIndex> meta;
        for (const auto& argument : inputs.arguments().list) {
            aot::InputAliasInfo info;
            if (argument.tensor) {
                const std::size_t storage = inputs.objects().objects[*argument.tensor].storage;
                const auto& all = inputs.arguments().list;
                const auto repeats = std::count_if(all.begin(), all.end(), [&](const auto& other) {
                    return other.tensor == argument.tensor;
                });
                info.mutatesData = repeats == 1 && after.is_array() && storage < after.size() &&
                                   after[storage] != field(before[storage], "data");
            }
            meta.inputs.push_back(info);
        }
        aot::CallKind kind;
        kind.training = inputs.training();
        const auto plan = aot::planDedupe(inputs.arguments(), meta, kind);
        if (!plan) return add("dedupe", plan.error().message);
        aot::TensorObjects objects = inputs.objects();
        const auto arguments = aot::dedupedArguments(*plan, inputs.arguments(), objects);
        const auto merged = aot::mergeViewInputs(objects, arguments, aot::dedupedMetadata(*plan, meta), kind);
        if (merged) return add("synthetic bases", "nothing is refused, expected '" + message + '\'');
        add("synthetic bases", merged.error().message == message
                                   ? std::string()
                                   : merged.error().message + " (PyTorch raises '" + message + "')");
    }

    const json& m_case;
    std::string m_run;
    CaseReport& m_report;
};

/// The cells of a tensor that is not large; nothing of one that is.
std::set<std::int64_t> cellsOf(const aot::TensorGeometry& tensor) {
    constexpr std::size_t most = 1 << 16;
    std::set<std::int64_t> cells{tensor.offset};
    for (std::size_t d = 0; d < tensor.sizes.size() && cells.size() <= most; ++d) {
        std::set<std::int64_t> wider;
        for (std::int64_t i = 0; i < tensor.sizes[d] && wider.size() <= most; ++i)
            for (const std::int64_t cell : cells)
                wider.insert(cell + i * tensor.strides[d]);
        cells = std::move(wider);
    }
    return cells;
}

/// Which tensors share a cell with another one, found by looking at every cell.
json exactOverlaps(const std::vector<aot::TensorGeometry>& tensors) {
    std::map<std::int64_t, std::set<std::size_t>> owners;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        for (const std::int64_t cell : cellsOf(tensors[i]))
            owners[cell].insert(i);
    std::set<std::size_t> out;
    for (const auto& [cell, of] : owners)
        if (of.size() > 1) out.insert(of.begin(), of.end());
    return out;
}

/// As the cases spell it.
std::string mutationAnswer(const aot::InputAliasInfo& info) {
    const auto type = info.mutationType();
    if (type) return std::string(aot::mutationTypeName(*type));
    const std::string_view message = type.error().message;
    if (message.starts_with("mutates_storage_metadata"))
        return "ERROR: ctor: mutates_storage_metadata requires mutates_metadata";
    return std::string("ERROR: ") + (message.starts_with("Encountered a resize_") ? "resize_" : "set_") +
           " on a graph input that cannot stay in graph";
}

} // namespace

void judgeAotLayers(const json& oracleCase, CaseReport& report) {
    for (const char* run : {"aot", "aot_keep_input_mutations"})
        LayersJudge(oracleCase, run, report).judge();
}

void judgeOverlap(const json& oracleCase, CaseReport& report) {
    std::vector<aot::TensorGeometry> tensors;
    for (const json& tensor : field(oracleCase, "tensors")) {
        auto geometry = geometryOf(tensor);
        if (!geometry) {
            report.parts.push_back({"case", CaseVerdict::Failed, "a tensor has no shape and stride"});
            return;
        }
        tensors.push_back(std::move(*geometry));
    }
    const json got = aot::overlapping(tensors);
    const std::string different = firstDifference(field(oracleCase, "expected_overlapping_indices"), got);
    report.parts.push_back(
        {"indices", different.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, different});
    const json& exact = field(oracleCase, "exact_overlapping_indices");
    Part(report, "exact indices").compare(exact, exactOverlaps(tensors));
    const bool sound = exact.is_array() && std::all_of(exact.begin(), exact.end(), [&](const json& index) {
                           return std::find(got.begin(), got.end(), index) != got.end();
                       });
    report.parts.push_back({"soundness", sound ? CaseVerdict::Passed : CaseVerdict::Failed,
                            sound ? "" : "a tensor that does overlap another one was missed"});
}

void judgeMutationType(const json& oracleCase, CaseReport& report) {
    const json& rows = field(oracleCase, "rows");
    std::string different = rows.is_array() && !rows.empty() ? "" : "there are no rows";
    for (std::size_t i = 0; different.empty() && i < rows.size(); ++i) {
        const std::string got = mutationAnswer(inputInfo(rows[i]));
        const std::string expected = stringField(rows[i], "mutation_type");
        if (got != expected) different = "row " + std::to_string(i) + " is " + got + ", expected " + expected;
    }
    report.parts.push_back(
        {"rows", different.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, different});
}

} // namespace dynascope::engine
