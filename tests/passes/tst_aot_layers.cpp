// SPDX-License-Identifier: BSD-3-Clause
//
// Repeated inputs, synthetic bases, overlap and mutation types: by PyTorch's answers, by answers that were
// tampered with, and by what the cases do not reach.
#include "core/oracle/oracle_case.h"
#include "core/passes/aot/dedupe.h"
#include "core/passes/aot/synthetic_base.h"
#include "tests/support/archive.h"

#include <QTest>

using namespace dynascope;
using namespace dynascope::passes::aot;
using engine::CaseReport;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

namespace {

using Judge = void (*)(const json&, CaseReport&);

CaseReport judged(Judge judge, const json& oracleCase) {
    CaseReport report{"x", "x", {}};
    judge(oracleCase, report);
    return report;
}

/// Kept arguments of one storage of 12 elements; the first is written.
struct Call {
    TensorObjects objects{{}, {12}};
    CallArguments<KeptIndex> arguments;
    ViewAndMutationMeta<KeptIndex> meta;

    void add(TensorGeometry geometry, std::optional<ObjectId> base = std::nullopt,
             const std::string& dtype = "float32") {
        objects.objects.push_back({0, std::move(geometry), dtype, false, base});
        arguments.list.push_back(
            {objects.objects.size() - 1, "args[" + std::to_string(meta.inputs.size()) + ']'});
        InputAliasInfo info;
        info.mutatesData = meta.inputs.empty();
        meta.inputs.push_back(info);
    }
    [[nodiscard]] std::string error(const CallKind& kind = {}) const {
        const auto merged = mergeViewInputs(objects, arguments, meta, kind);
        return merged ? std::string() : merged.error().message;
    }
};

constexpr CallKind training{true, false, false};
constexpr CallKind exporting{false, true, false};
constexpr CallKind subclasses{false, false, true};

} // namespace

