// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/pass_recordings.h"

#include "tests/support/recordings.h"

#include <string_view>
#include <vector>

namespace dynascope::test {

namespace {

using Lines = std::vector<std::string>;

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string list(const Lines& lines) {
    std::string out;
    for (const std::string& line : lines)
        out += (out.empty() ? "[" : ",") + quoted(line);
    return out + ']';
}

std::string at(int line, const char* code) {
    return "         # File: /home/someone/train.py:" + std::to_string(line) + " in f, code: " + code;
}

/// The graph's text, told whole.
class SmallGraph {
public:
    bool alias = true, isWrong = false, transposed = false, unknown = false, writes = false;
    enum class Second { None, Copy, Input } second = Second::None; ///< what is given back as well
    enum class Constant { None, Attribute, Number } constant = Constant::None;

    [[nodiscard]] std::string text() const {
        Lines out{"class <lambda>(torch.nn.Module):",
                  R"(    def forward(self, x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu"):)",
                  at(7, "a = x * y"), call("mul", "mul.Tensor(x, y)")};
        if (alias) out.push_back(call("alias", "alias.default(mul)"));
        const std::string product = alias ? "alias" : "mul";
        out.push_back("");
        out.push_back(at(8, "return a + y"));
        const std::string sum = isWrong ? "sub" : "add";
        out.push_back(call(sum, sum + ".Tensor(" + product + ", y)"));
        std::string result = sum;
        // Inductor leaves the constant behind, read by nobody.
        if (constant != Constant::None)
            out.push_back("        _tensor_constant0: \"f32[][]cpu\" = self._tensor_constant0");
        if (constant != Constant::None) {
            out.push_back(
                call("scaled", "mul.Tensor(" + sum +
                                   (constant == Constant::Number ? ", 2.0)" : ", _tensor_constant0)")));
            result = "scaled";
        }
        if (transposed) {
            out.push_back(call("permute", "permute.default(" + result + ", [1, 0])", "[1, 4]"));
            out.push_back(call("clone", "clone.default(permute, memory_format = torch.contiguous_format)"));
            out.push_back(call("permute_1", "permute.default(clone, [1, 0])", "[1, 4]"));
            result = "permute_1";
        }
        if (unknown) {
            out.push_back("        thing: \"f32[4, 4][4, 1]cpu\" = torch.ops.nobody_has.thing.default(" +
                          result + ")");
            result = "thing";
        }
        if (second == Second::Copy) out.push_back(call("copy", "clone.default(x)"));
        if (writes) out.push_back(call("copy_", "copy_.default(x, mul)"));
        out.push_back("        return (" + result +
                      (second == Second::None   ? ",)"
                       : second == Second::Copy ? ", copy)"
                                                : ", x)"));
        return list(out);
    }

private:
    static std::string call(const std::string& name, const std::string& of,
                            const std::string& stride = "[4, 1]") {
        return "        " + name + ": \"f32[4, 4]" + stride + "cpu\" = torch.ops.aten." + of;
    }
};

/// Passes with their states, numbered as they are written.
class Writer {
public:
    explicit Writer(RecordingWriter& out)
        : m_out(out) {}

