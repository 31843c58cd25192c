// SPDX-License-Identifier: BSD-3-Clause
//
// Replays in an engine of their own: whatever becomes of it, the client goes on.
#include "core/base/sanitizers.h"
#include "core/engine/client/client.h"
#include "tests/support/programs.h"

#include <QtTest>
#include <csignal>
#include <thread>

using namespace dynascope;
using nlohmann::json;

namespace {

const std::string small = "graph():\n"
                          "    %x : [num_users=1] = placeholder[target=x]\n"
                          "    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = "
                          "(%x, 1), kwargs = {})\n"
                          "    return (add,)\n";

json inputs() {
    const json x{{"name", "x"},         {"storage", 0},       {"shape", {4}}, {"stride", {1}},
                 {"storage_offset", 0}, {"dtype", "float32"}, {"via", "set"}};
    return {{"storages", {{{"dtype", "float32"}, {"data", {1, 2, 3, 4}}}}}, {"inputs", {x}}};
}

} // namespace

class TestEngineReplayProcess : public QObject {
    Q_OBJECT

private slots:
    void anEngineThatDiesIsReplaced() {
        engine::Client client({test::engineProgram()});
        const auto info = client.start();
        QVERIFY(info);
        const auto recorded = client.callOnGraph("record", small, {{"inputs", inputs()}});
        QVERIFY(recorded);
        std::jthread killer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            ::kill(static_cast<pid_t>(info->pid), SIGABRT);
        });
        const auto died =
            client.call("replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 10'000'000}});
        QVERIFY(!died);
        QCOMPARE(died.error().kind, engine::CallError::Kind::EngineDied);
        // The new engine has no such recording and says so.
        const auto lost = client.call("replay", {{"plans", {(*recorded)["plan"]}}});
        QVERIFY(!lost);
        QCOMPARE(lost.error().code, static_cast<int>(engine::ErrorCode::UnknownPlan));
        QVERIFY(client.callOnGraph("record", small, {{"inputs", inputs()}}));
    }

    void anEngineThatHangsIsReplaced() {
        engine::Client client({test::engineProgram()});
        const auto info = client.start();
        QVERIFY(info);
        const auto recorded = client.callOnGraph("record", small, {{"inputs", inputs()}});
        QVERIFY(recorded);
        engine::CallOptions options;
        options.timeout = std::chrono::seconds(1);
        options.grace = std::chrono::milliseconds(200);
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            ::kill(static_cast<pid_t>(info->pid), SIGSTOP); // as hung as can be: it does not even answer
        });
        const auto hung =
            client.call("replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 10'000'000}}, options);
        QVERIFY(!hung);
        QCOMPARE(hung.error().kind, engine::CallError::Kind::TimedOut);
        QVERIFY2(hung.error().message.ends_with("the engine did not stop and was killed"),
                 hung.error().message.c_str());
        QVERIFY(client.callOnGraph("record", small, {{"inputs", inputs()}}));
    }

    void aReplayIsCancelledAndReportsProgress() {
        engine::Client client({test::engineProgram()});
        const auto recorded = client.callOnGraph("record", small, {{"inputs", inputs()}});
        QVERIFY(recorded);
        std::stop_source stop;
        std::atomic<std::uint64_t> done = 0;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        options.task.onProgress = [&](const Progress& progress) {
            done = progress.done;
            if (progress.done > 0) stop.request_stop();
        };
        const auto cancelled =
            client.call("replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 10'000'000}}, options);
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().kind, engine::CallError::Kind::Cancelled);
        QCOMPARE(cancelled.error().message, std::string("cancelled")); // it stopped by itself
        QVERIFY(done > 0);
        QVERIFY(client.call("replay", {{"plans", {(*recorded)["plan"]}}, {"iterations", 2}}));
    }

    void anEngineOutOfMemoryAnswers() {
        if (addressSanitized) QSKIP("the sanitizer's shadow lies beyond any memory limit");
        engine::Client client({test::engineProgram(), "--memory-limit", "1024"});
        std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
        for (int i = 0; i < 40; ++i)
            text += "    %full_" + std::to_string(i) +
                    " : [num_users=1] = call_function[target=torch.ops.aten.full.default](args = "
                    "([16777216], 1.0), "
                    "kwargs = {})\n";
        text += "    return (full_0";
        for (int i = 1; i < 40; ++i)
            text += ", full_" + std::to_string(i);
        const auto refused = client.callOnGraph("record", text + ")\n", {{"inputs", inputs()}});
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == engine::CallError::Kind::Refused ||
                     refused.error().kind == engine::CallError::Kind::EngineDied,
                 refused.error().message.c_str());
        QVERIFY(client.callOnGraph("record", small, {{"inputs", inputs()}}));
    }
};

QTEST_GUILESS_MAIN(TestEngineReplayProcess)
#include "tst_engine_replay_process.moc"
