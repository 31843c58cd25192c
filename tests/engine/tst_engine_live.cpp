// SPDX-License-Identifier: BSD-3-Clause
//
// Live events of an engine of its own: none is lost, and they tell what the plan tells.
#include "core/engine/client/client.h"
#include "core/replay/live_events.h"
#include "core/replay/recording.h"
#include "tests/support/programs.h"

#include <QtTest>
#include <map>

using namespace dynascope;
using nlohmann::json;
using replay::ReplayEvent;
using Kind = ReplayEvent::Kind;

namespace {

std::string node(const std::string& name, const std::string& target, const std::string& args) {
    return "    %" + name + " : [num_users=1] = call_function[target=torch.ops.aten." + target +
           "](args = (" + args + "), kwargs = {})\n";
}

const std::string head = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                         "    %w : [num_users=1] = placeholder[target=w]\n";

const std::string block = head + node("mm", "mm.default", "%x, %w") + node("relu", "relu.default", "%mm") +
                          node("view", "view.default", "%relu, [128]") +
                          node("mul", "mul.Tensor", "%view, 2") +
                          node("view_1", "view.default", "%mul, [8, 16]") +
                          node("softmax", "_softmax.default", "%view_1, 1, False") +
                          node("mm_1", "mm.default", "%softmax, %w") + "    return (mm_1,)\n";

json tensor(const char* name, int storage, int rows, int columns) {
    return {{"name", name},
            {"storage", storage},
            {"shape", {rows, columns}},
            {"stride", {columns, 1}},
            {"storage_offset", 0},
            {"dtype", "float32"},
            {"via", "set"}};
}

json inputs() {
    const auto storage = [](int size) {
        return json{{"dtype", "float32"}, {"size", size}, {"seed", size}, {"low", -1}, {"high", 1}};
    };
    return {{"storages", {storage(128), storage(256)}},
            {"inputs", {tensor("x", 0, 8, 16), tensor("w", 1, 16, 16)}}};
}

/// What the events say of memory: nothing is taken twice, and how much was taken at most.
class Memory {
public:
    void take(const ReplayEvent& event) {
        if (event.kind == Kind::Alloc) {
            const auto next = m_held.lower_bound(event.address);
            sound &= next == m_held.end() || next->first >= event.address + event.bytes;
            sound &=
                next == m_held.begin() || std::prev(next)->first + std::prev(next)->second <= event.address;
            m_held[event.address] = event.bytes;
            m_now += rounded(event.bytes);
            peak = std::max(peak, m_now);
        } else if (event.kind == Kind::Free) {
            const auto found = m_held.find(event.address);
            sound &= found != m_held.end();
            if (found == m_held.end()) return;
            m_now -= rounded(found->second);
            m_held.erase(found);
        }
    }
    bool sound = true;
    std::uint64_t peak = 0;

private:
    static std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 63) & ~std::uint64_t{63}; }
    std::map<std::uint64_t, std::uint64_t> m_held;
    std::uint64_t m_now = 0;
};

} // namespace

class TestEngineLive : public QObject {
    Q_OBJECT

private slots:
    void theyTellWhatThePlanTells() {
        engine::Client client({test::engineProgram()});
        const auto recorded = client.callOnGraph("record", block, {{"inputs", inputs()}});
        QVERIFY2(recorded, recorded ? "" : recorded.error().message.c_str());
        const auto recording = replay::recordingFromJson((*recorded)["recording"]);
        QVERIFY(recording);
        replay::LiveReader reader;
        std::vector<ReplayEvent> all;
        engine::CallOptions options;
        options.onData = [&](std::string_view piece) {
            const auto events = reader.read(piece);
            QVERIFY(events);
            all.insert(all.end(), events->begin(), events->end());
        };
        const json params{{"plans", {(*recorded)["plan"]}}, {"iterations", 5}, {"live", true}, {"verify", 2}};
        const auto replayed = client.call("replay", params, options);
        QVERIFY2(replayed, replayed ? "" : replayed.error().message.c_str());
        QCOMPARE((*replayed)["live_events"], json(all.size()));
        QCOMPARE((*replayed)["run"]["different"], json(0));

        std::map<Kind, int> counts;
        Memory memory;
        std::vector<std::uint32_t> ran;
        std::uint32_t running = UINT32_MAX;
        bool nested = true;
        for (const ReplayEvent& event : all) {
            ++counts[event.kind];
            memory.take(event);
            if (event.kind == Kind::ReplayBegin) ran.clear();
            if (event.kind == Kind::NodeBegin) {
                nested &= running == UINT32_MAX;
                ran.push_back(running = event.node);
            }
            if (event.kind == Kind::NodeEnd) {
                nested &= running == event.node;
                running = UINT32_MAX;
            }
            if (event.kind == Kind::Alloc) nested &= event.planned && event.node == running;
        }
        QVERIFY(nested);
        QVERIFY(memory.sound);
        QCOMPARE(memory.peak, recording->peakBytes);
        QCOMPARE(counts[Kind::ReplayBegin], 5);
        QCOMPARE(counts[Kind::ReplayEnd], 5);
        QCOMPARE(counts[Kind::Alloc], 5 * static_cast<int>(recording->allocations.size()));
        QCOMPARE(counts[Kind::NodeBegin], 5 * static_cast<int>(recording->count(replay::NodeMode::Planned)));
        QCOMPARE(counts[Kind::NodeEnd], counts[Kind::NodeBegin]);
        // Results of the last replay are still held.
        QCOMPARE(counts[Kind::Alloc] - counts[Kind::Free], 1);
        std::vector<std::uint32_t> planned;
        for (std::uint32_t i = 0; i < recording->nodes.size(); ++i)
            if (recording->nodes[i].mode == replay::NodeMode::Planned) planned.push_back(i);
        QVERIFY(ran == planned);
    }