class TestAotLayers : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        for (auto& [name, text] : test::oracleCases())
            m_cases[name] = json::parse(text);
        QVERIFY(!m_cases.empty());
    }

    void everyCase() {
        std::map<std::string, int> passed;
        for (const auto& [name, oracleCase] : m_cases) {
            const std::string kind = oracleCase.value("kind", "");
            const Judge judge = kind == "overlap"         ? engine::judgeOverlap
                                : kind == "mutation_type" ? engine::judgeMutationType
                                                          : engine::judgeAotLayers;
            for (const engine::PartReport& part : judged(judge, oracleCase).parts) {
                QVERIFY2(part.verdict == Verdict::Passed,
                         (name + ", " + part.part + ": " + part.reason).c_str());
                ++passed[part.part];
            }
        }
        QCOMPARE(passed["indices"], 17);
        QCOMPARE(passed["rows"], 4);
        for (const char* run : {"aot", "aot_keep_input_mutations"}) {
            for (const char* layer : {" metadata", " dedupe"})
                QVERIFY2(passed[std::string(run) + layer] > 190, run);
        }
    }

    void tampered_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* title, const char* name, const char* pointer, const char* value) {
            QTest::newRow(title) << name << pointer << value;
        };
        row("overlap", "overlap_25", "/expected_overlapping_indices/0", "1");
        row("a missed overlap", "overlap_02", "/exact_overlapping_indices", "[0]");
        row("mutation type", "mutation_type_table_3", "/rows/0/mutation_type", "\"MUTATED_IN_GRAPH\"");
        row("mutation error", "mutation_type_table_5", "/rows/0/mutation_type", "\"ERROR: other\"");
        const char* dupe = "hand_dupe_three_copies_plus_other";
        row("runtime indices", dupe, "/aot/metadata_outer/mutated_inp_runtime_indices", "[0, 1]");
        row("aliased outputs", dupe, "/aot/metadata_outer/aliased_out_indices/0", "1");
        row("tangents", dupe, "/aot/metadata_outer/num_traced_tangents", "1");
        row("input's mutation type", dupe, "/aot/metadata_outer/input_info/0/mutation_type",
            "\"NOT_MUTATED\"");
        row("strategy", dupe, "/aot/dedupe_strategy", "\"none_or_leafify\"");
        row("mask", dupe, "/aot/dedupe/keep_arg_mask/1", "true");
        row("map", dupe, "/aot/dedupe/add_dupe_map/3", "0");
        row("deduped output", dupe, "/aot/metadata_after_dedupe/output_info/0/base_idx", "2");
        row("deduped inputs", dupe, "/aot/metadata_after_dedupe/input_info/1", "null");
        const char* alias = "hand_alias_data_on_one_metadata_on_other";
        row("merge", alias, "/aot/merge", "null");
        row("base's shape", alias, "/aot/merge/inner_args/0/shape/0", "77");
        row("member", alias, "/aot/merge/synthetic_base_info/1/view/storage_offset", "5");
        row("extra outputs", alias,
            "/aot/metadata_after_synthetic_base/aliased_arg_idx_with_metadata_mutations", "[]");
        row("base's info", alias, "/aot/metadata_after_synthetic_base/input_info/0/mutates_data", "false");
        row("refusal", "hand_alias_mixed_base_states", "/aot/error/message",
            "\"aot_autograd() does not yet handle this.\"");
    }
    void tampered() {
        QFETCH(QString, name);
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        json changed = m_cases.at(name.toStdString());
        const std::string kind = changed["kind"];
        const Judge judge = kind == "overlap"         ? engine::judgeOverlap
                            : kind == "mutation_type" ? engine::judgeMutationType
                                                      : engine::judgeAotLayers;
        QCOMPARE(judged(judge, changed).verdict(), Verdict::Passed);
        const json::json_pointer where(pointer.toStdString());
        QVERIFY(changed.contains(where.parent_pointer()));
        changed[where] = json::parse(value.toStdString());
        QCOMPARE(judged(judge, changed).verdict(), Verdict::Failed);
    }

    void brokenCasesFailAndDoNotCrash() {
        json broken = m_cases.at("hand_alias_both_mutated");
        broken["inputs"]["storages"] = json::object();
        QCOMPARE(judged(engine::judgeAotLayers, broken).verdict(), Verdict::Failed);
        QCOMPARE(judged(engine::judgeOverlap, json{{"tensors", {1}}}).verdict(), Verdict::Failed);
        QCOMPARE(judged(engine::judgeMutationType, json{{"rows", 3}}).verdict(), Verdict::Failed);
    }

    void hugeGeometriesStopAtTheLargestNumber() {
        const TensorGeometry huge{{INT64_MAX, INT64_MAX}, {INT64_MAX, 1}, INT64_MAX};
        QCOMPARE(huge.numel(), INT64_MAX);
        QCOMPARE(huge.end(), INT64_MAX);
        const TensorGeometry flat{{2, 2}, {0, 1}, 0};
        QVERIFY(!definitelyDisjoint(flat, flat));
    }

    void rowsOfOneMatrixAreToldApart() {
        const TensorGeometry left{{3, 2}, {4, 1}, 0}, right{{3, 2}, {4, 1}, 2}, middle{{3, 2}, {4, 1}, 1};
        QVERIFY(definitelyDisjoint(left, right));
        QVERIFY(!definitelyDisjoint(left, middle));
        const std::vector<TensorGeometry> all{left, right, {{0}, {1}, 0}};
        QVERIFY(overlapping(all).empty());
    }

    void repeatsThatNobodyWritesBecomeAliases() {
        TensorObjects objects{{{0, TensorGeometry::contiguous({4}), "float32", true, {}}}, {4}};
        CallArguments<OuterIndex> arguments{{{0, "x"}, {std::nullopt, "n"}, {0, "y"}}};
        ViewAndMutationMeta<OuterIndex> meta;
        meta.inputs.resize(3);
        const auto plan = planDedupe(arguments, meta, {});
        QVERIFY(plan.has_value());
        QVERIFY(plan->strategy == DedupePlan::Strategy::Leafify);
        QCOMPARE(plan->leafified.size(), 1U);
        const auto kept = dedupedArguments(*plan, arguments, objects);
        QCOMPARE(kept.list.size(), 3U);
        QCOMPARE(*kept.list[2].tensor, 1U);
        QVERIFY(objects.objects[1].requiresGrad);
    }

    void writtenRepeatsSpecializeOrAreRefused() {
        CallArguments<OuterIndex> arguments{{{0, "a"}, {1, "b"}, {0, "c"}, {2, "d"}}};
        ViewAndMutationMeta<OuterIndex> meta;
        meta.inputs.resize(4);
        meta.inputs[2].mutatesMetadata = true;
        const auto plan = planDedupe(arguments, meta, {});
        QVERIFY(plan.has_value());
        const std::vector<bool> mask{true, true, false, true};
        QVERIFY(plan->keep == mask);
        QCOMPARE(plan->keptOf[3].value, 2U);
        QVERIFY(planDedupe(arguments, meta, subclasses).error().message.find("tensor subclass") !=
                std::string::npos);
        QVERIFY(planDedupe(arguments, meta, exporting).error().message.find("export") != std::string::npos);
    }

    void basesAreRefusedInPyTorchsWords() {
        const TensorGeometry row = TensorGeometry::contiguous({4});
        Call plain;
        plain.add(row);
        plain.add(row);
        QVERIFY(plain.error().empty());
        QVERIFY(
            plain.error(training).ends_with("input 0 (args[0]) and input 1 (args[1]) share storage but are "
                                            "not differentiable views of each other."));
        QVERIFY(plain.error(exporting).find("export") != std::string::npos);
        QVERIFY(plain.error(subclasses).find("tensor subclass") != std::string::npos);

        Call types;
        types.add(row);
        types.add(row, std::nullopt, "int32");
        QVERIFY(types.error().find("different dtypes") != std::string::npos);

        Call bases;
        bases.objects.objects = {{0, row, "float32", false, {}}, {0, row, "float32", false, {}}};
        bases.add(row, 0);
        bases.add(row, 1);
        QVERIFY(bases.error().find("different autograd ._base tensors") != std::string::npos);
    }

    void aBaseCopiesMoreThanItsWrittenMembers() {
        Call call;
        call.add({{2}, {1}, 0});
        call.add({{12}, {1}, 0});
        const auto merged = mergeViewInputs(call.objects, call.arguments, call.meta, {});
        QVERIFY(merged.has_value() && merged->has_value());
        QCOMPARE((*merged)->bases.front().copiedBytes, 48);
        QCOMPARE((*merged)->bases.front().neededBytes, 8);
    }

private:
    std::map<std::string, json> m_cases;
};

QTEST_GUILESS_MAIN(TestAotLayers)
#include "tst_aot_layers.moc"
