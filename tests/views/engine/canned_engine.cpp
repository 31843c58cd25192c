// SPDX-License-Identifier: BSD-3-Clause
//
// An engine that answers from a file of recorded replies, for the tests of panels: no LibTorch, always the
// same words. The second argument makes it misbehave: "slow" never finishes a pass until it is cancelled,
// "different" finds a difference when it verifies,
// "dies" does when it is to derive a graph, "slower" replays at half the speed each time. Runs under
// CUDA-graph trees are simulated; "slow" takes its time for every step of them.
#include "core/engine/server/server.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"
#include "core/engine/wire/verify.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_simulator.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

using namespace dynascope;
using nlohmann::json;

namespace {

json readReplies(const char* path) {
    std::ifstream file(path);
    return json::parse(std::string{std::istreambuf_iterator<char>(file), {}}, nullptr, false);
}

class Canned {
public:
    Canned(json replies, std::string mode)
        : m_replies(std::move(replies))
        , m_mode(std::move(mode)) {}

    engine::Reply operator()(const std::string& method, const json& params, const TaskContext& task) {
        if (method == "initialize")
            return json{{"protocol", engine::protocolVersion},
                        {"engine", "canned"},
                        {"torch", "2.13.0+canned"},
                        {"devices", {"cpu"}}};
        if (method == "load") {
            const auto text = params.at("text").get<std::string>();
            return json{{"graph", engine::graphHash(text)}, {"nodes", 1}};
        }
        if (method == "passes") return m_replies["passes"];
        if (method == "plugins")
            return json{{"folders", {"/opt/plugins"}},
                        {"plugins",
                         {{{"path", "/opt/plugins/polish.so"},
                           {"name", "polish"},
                           {"owner", "ada"},
                           {"torch", "2.13.0"},
                           {"passes", {"polish", "shine"}},
                           {"loaded", true},
                           {"problems", json::array()}},
                          {{"path", "/opt/plugins/strange.so"},
                           {"name", "strange"},
                           {"owner", "eve"},
                           {"torch", ""},
                           {"passes", json::array()},
                           {"loaded", false},
                           {"problems", {"it belongs to another user"}}}}},
                        {"backends",
                         {{{"path", "/opt/cuda.so"},
                           {"name", "cuda"},
                           {"loaded", false},
                           {"problems", {"is not there"}}}}}};
        if (method == "execute")
            return complete<wire::ExecuteReply>(m_replies.value("execute", json::object()));
        if (method == "pass") return pass(params, task);
        if (method == "verify") return verify();
        if (method == "aot" && m_mode == "dies") std::raise(SIGKILL);
        if (method == "record") return record();
        if (method == "replay") return replay(params, task);
        if (method == "drop") return json{{"plans", json::array()}};
        if (method == "tree_function") return json{{"tree", "tree1"}, {"function", 0}};
        if (method == "tree_begin") return treeBegin(params);
        if (method == "tree_next") return treeNext();
        if (method == "tree_drop") return json::object();
        return tl::unexpected(
            engine::Failure{engine::ErrorCode::MethodNotFound, "no method '" + method + "'", {}});
    }

private:
    engine::Reply pass(const json& params, const TaskContext& task) {
        if (m_mode == "slow") {
            for (int i = 0; !task.cancelled(); ++i) {
                task.report("Functionalizing", std::uint64_t(i), 100000);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            return tl::unexpected(engine::Failure{engine::ErrorCode::Cancelled, "cancelled", {}});
        }
        auto key = params["passes"].back().get<std::string>() + '/' + params.value("remove", std::string());
        if (params.value("write_back", std::string()) == "caller") key += "/caller";
        if (!m_replies.contains(key))
            return tl::unexpected(engine::Failure{
                engine::ErrorCode::Failed, "aten.special_op has no rule", {{"node", "mul_"}}});
        return complete<wire::PassReply>(m_replies[key]);
    }

    /// The replies were recorded by engines of several days: what they did not tell yet is filled in.
    template <typename T>
    static engine::Reply complete(const json& reply) {
        const auto read = wire::decode<T>(reply, wire::Missing::NotSaid);
        if (!read)
            return tl::unexpected(engine::Failure{engine::ErrorCode::Failed, read.error().message, {}});
        return wire::encode(*read);
    }

    engine::Reply record() {
        if (!m_replies.contains("recordings"))
            return tl::unexpected(
                engine::Failure{engine::ErrorCode::Failed, "aten.special_op has no kernel", {}});
        const json& all = m_replies["recordings"];
        const std::size_t at = m_recorded++ % all.size();
        return json{{"plan", "plan " + std::to_string(at)}, {"recording", all[at]}};
    }

    engine::Reply replay(const json& params, const TaskContext& task) {
        const auto iterations = params.at("iterations").get<std::uint64_t>();
        for (std::uint64_t i = 0; i < iterations || m_mode == "slow"; ++i) {
            if (task.cancelled())
                return tl::unexpected(engine::Failure{engine::ErrorCode::Cancelled, "cancelled", {}});
            task.report("Replaying", i + 1, iterations);
            if (m_mode == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        json run = m_replies["run"];
        json graphs = json::array();
        for (std::size_t i = 0; i < params["plans"].size(); ++i) {
            graphs.push_back(run["graphs"][i]);
            graphs.back()["plan"] = params["plans"][i];
        }
        run["graphs"] = std::move(graphs);
        run["iterations"] = iterations;
        if (m_mode == "slower" && m_replayed++ > 0)
            for (json& us : run["replay"]["us"])
                us = us.get<double>() * 2;
        return json{{"run", std::move(run)}, {"recordings", json::object()}};
    }

    engine::Reply treeBegin(const json& params) {
        if (params.value("backend", "cpu") == "cuda")
            return tl::unexpected(
                engine::Failure{engine::ErrorCode::NoBackend, "this machine has no NVIDIA driver", {}});
        auto program = replay::readTreeCase(params.at("case").dump());
        if (!program)
            return tl::unexpected(engine::Failure{engine::ErrorCode::Failed, program.error().message, {}});
        m_log.reset();
        m_tree = std::make_shared<replay::TreeSimulation>(std::move(*program));
        m_log = std::make_shared<replay::TreeLogWriter>(m_tree->manager());
        return json{{"run", "run1"}};
    }

    engine::Reply treeNext() {
        if (m_mode == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (void)m_tree->next();
        replay::TreeLogPart part = m_log->next();
        part.end = m_tree->manager().steps().size() == m_tree->program().events.size();
        for (std::size_t i = 0; i < part.steps.size(); ++i) {
            replay::StepMeasure& measure = part.measures.emplace_back();
            measure.us = 12;
            measure.verified = part.steps[i].event == replay::TreeStep::Event::Call;
            measure.poolBytes = 4096;
            for (const replay::OutputAt output : m_tree->manager().state().alive)
                measure.blocks.push_back(
                    {1000 + 64 * std::uint64_t(measure.blocks.size()) + output.index % 2, 64});
        }
        return json{{"part", replay::toJson(part)}};
    }

    [[nodiscard]] json verify() const {
        wire::VerifyReply out;
        out.verdict = wire::VerifyVerdict::Equal;
        out.inputs = "as given";
        wire::Check& check = out.checks.emplace_back();
        check.what = "output #0";
        check.property = "values";
        check.ok = m_mode != "different";
        if (check.ok) return wire::encode(out);
        check.expected.value = wire::Number{std::int64_t(11)};
        check.actual.value = wire::Number{std::int64_t(7)};
        out.verdict = wire::VerifyVerdict::Different;
        out.reason = "output #0 differs in 1 of 9 cells";
        wire::FirstDifference& first = out.firstDifference.emplace();
        first.computed = "select_scatter_3";
        first.source = "sub_";
        first.index = {0, 0};
        first.expected = check.expected;
        first.actual = check.actual;
        return wire::encode(out);
    }

    json m_replies;
    std::size_t m_recorded = 0, m_replayed = 0;
    std::shared_ptr<replay::TreeSimulation> m_tree;
    std::shared_ptr<replay::TreeLogWriter> m_log; ///< of m_tree
    std::string m_mode;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    return engine::serve(STDIN_FILENO, STDOUT_FILENO, Canned(readReplies(argv[1]), argc > 2 ? argv[2] : ""));
}