    void first(const SmallGraph& graph) {
        m_out.record('T',
                     R"({"id":1,"graph":2,"module":1,"base":0,"count":6,"nodes":[[1,"x"],[2,"y"],[3,"mul"],)"
                     R"([4,"alias"],[5,"add"],[6,"output"])" +
                         std::string(graph.second == SmallGraph::Second::Copy ? R"(,[12,"copy"])" : "") +
                         R"(],"text":)" + graph.text() + "}");
    }
    /// `change` are members of the records.
    void changing(const std::string& name, const SmallGraph& graph, int nodes, const std::string& change) {
        begin(name, "pass");
        const int after = m_state + 1;
        m_out.record('T', R"({"id":)" + std::to_string(after) + R"(,"graph":2,"module":1,"base":0,"pass":)" +
                              std::to_string(m_pass) + R"(,"count":)" + std::to_string(nodes) + ',' + change +
                              R"(,"text":)" + graph.text() + "}");
        end(after, ',' + change + R"(,"changed":true,"nodes_before":)" + std::to_string(m_nodes) +
                       R"(,"nodes_after":)" + std::to_string(nodes));
        m_state = after;
        m_nodes = nodes;
    }
    void quiet(const std::string& name, const std::string& skipped = {}) {
        begin(name, skipped.empty() ? "pass" : "skipped");
        end(m_state, skipped.empty() ? std::string() : R"(,"skipped":)" + quoted(skipped));
    }
    [[nodiscard]] int state() const { return m_state; }

private:
    void begin(const std::string& name, const char* kind) {
        ++m_pass;
        m_out.record('p', R"({"index":)" + std::to_string(m_pass) + R"(,"name":)" + quoted(name) +
                              R"(,"kind":")" + kind +
                              R"(","subsystem":"post_grad_passes","graph":2,"parent":0,"before":)" +
                              std::to_string(m_state) + "}");
    }
    void end(int after, const std::string& members) {
        m_out.record('P', R"({"index":)" + std::to_string(m_pass) + R"(,"after":)" + std::to_string(after) +
                              R"(,"time_us":1500)" + members + "}");
    }

    RecordingWriter& m_out;
    int m_pass = 0, m_state = 1, m_nodes = 6;
};

void addSchedule(RecordingWriter& out, bool fused, bool timed) {
    out.record('o', R"({"schedule":1,"graph":1,"what":"begin","operations":2})")
        .record('S', R"({"schedule":1,"id":1,"name":"op0","class":"SchedulerNode","origins":[[3,"mul"]],)"
                     R"("device":"cpu","group":"16","ir":"ComputedBuffer","data":"Pointwise",)"
                     R"("reads":[["arg0_1","MemoryDep","c0",[16]],["arg1_1","MemoryDep","c0",[16]]],)"
                     R"("writes":[["buf0","MemoryDep","c0",[16]]],)"
                     R"("outputs":[{"name":"buf0","dtype":"torch.float32","bytes":64}]})")
        .record('S', R"({"schedule":1,"id":2,"name":"op1","class":"SchedulerNode","origins":[[5,"add"]],)"
                     R"("device":"cpu","group":"16","ir":"ComputedBuffer","data":"Pointwise",)"
                     R"("reads":[["buf0","MemoryDep","c0",[16]],["arg1_1","MemoryDep","c0",[16]]],)"
                     R"("writes":[["buf1","MemoryDep","c0",[16]]],)"
                     R"("outputs":[{"name":"buf1","dtype":"torch.float32","bytes":64}]})")
        .record('r', R"({"schedule":1,"round":1,"nodes":2})");
    if (fused) {
        out.record('Q', R"({"schedule":1,"round":1,"rows":[[1,2,1,128,[]]],"counts":[[1,1,1]]})");
        if (timed)
            out.record('o', R"({"schedule":1,"what":"timed","a":2,"b":1,"fused":true,"round":1,"runs":3,)"
                            R"("ms":{"apart":[0.01,0.004],"fused":0.012}})");
        out.record('S',
                   R"({"schedule":1,"id":3,"name":"op0_op1","class":"FusedSchedulerNode","members":[1,2]})")
            .record('F', R"({"schedule":1,"round":1,"a":1,"b":2,"result":3,"score":128,"key":"128"})")
            .record('K',
                    R"({"graph":1,"schedule":1,"name":"cpp_fused_add_mul_0","backend":"cpp","nodes":[3],)"
                    R"("operations":["op0","op1"]})");
    } else {
        if (timed)
            out.record('Q', R"({"schedule":1,"round":1,"rows":[[1,2,1,128,[]]],"counts":[[1,1,1]]})")
                .record('o', R"({"schedule":1,"what":"timed","a":1,"b":2,"fused":false,"round":1,"runs":3,)"
                             R"("ms":{"apart":[0.01,0.004],"fused":0.021}})")
                .record('o', R"({"schedule":1,"what":"timed","a":1,"b":2,"fused":false,"round":2,"runs":1,)"
                             R"("ms":{"apart":[0.01,null],"fused":"soon"}})");
        else
            out.record('W', R"({"id":1,"text":"no shared data"})")
                .record('Q', R"({"schedule":1,"round":1,"rows":[[1,2,0,0,[1]]],"counts":[[1,1,2]]})");
        out.record('K', R"({"graph":1,"schedule":1,"name":"cpp_fused_mul_0","backend":"cpp","nodes":[1],)"
                        R"("operations":["op0"]})")
            .record('K', R"({"graph":1,"schedule":1,"name":"cpp_fused_add_1","backend":"cpp","nodes":[2],)"
                         R"("operations":["op1"]})");
    }
    out.record('o', R"({"schedule":1,"what":"dead_node_elimination","changed":false,"time_us":40})")
        .record('o', R"({"schedule":1,"what":"orders","taken":1,"orders":[)"
                     R"({"method":"baseline","peak":192,"order":[1,2],"live":[128,192]},)"
                     R"({"method":"topological_sort_bfs","peak":160,"order":[2,1],"live":[160,96]}]})")
        .record('o', R"({"schedule":1,"what":"reorder_for_peak_memory","changed":true,"time_us":900,)"
                     R"("before":[1,2],"order":[2,1]})");
    out.record(
        'w', R"({"graph":1,"schedule":1,"peak":256,"inputs":["arg0_1","arg1_1"],"outputs":["buf1"],"lines":[)"
             R"(["allocate","buf0",64,0],["call","cpp_fused_mul_0",["arg0_1","arg1_1","buf0"]],)"
             R"(["reuse","buf1","buf0",64,true],["call","cpp_fused_add_1",["buf0","arg1_1","buf1"]]]})");
}

