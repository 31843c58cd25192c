// SPDX-License-Identifier: BSD-3-Clause
//
// The client against an engine that misbehaves.
#include "core/engine/client/client.h"
#include "core/engine/client/process.h"
#include "core/engine/client/torch_release.h"
#include "core/engine/wire/framing.h"
#include "core/engine/wire/methods.h"

#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <poll.h>
#include <thread>
#include <unistd.h>

using namespace dynascope;
using engine::CallError;
using engine::Client;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> standIn() {
    return {STAND_IN_ENGINE};
}

} // namespace

class TestEngineClient : public QObject {
    Q_OBJECT
private slots:
    void startsLazilyAndAnswers() {
        Client client(standIn());
        QVERIFY(!client.running());
        const auto answer = client.call("echo", {{"text", "\xc3\xa9\n"}, {"n", 1}});
        QVERIFY(answer.has_value());
        QCOMPARE((*answer)["text"].get<std::string>(), std::string("\xc3\xa9\n"));
        QVERIFY(client.running());
        QCOMPARE(client.start()->engine, std::string("stand-in"));
    }

    void anOddAnswerIsRefusedWithItsPlace() {
        Client client(standIn());
        const auto passes = client.passes();
        QVERIFY(!passes);
        QVERIFY(passes.error().kind == CallError::Kind::Refused);
        QCOMPARE(passes.error().message, std::string("the engine's answer cannot be read: passes reply: "
                                                     "passes[1].name: expected a string, not null"));
        QVERIFY(client.running());
    }

    void hugeMessage() {
        Client client(standIn());
        const std::string text(20'000'000, 'x');
        const auto answer = client.call("echo", {{"text", text}});
        QVERIFY(answer.has_value());
        QCOMPARE((*answer)["text"].get<std::string>().size(), text.size());
    }

    void aGraphCrossesOnce() {
        Client client(standIn());
        QCOMPARE((*client.callOnGraph("size", "graph():"))["loads"].get<int>(), 1);
        QCOMPARE((*client.callOnGraph("size", "graph():"))["loads"].get<int>(), 1);
        QCOMPARE((*client.callOnGraph("size", "other"))["loads"].get<int>(), 2);
        QVERIFY(client.call("forget").has_value());
        QCOMPARE((*client.callOnGraph("size", "graph():"))["loads"].get<int>(), 3);
    }

