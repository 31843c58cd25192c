// SPDX-License-Identifier: BSD-3-Clause
//
// A graph from a stranger reaches nothing outside itself: what would is refused by name, before anything
// runs, and what nobody allowed is not run either.
#include "core/engine/exec/program.h"
#include "core/engine/exec/torch_level/resolve.h"
#include "core/engine/sandbox/operator_classes.h"
#include "tests/engine/service_runner.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <QtTest>
#include <set>

using namespace dynascope;
using nlohmann::json;

namespace {

std::string graphOf(const std::string& call) {
    return "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = " + call +
           "\n    return (y,)\n";
}

std::string functionCall(const std::string& target) {
    return graphOf("call_function[target=" + target + "](args = (%x,), kwargs = {})");
}

/// Operators of the allowed namespaces that take a text, each looked at: none takes it for the name of a
/// file, a library or a host.
const std::set<std::string> reviewedTexts{"_assert_async",
                                          "_assert_scalar",
                                          "_convolution_mode",
                                          "_functional_assert_async",
                                          "_functional_assert_scalar",
                                          "_linalg_check_errors",
                                          "_linalg_eigh",
                                          "_linalg_svd",
                                          "_mixed_dtypes_linear",
                                          "_segment_reduce_backward",
                                          "_sparse_mm",
                                          "_sparse_mm_reduce_impl",
                                          "_sparse_mm_reduce_impl_backward",
                                          "_sparse_semi_structured_linear",
                                          "_sparse_semi_structured_tile",
                                          "_test_ambiguous_defaults",
                                          "_test_string_default",
                                          "conv1d",
                                          "conv2d",
                                          "conv3d",
                                          "div",
                                          "div_",
                                          "divide",
                                          "divide_",
                                          "einsum",
                                          "fft_fft",
                                          "fft_fft2",
                                          "fft_fftn",
                                          "fft_hfft",
                                          "fft_hfft2",
                                          "fft_hfftn",
                                          "fft_ifft",
                                          "fft_ifft2",
                                          "fft_ifftn",
                                          "fft_ihfft",
                                          "fft_ihfft2",
                                          "fft_ihfftn",
                                          "fft_irfft",
                                          "fft_irfft2",
                                          "fft_irfftn",
                                          "fft_rfft",
                                          "fft_rfft2",
                                          "fft_rfftn",
                                          "gelu",
                                          "gelu_",
                                          "gelu_backward",
                                          "index_reduce",
                                          "index_reduce_",
                                          "linalg_cond",
                                          "linalg_eigh",
                                          "linalg_eigvalsh",
                                          "linalg_lstsq",
                                          "linalg_matrix_norm",
                                          "linalg_norm",
                                          "linalg_qr",
                                          "linalg_svd",
                                          "linalg_svdvals",
                                          "meshgrid",
                                          "nanquantile",
                                          "pad",
                                          "pad_sequence",
                                          "quantile",
                                          "scatter",
                                          "scatter_",
                                          "scatter_reduce",
                                          "scatter_reduce_",
                                          "searchsorted",
                                          "segment_reduce",
                                          "stft"};

/// Of Python's builtins those that torch-level graphs call; they compute and do nothing else.
const std::set<std::string> harmlessBuiltins{
    "abs",  "all", "any", "bool", "complex", "divmod", "float", "getattr", "int",  "len",
    "list", "max", "min", "pow",  "range",   "round",  "slice", "sum",     "tuple"};
const std::vector<std::string> builtins{"__build_class__",
                                        "__import__",
                                        "abs",
                                        "aiter",
                                        "all",
                                        "anext",
                                        "any",
                                        "ascii",
                                        "bin",
                                        "bool",
                                        "breakpoint",
                                        "bytearray",
                                        "bytes",
                                        "callable",
                                        "chr",
                                        "classmethod",
                                        "compile",
                                        "complex",
                                        "copyright",
                                        "credits",
                                        "delattr",
                                        "dict",
                                        "dir",
                                        "divmod",
                                        "enumerate",
                                        "eval",
                                        "exec",
                                        "exit",
                                        "filter",
                                        "float",
                                        "format",
                                        "frozenset",
                                        "getattr",
                                        "globals",
                                        "hasattr",
                                        "hash",
                                        "help",
                                        "hex",
                                        "id",
                                        "input",
                                        "int",
                                        "isinstance",
                                        "issubclass",
                                        "iter",
                                        "len",
                                        "license",
                                        "list",
                                        "locals",
                                        "map",
                                        "max",
                                        "memoryview",
                                        "min",
                                        "next",
                                        "object",
                                        "oct",
                                        "open",
                                        "ord",
                                        "pow",
                                        "print",
                                        "property",
                                        "quit",
                                        "range",
                                        "repr",
                                        "reversed",
                                        "round",
                                        "set",
                                        "setattr",
                                        "slice",
                                        "sorted",
                                        "staticmethod",
                                        "str",
                                        "sum",
                                        "super",
                                        "tuple",
                                        "type",
                                        "vars",
                                        "zip"};

} // namespace