std::string finished(RecordingWriter& out) {
    constexpr std::string_view magic = "\x89"
                                       "DYNPASS";
    return out.endBlock().file().replace(0, magic.size(), magic);
}

/// A graph over f32[4] tensors, each of `nodes` "name = operator(arguments)".
std::string smallGraph(const Lines& inputs, const Lines& nodes, const std::string& results) {
    Lines out{"class GraphModule(torch.nn.Module):"};
    std::string head = "    def forward(self";
    for (const std::string& input : inputs)
        head += ", " + input + R"(: "f32[4][1]cpu")";
    out.push_back(head + "):");
    for (const std::string& node : nodes) {
        const std::size_t is = node.find(" = ");
        out.push_back("        " + node.substr(0, is) + R"(: "f32[4][1]cpu" = torch.ops.aten.)" +
                      node.substr(is + 3));
    }
    out.push_back("        return " + results);
    return list(out);
}

} // namespace

std::string smallSplit(SmallSplit how) {
    const std::string wrong = how == SmallSplit::Wrong ? "sin" : "cos";
    const Lines ofForward{"sin = sin.default(primals_1)", "mul = mul.Tensor(sin, primals_2)"};
    Lines ofBackward{"mul_1 = mul.Tensor(tangents_1, sin)", "mul_2 = mul.Tensor(tangents_1, primals_2)",
                     "cos = cos.default(primals_1)", "mul_3 = mul.Tensor(mul_2, cos)"};
    Lines all = ofForward;
    all.insert(all.end(), ofBackward.begin(), ofBackward.end());
    // Names begin anew in backward: one that forward has as well is another node there.
    ofBackward[2] = "mul = " + wrong + ".default(primals_1)";
    ofBackward[3] = "mul_3 = mul.Tensor(mul_2, mul)";
    const std::string saved = how == SmallSplit::Lacks ? "" : ", sin";
    RecordingWriter out;
    out.record('H', R"({"format":1,"torch":"2.13.0","pid":7,"started":5})")
        .record('C', R"({"id":1,"compile_id":"0/0","attempt":0,"run":1})")
        .record('G', R"({"id":1,"compile":1,"phase":"partition","graph":"joint","module":1})")
        .record('T', R"({"id":1,"graph":1,"module":1,"base":0,"count":10,"nodes":[[1,"primals_1"]],"text":)" +
                         smallGraph({"primals_1", "primals_2", "tangents_1"}, all, "[mul, mul_3, mul_1]") +
                         "}")
        .record('T', R"({"id":2,"graph":1,"module":2,"base":0,"count":5,"nodes":[[2,"primals_1"]],"text":)" +
                         smallGraph({"primals_1", "primals_2"}, ofForward,
                                    "(mul, primals_1, primals_2" + saved + ")") +
                         "}")
        .record('T', R"({"id":3,"graph":1,"module":3,"base":0,"count":9,"nodes":[[3,"primals_1"]],"text":)" +
                         smallGraph({"primals_1", "primals_2", "sin", "tangents_1"}, ofBackward,
                                    "(mul_3, mul_1)") +
                         "}")
        .record('E', R"({"graph":1,"time_us":900,"own_us":100,"state":1,"made":[2,3]})");
    return finished(out);
}