    void unknownMethod() {
        Client client(standIn());
        const auto answer = client.call("fly");
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, CallError::Kind::Refused);
        QCOMPARE(answer.error().code, static_cast<int>(engine::ErrorCode::MethodNotFound));
    }

    void progressArrives() {
        Client client(standIn());
        std::atomic<int> reports = 0;
        std::stop_source stop;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        options.task.onProgress = [&](const Progress& p) {
            if (p.phase == "Sleeping" && p.total == 1000 && ++reports == 3) stop.request_stop();
        };
        const auto answer = client.call("sleep", json::object(), options);
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, CallError::Kind::Cancelled);
        QVERIFY(reports >= 3);
        QVERIFY(client.running()); // it stopped by itself
    }

    void whoThrowsWhenToldEndsTheCallAlone() {
        Client client(standIn());
        engine::CallOptions options;
        options.task.onProgress = [](const Progress&) { throw std::bad_alloc(); };
        const auto answer = client.call("sleep", json::object(), options);
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, CallError::Kind::EngineDied);
        QVERIFY(QString::fromStdString(answer.error().message).contains("sent what could not be taken"));
        QVERIFY(client.call("echo", {{"n", 1}}).has_value()); // by a new engine
    }

    void statusAnswersDuringWork() {
        Client client(standIn());
        QVERIFY(client.start().has_value());
        std::stop_source stop;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        auto work =
            std::async(std::launch::async, [&] { return client.call("sleep", json::object(), options); });
        const auto busyWith = [&](const char* method) {
            const json status = *client.call("status");
            return status["busy"].get<bool>() && status["method"].get<std::string>() == method;
        };
        QTRY_VERIFY(busyWith("sleep")); // the handshake may still be ending
        stop.request_stop();
        QCOMPARE(work.get().error().kind, CallError::Kind::Cancelled);
    }

    void hangIsKilledAndTheNextCallHasANewEngine() {
        Client client(standIn());
        engine::CallOptions options;
        options.timeout = 200ms;
        options.grace = 100ms;
        QVERIFY(client.start().has_value());
        const auto answer = client.call("hang", json::object(), options);
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, CallError::Kind::TimedOut);
        QCOMPARE(answer.error().message,
                 std::string("no answer within 0.2 s; the engine did not stop and was killed"));
        QTRY_VERIFY(!client.running());
        QVERIFY(client.call("echo").has_value());
    }

    void deathIsOneClearError() {
        Client client(standIn());
        QVERIFY(client.start().has_value());
        const auto killed = client.call("die");
        QVERIFY(!killed);
        QCOMPARE(killed.error().kind, CallError::Kind::EngineDied);
        QCOMPARE(killed.error().message, std::string("the engine ended by signal 9 (Killed)"));
        QVERIFY(client.start().has_value());
        QCOMPARE(client.call("exit").error().message,
                 std::string("the engine ended by exit status 3: no memory left"));
    }

    void killedFromOutsideAtAnyMoment() {
        for (int i = 0; i < 10; ++i) {
            Client client(standIn());
            const auto info = client.start();
            QVERIFY(info.has_value());
            auto work = std::async(std::launch::async, [&] { return client.call("sleep"); });
            std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
            QCOMPARE(::kill(static_cast<pid_t>(info->pid), SIGKILL), 0);
            // A call that had not yet begun may have found a new engine: that one is killed as well.
            bool again = false;
            while (work.wait_for(50ms) != std::future_status::ready) {
                const auto now = client.start();
                again = again || (now && now->pid != info->pid);
                if (now) ::kill(static_cast<pid_t>(now->pid), SIGKILL);
            }
            const auto answer = work.get();
            QVERIFY(!answer);
            const auto kind = answer.error().kind;
            QVERIFY(kind == CallError::Kind::EngineDied || (again && kind == CallError::Kind::NotStarted));
            if (!again) QTRY_VERIFY(!client.running());
        }
    }

    void garbageFromTheEngine() {
        Client client(standIn());
        QVERIFY(client.start().has_value());
        const auto answer = client.call("garbage");
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, CallError::Kind::EngineDied);
        QVERIFY(QByteArray::fromStdString(answer.error().message).contains("no message"));
    }

    void whatIsNoEngine() {
        const auto missing = Client({"/nonexistent/dynascope-engine"}).start();
        QVERIFY(!missing);
        QCOMPARE(missing.error().kind, CallError::Kind::NotStarted);
        const auto ends = Client({"sh", "-c", "echo no route to host >&2; exit 255"}).start();
        QVERIFY(!ends);
        QCOMPARE(ends.error().message,
                 std::string("no engine from 'sh': the engine ended by exit status 255: no route to host"));
        const auto older = Client({STAND_IN_ENGINE, "0"}).start();
        QVERIFY(!older);
        QVERIFY(QByteArray::fromStdString(older.error().message).contains("speaks protocol 0"));
    }

    void anArgumentListIsEnough() {
        Client client({"env", "A=b c", STAND_IN_ENGINE});
        QVERIFY(client.call("echo").has_value());
    }

    void bulkDataComesWhole_data() {
        QTest::addColumn<int>("size");
        QTest::newRow("nothing") << 0;
        QTest::newRow("a byte") << 1;
        QTest::newRow("a piece") << (1 << 20);
        QTest::newRow("a piece and a byte") << (1 << 20) + 1;
        QTest::newRow("more pieces than credits") << 20 * (1 << 20) + 5;
    }
    void bulkDataComesWhole() {
        QFETCH(int, size);
        Client client(standIn());
        const auto answer = client.call("bulk", {{"size", size}});
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        QCOMPARE((*answer)["name"].get<std::string>(), std::string("bulk"));
        const std::vector<std::uint8_t>& data = (*answer)["data"].get_binary();
        QCOMPARE(data.size(), static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < data.size(); ++i)
            if (data[i] != static_cast<std::uint8_t>(i * 31 + (i >> 16))) QFAIL("a byte is wrong");
    }

    /// With two credits the engine is at most two pieces ahead of a reader that takes its time.
    void aSlowReaderHoldsTheEngineBack() {
        Client client(standIn());
        engine::CallOptions options;
        options.credits = 2;
        std::size_t got = 0;
        std::size_t largest = 0;
        options.onData = [&](std::string_view piece) {
            got += piece.size();
            largest = std::max(largest, piece.size());
            std::this_thread::sleep_for(20ms);
        };
        const auto answer = client.call("bulk", {{"size", 10 << 20}}, options);
        QVERIFY(answer.has_value());
        QCOMPARE(got, std::size_t{10} << 20);
        QCOMPARE(largest, std::size_t{1} << 20);
        QVERIFY(!answer->contains("data"));
        QVERIFY(client.call("echo").has_value());
    }

    /// A peer that never gives credit: the engine answers others meanwhile, and gives the request up in the
    /// end.
    void aPeerWithoutCredits() {
        auto process = engine::spawn({STAND_IN_ENGINE, std::to_string(engine::protocolVersion), "700"});
        QVERIFY(process.has_value());
        const auto request = [](int id, const char* method, json params) {
            return engine::frame(
                json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}
                    .dump());
        };
        const auto write = [&](const std::string& bytes) {
            QCOMPARE(::write(process->in.get(), bytes.data(), bytes.size()),
                     static_cast<ssize_t>(bytes.size()));
        };
        engine::FrameReader frames;
        const auto read = [&]() -> engine::Frame {
            for (;;) {
                auto frame = frames.nextFrame();
                if (!frame) return {"broken", {}};
                if (*frame) return **frame;
                char buffer[65536];
                const ssize_t n = ::read(process->out.get(), buffer, sizeof buffer);
                if (n <= 0) return {"end", {}};
                frames.append({buffer, static_cast<std::size_t>(n)});
            }
        };
        write(request(1, "bulk", {{"size", 3 << 20}, {"credits", 1}}));
        const engine::Frame piece = read();
        QCOMPARE(piece.stream.value_or(0), 1);
        QCOMPARE(piece.body.size(), std::size_t{1} << 20);
        write(request(2, "status", json::object()));
        QCOMPARE(json::parse(read().body)["result"]["method"].get<std::string>(), std::string("bulk"));
        write(request(3, "credit", {{"id", 1}, {"count", 1}}));
        bool second = false; // the piece and the answer to "credit" come in either order
        for (int i = 0; i < 2; ++i)
            second = read().stream.has_value() || second;
        QVERIFY(second);
        const json failed = json::parse(read().body); // 0.7 s later
        QCOMPARE(failed["id"].get<int>(), 1);
        QCOMPARE(failed["error"]["message"].get<std::string>(),
                 std::string("the client gave no credit for bulk data"));
        write(request(4, "echo", {{"still", "there"}}));
        QCOMPARE(json::parse(read().body)["result"]["still"].get<std::string>(), std::string("there"));
        write(request(5, "bulk", {{"size", 3 << 20}}));
        write(request(6, "cancel", {{"id", 5}}));
        QCOMPARE(json::parse(read().body)["id"].get<int>() + json::parse(read().body)["id"].get<int>(), 11);
        write(request(7, "shutdown", json::object()));
    }

    void theServerSurvivesBadRequests() {
        auto process = engine::spawn(standIn());
        QVERIFY(process.has_value());
        const std::string bytes = engine::frame("not json") + engine::frame("[1, 2]") +
                                  engine::frame(R"({"jsonrpc":"2.0","id":7})") +
                                  engine::frame(R"({"jsonrpc":"2.0","id":8,"method":"status","params":3})") +
                                  engine::frame(R"({"jsonrpc":"2.0","id":9,"method":"shutdown"})");
        QCOMPARE(::write(process->in.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        std::string got;
        char buffer[4096];
        for (ssize_t n = 0; (n = ::read(process->out.get(), buffer, sizeof buffer)) > 0;)
            got.append(buffer, static_cast<std::size_t>(n));
        engine::FrameReader frames;
        frames.append(got);
        std::vector<json> codes;
        while (auto next = *frames.next()) {
            const json message = json::parse(*next);
            codes.push_back(message.contains("error") ? message["error"]["code"] : message["id"]);
        }
        QCOMPARE(json(codes).dump(), std::string("[-32700,-32600,-32600,8,9]"));
    }

    void aWheelsEngineNamesThePyTorchItLacks() {
        const QTemporaryDir folder;
        const std::filesystem::path packages = folder.path().toStdString();
        std::filesystem::create_directories(packages / "dynascope/bin");
        const std::string program = (packages / "dynascope/bin/dynascope-engine").string();
        std::filesystem::create_symlink(STAND_IN_ENGINE, program);
        const auto lacking = [&] {
            Client client({program});
            const auto started = client.start();
            return started ? std::string() : started.error().message;
        };
        QCOMPARE(lacking(), std::string()); // not from a wheel
        std::ofstream(program + ".needs") << "torch 2.13.0 ../../torch\n";
        QCOMPARE(lacking(),
                 std::string("the engine needs PyTorch 2.13.0, which is not installed beside it: pip "
                             "install 'torch==2.13.0' (or 'dynascope[engine]')"));
        std::filesystem::create_directory(packages / "torch");
        const auto install = [&](const char* version) {
            std::ofstream(packages / "torch/version.py")
                << "from typing import Optional\n__version__ = '" << version << "'\ndebug = False\n";
        };
        install("2.11.0+cu130");
        QCOMPARE(lacking(),
                 std::string("the engine needs PyTorch 2.13.0; installed is 2.11.0+cu130: pip install "
                             "'torch==2.13.0', or 'dynascope[engine]' in an environment of its own"));
        install("2.13.0+cpu");
        QCOMPARE(lacking(), std::string());
        install("2.13.0");
        QCOMPARE(lacking(), std::string());
        std::ofstream(program + ".needs") << "something else\n";
        QVERIFY(!engine::lackingTorch({program}));
        QVERIFY(!engine::lackingTorch({"dynascope-engine"}));
    }
};

QTEST_GUILESS_MAIN(TestEngineClient)
#include "tst_engine_client.moc"