    void whatDivergesIsToldToo() {
        // The first replay draws other numbers than the recording did, so that nonzero gives another count.
        const std::string text = head + node("bernoulli", "bernoulli.default", "%x") +
                                 node("nonzero", "nonzero.default", "%bernoulli") + "    return (nonzero,)\n";
        json given = inputs();
        given["storages"][0]["low"] = 0;
        engine::Client client({test::engineProgram()});
        const auto recorded = client.callOnGraph("record", text, {{"inputs", given}});
        QVERIFY2(recorded, recorded ? "" : recorded.error().message.c_str());
        replay::LiveReader reader;
        Memory planned;
        int heap = 0, heapFreed = 0;
        engine::CallOptions options;
        options.onData = [&](std::string_view piece) {
            const auto events = reader.read(piece);
            QVERIFY(events);
            for (const ReplayEvent& event : *events) {
                if (event.planned) planned.take(event);
                heap += event.kind == Kind::Alloc && !event.planned;
                heapFreed += event.kind == Kind::Free && !event.planned;
            }
        };
        const auto replayed = client.call(
            "replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 50}, {"live", true}}, options);
        QVERIFY2(replayed, replayed ? "" : replayed.error().message.c_str());
        QCOMPARE((*replayed)["live_events"], json(reader.events()));
        QVERIFY(planned.sound);
        QVERIFY(heap >= 50);
        QVERIFY(heapFreed >= 49);
    }

    void twoMillionArriveComplete() {
        engine::Client client({test::engineProgram()});
        const auto recorded = client.callOnGraph("record", block, {{"inputs", inputs()}});
        QVERIFY(recorded);
        replay::LiveReader reader;
        std::uint64_t ends = 0;
        bool whole = true;
        engine::CallOptions options;
        options.onData = [&](std::string_view piece) {
            const auto events = reader.read(piece);
            whole &= events.has_value(); // numbers follow each other without a gap
            if (!events) return;
            for (const ReplayEvent& event : *events)
                if (event.kind == Kind::ReplayEnd) whole &= event.address == ends++;
        };
        constexpr std::uint64_t replays = 90'000;
        const auto replayed = client.call(
            "replay",
            {{"plans", {(*recorded)["plan"]}}, {"iterations", replays}, {"eager", false}, {"live", true}},
            options);
        QVERIFY2(replayed, replayed ? "" : replayed.error().message.c_str());
        QVERIFY(whole);
        QCOMPARE(ends, replays);
        QCOMPARE((*replayed)["live_events"], json(reader.events()));
        QVERIFY2(reader.events() >= 2'000'000, std::to_string(reader.events()).c_str());
    }

    void aCancelledRunStopsThoughItsEventsAreWaiting() {
        engine::Client client({test::engineProgram()});
        const auto recorded = client.callOnGraph("record", block, {{"inputs", inputs()}});
        QVERIFY(recorded);
        std::stop_source stop;
        engine::CallOptions options;
        options.credits = 1;
        options.task.stop = stop.get_token();
        options.onData = [&](std::string_view) { stop.request_stop(); };
        const json params{{"plans", {(*recorded)["plan"]}}, {"iterations", 10'000'000}, {"live", true}};
        const auto cancelled = client.call("replay", params, options);
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().kind, engine::CallError::Kind::Cancelled);
        QCOMPARE(cancelled.error().message, std::string("cancelled")); // it stopped by itself
        QVERIFY(client.call("replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 2}}));
    }
};

QTEST_GUILESS_MAIN(TestEngineLive)
#include "tst_engine_live.moc"