class TestEngineRefusals : public QObject {
    Q_OBJECT

private slots:
    /// numpy.transpose unwraps ((1, 0),) so: the item goes with the tuple that it is assigned to.
    void aValueTakesOneOfItsItems() {
        using engine::torch_level::Value;
        Value axes = Value::tuple({Value::tuple({1, 0}), "other"});
        axes = axes.items()[0];
        QCOMPARE(axes.integers(), (std::vector<std::int64_t>{1, 0}));
        axes = axes.items()[1];
        QCOMPARE(axes.integer(), std::int64_t{0});
    }

    void functions_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("obstacle");
        const auto all = [](const char* obstacle, std::initializer_list<const char*> targets) {
            for (const char* target : targets)
                QTest::newRow(target) << target << obstacle;
        };
        // Files.
        all("refused", {"torch.ops.aten.from_file.default",
                        "torch.ops.aten.from_file.out",
                        "torch.ops.aten.from_file",
                        "torch.from_file",
                        "torch._C._from_file",
                        "torch._C._VariableFunctions.from_file",
                        "torch.UntypedStorage.from_file",
                        "torch.FloatStorage.from_file",
                        "torch.load",
                        "torch.save",
                        "torch.serialization.load",
                        "torch.storage._load_from_bytes",
                        "torch.jit.load",
                        "torch.jit.save",
                        "torch.hub.load",
                        "torch.package.PackageImporter",
                        "torch.onnx.export",
                        "torch.export.save",
                        "torch.export.load",
                        "torch._export.aot_load",
                        "torch._C.PyTorchFileReader",
                        "torch._C.PyTorchFileWriter",
                        "torch._C.import_ir_module",
                        "torch.classes.load_library",
                        "torch.utils.data.DataLoader",
                        "torch.utils.tensorboard.SummaryWriter",
                        "torch.utils.dlpack.from_dlpack",
                        "open",
                        "builtins.open",
                        "_io.open",
                        "io.FileIO",
                        "pathlib.Path",
                        "tempfile.mkstemp",
                        "glob.glob",
                        "shutil.rmtree",
                        "numpy.load",
                        "numpy.save",
                        "numpy.fromfile",
                        "numpy.memmap",
                        "numpy.loadtxt",
                        "numpy.savetxt",
                        "numpy.ndarray.tofile",
                        "pickle.loads",
                        "_pickle.load",
                        "cloudpickle.loads",
                        "marshal.loads",
                        "shelve.open",
                        "sqlite3.connect",
                        "mmap.mmap",
                        "h5py.File",
                        "safetensors.torch.load_file",
                        "pandas.read_csv",
                        "PIL.Image.open",
                        "cv2.imwrite",
                        "imageio.imread",
                        "matplotlib.pyplot.savefig",
                        "my_module.save_plot",
                        "torchvision.io.read_image",
                        "torchvision.utils.save_image",
                        "torchaudio.load",
                        "os.open",
                        "posix.open",
                        "os.remove",
                        "posix.unlink"});
        // Code and processes.
        all("refused", {"torch.ops.load_library",
                        "torch._ops.load_library",
                        "torch.utils.cpp_extension.load",
                        "torch.utils.cpp_extension.load_inline",
                        "os.system",
                        "posix.system",
                        "os.execv",
                        "posix.fork",
                        "os.kill",
                        "subprocess.run",
                        "subprocess.Popen",
                        "_posixsubprocess.fork_exec",
                        "pty.spawn",
                        "multiprocessing.Process",
                        "torch.multiprocessing.spawn",
                        "concurrent.futures.ThreadPoolExecutor",
                        "threading.Thread",
                        "_thread.start_new_thread",
                        "signal.signal",
                        "ctypes.CDLL",
                        "_ctypes.dlopen",
                        "cffi.FFI",
                        "importlib.import_module",
                        "_imp.load_dynamic",
                        "runpy.run_path",
                        "code.interact",
                        "sys.exit",
                        "eval",
                        "exec",
                        "compile",
                        "__import__",
                        "builtins.eval",
                        "builtins.exec",
                        "builtins.compile",
                        "builtins.__import__",
                        "breakpoint",
                        "globals",
                        "locals",
                        "vars"});
        // The network.
        all("refused", {"socket.socket", "_socket.socket", "ssl.wrap_socket", "urllib.request.urlopen",
                        "http.client.HTTPConnection", "requests.get", "ftplib.FTP", "smtplib.SMTP",
                        "asyncio.open_connection", "fsspec.open", "wandb.log", "webbrowser.open",
                        "torch.utils.model_zoo.load_url"});
        all("collective", {"torch.ops.c10d.allreduce_.default", "torch.ops._c10d_functional.isend.default",
                           "torch.ops._c10d_functional.batch_p2p_ops", "torch.ops._dtensor.no_such_thing",
                           "torch.ops.symm_mem.one_shot_all_reduce.default", "torch.distributed.all_reduce",
                           "torch.distributed.rpc.rpc_sync", "torch.distributed.rpc.init_rpc",
                           "torch.distributed.TCPStore", "torch.distributed.FileStore",
                           "torch._C._distributed_c10d.HashStore", "torch._C._distributed_rpc.init"});
        // The terminal, logs, the profiler.
        all("refused",
            {"print", "builtins.print", "input", "torch.ops.aten._print.default", "logging.warning",
             "warnings.warn", "torch.profiler.profile", "torch.autograd.profiler.record_function",
             "torch._C._profiler._enable", "torch._C._autograd._enable_profiler"});
        all("hook", {"torch.ops.profiler._record_function_enter_new.default",
                     "torch.ops.profiler._record_function_exit._RecordFunction",
                     "torch.ops.higher_order.call_torchbind", "torch.ops.higher_order.register_hook",
                     "torch.ops.higher_order.auto_functionalized_v2",
                     "torch.ops.higher_order.aoti_call_delegate", "torch._dynamo.graph_break"});
        // Memory that nobody checked.
        all("refused", {"torch.ops.aten._sparse_coo_tensor_unsafe.default",
                        "torch.ops.aten._nested_view_from_buffer.default",
                        "torch.ops.aten._sparse_csr_tensor_unsafe.default",
                        "torch.ops.aten._sparse_coo_tensor_with_dims_and_tensors.default",
                        "torch.ops.aten.fbgemm_linear_fp16_weight.default",
                        "torch.ops.aten._wrapped_quantized_linear_prepacked.default",
                        "torch.ops.aten.quantized_lstm.data", "torch.ops.aten.record_stream.default",
                        "torch.UntypedStorage._new_shared_filename_cpu"});
        all("hardware", {"torch.ops.higher_order.triton_kernel_wrapper_mutation",
                         "torch.ops.cuda.something.default", "torch.cuda.synchronize",
                         "torch.mps.empty_cache", "torch.ops.mkldnn._linear_pointwise.default"});
        all("unknown",
            {"torch.ops.higher_order.flex_attention_backward", "torch.nn.functional.no_such_thing",
             "torch.ops.my_library.my_op.default", "torch.ops.quantized.linear.default",
             "torch.ops.inductor.accumulate_grad_.default", "my_module.my_function", "__main__.helper"});
    }

    void functions() {
        QFETCH(QString, target);
        QFETCH(QString, obstacle);
        check(functionCall(target.toStdString()), target.toStdString(), obstacle.toStdString());
    }

    void methods_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("obstacle");
        for (const char* name : {"share_memory_", "tofile", "from_file", "_share_filename_cpu_",
                                 "_share_fd_cpu_", "record_stream"})
            QTest::newRow(name) << name << "refused";
        for (const char* name : {"storage", "untyped_storage", "data_ptr", "numpy", "__reduce_ex__",
                                 "register_hook", "__class__", "__dict__", "cuda_array_interface"})
            QTest::newRow(name) << name << "unknown";
    }

    void methods() {
        QFETCH(QString, name);
        QFETCH(QString, obstacle);
        const std::string text =
            graphOf("call_method[target=" + name.toStdString() + "](args = (%x,), kwargs = {})");
        check(text, name.toStdString(), obstacle.toStdString());
    }

    /// What is refused does not run, whatever is asked for.
    void refusedGraphsDoNothing() {
        test::ServiceRunner engine;
        const std::string hash = engine.load(functionCall("torch.ops.aten.from_file.default"));
        const json inputs = test::CaseBuilder().tensor({2}, {0, 1}).json();
        for (const char* method : {"execute", "pass", "verify", "tensor"}) {
            const json reply = engine.call(
                method, {{"graph", hash}, {"inputs", inputs}, {"passes", {"functionalize"}}, {"node", "y"}});
            QVERIFY2(!reply.is_object(), method);
            QVERIFY2(engine.lastError().find("torch.ops.aten.from_file.default (is refused") !=
                         std::string::npos,
                     engine.lastError().c_str());
        }
    }

    /// Every operator that this LibTorch registers outside aten, prims and the collectives that the engine simulates, or
    /// that is refused, stays out.
    void theListOfOperatorsIsClosed() {
        std::size_t allowed = 0, others = 0, simulated = 0;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
            const auto split = name.name.find("::");
            const std::string space = name.name.substr(0, split), op = name.name.substr(split + 2);
            const std::string overload = name.overload_name.empty() ? "default" : name.overload_name;
            const auto resolved = engine::resolve("torch.ops." + space + '.' + op + '.' + overload);
            if (space == "aten" || space == "prims") {
                ++allowed;
                continue;
            }
            if (space.starts_with("_c10d_functional") || space == "_dtensor") {
                const engine::OperatorClass* row = engine::operatorClass(name.name);
                QVERIFY2(row && row->refusal.empty() == resolved.op.has_value(), name.name.c_str());
                simulated += resolved.op.has_value();
                continue;
            }
            ++others;
            QVERIFY2(!resolved.op, name.name.c_str());
            QVERIFY2(resolved.verdict.obstacle != engine::Obstacle::None, name.name.c_str());
        }
        qInfo("%zu overloads in aten and prims, %zu outside", allowed, others);
        QVERIFY(allowed > 2000 && others > 100 && simulated == 18);
    }

    /// A new operator that takes a text must be looked at before it is allowed.
    void operatorsThatTakeTextsAreReviewed() {
        c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
        std::size_t seen = 0;
        for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
            const auto split = name.name.find("::");
            const std::string space = name.name.substr(0, split), op = name.name.substr(split + 2);
            const auto handle = dispatcher.findSchema(name);
            if ((space != "aten" && space != "prims") || !handle) continue;
            if (engine::judgeOperator(space, op).obstacle != engine::Obstacle::None) continue;
            for (const c10::Argument& argument : handle->schema().arguments()) {
                const std::string type = argument.real_type()->str();
                const bool harmless = type.find("__torch__") == std::string::npos &&
                                      type.find("Stream") == std::string::npos &&
                                      type.find("Any") == std::string::npos;
                QVERIFY2(harmless, (name.name + " takes " + type).c_str());
                if (type.find("str") == std::string::npos) continue;
                ++seen;
                QVERIFY2(reviewedTexts.contains(op), (name.name + " takes a text").c_str());
            }
        }
        QVERIFY(seen > 50);
    }

    void builtinsAreAllowedOneByOne() {
        for (const std::string& name : builtins) {
            for (const std::string& target : {name, "builtins." + name}) {
                const bool runs = static_cast<bool>(engine::torch_level::findFunction(target).function);
                QVERIFY2(!runs || harmlessBuiltins.contains(name), target.c_str());
            }
        }
    }

private:
    static void check(const std::string& text, const std::string& target, const std::string& obstacle) {
        test::ServiceRunner engine;
        const json reply = engine.call("coverage", {{"graph", engine.load(text)}});
        QVERIFY2(reply.is_object() && reply["unsupported"].size() == 1, reply.dump().c_str());
        const json& row = reply["unsupported"][0];
        QCOMPARE(row["obstacle"].get<std::string>(), obstacle);
        QCOMPARE(row["target"].get<std::string>(), target);
        QCOMPARE(row["node"].get<std::string>(), std::string("y"));
        QVERIFY(!row["reason"].get<std::string>().empty());
    }
};

QTEST_GUILESS_MAIN(TestEngineRefusals)
#include "tst_engine_refusals.moc"