std::string smallPasses(const SmallPasses& how) {
    RecordingWriter out;
    out.record('H', R"({"format":1,"torch":"2.13.0","pid":7,"started":5})")
        .record('C', R"({"id":1,"compile_id":"0/0","attempt":0,"run":1})")
        .record('G', R"({"id":1,"compile":1,"phase":"inductor","graph":"forward"})")
        .record('G', R"({"id":2,"compile":1,"phase":"post_grad","graph":"forward","parent":1,"module":1})");
    Writer passes(out);
    SmallGraph graph;
    if (how.folds) graph.constant = SmallGraph::Constant::Attribute;
    if (how.shares) graph.second = SmallGraph::Second::Copy;
    passes.first(graph);
    if (how.skips) {
        passes.quiet("remove_noop_ops", "config.remove_noops is off");
    } else {
        graph.alias = false;
        passes.changing("remove_noop_ops", graph, 5, R"("erased":[[4,"alias"]],"updated":[5])");
    }
    const int nodes = how.skips ? 6 : 5;
    if (how.wrong) {
        graph.isWrong = true;
        passes.changing("custom_pass", graph, nodes,
                        R"("erased":[[5,"add"]],"created":[[7,"sub"]],"updated":[6])");
    } else {
        passes.quiet("custom_pass");
    }
    graph.transposed = true;
    passes.changing("transpose_output", graph, nodes + 3,
                    R"("created":[[8,"permute"],[9,"clone"],[10,"permute_1"]],"updated":[6])");
    if (how.folds) {
        graph.constant = SmallGraph::Constant::Number;
        passes.changing("fold_constants", graph, nodes + 3, R"("updated":[13])");
    }
    if (how.unknown) {
        graph.unknown = true;
        passes.changing("use_own_operator", graph, nodes + 4, R"("created":[[11,"thing"]],"updated":[6])");
    }
    if (how.writes) {
        graph.writes = true;
        passes.changing("write_input", graph, nodes + 4, R"("created":[[14,"copy_"]])");
    }
    if (how.shares) {
        graph.second = SmallGraph::Second::Input;
        passes.changing("give_back_input", graph, nodes + 3, R"("erased":[[12,"copy"]],"updated":[6])");
    }
    const std::string last = std::to_string(passes.state());
    out.record('E', R"({"graph":2,"time_us":9000,"own_us":1000,"state":)" + last + "}");
    if (how.tuned)
        out.record('A', R"({"graph":1,"name":"mul","inputs":[{"size":[4,4],"dtype":"float32"}],)"
                        R"("choices":[["template_0",0.5],["extern_mul",2.0],["template_1",null]]})");
    addSchedule(out, how.fused, how.timed);
    out.record('E', R"({"graph":1,"time_us":90000,"own_us":2000,"state":)" + last + "}");
    return finished(out);
}

} // namespace dynascope::test
