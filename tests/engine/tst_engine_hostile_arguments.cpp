// SPDX-License-Identifier: BSD-3-Clause
//
// Operators whose kernels believe what they are told: a graph that lies to them is an error of one node.
#include "tests/engine/service_runner.h"

#include <QtTest>

using namespace dynascope;
using nlohmann::json;

namespace {

/// A graph of which `%x` is a tensor of that shape; `lines` are Python as print_readable() writes it.
std::string hostileGraph(const char* shape, const char* lines) {
    return std::string("class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32") + shape +
           "\"):\n" + lines + "        return (r,)\n";
}

std::string filled(const char* name, const char* shape, const char* value, const char* dtype) {
    return std::string("        ") + name + " = torch.ops.aten.full.default(" + shape + ", " + value +
           ", dtype = torch." + dtype + ", device = device(type='cpu'), pin_memory = False)\n";
}

} // namespace

class TestEngineHostileArguments : public QObject {
    Q_OBJECT
private slots:
    void aLieIsAnError_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("cause");
        const auto add = [](const char* name, const char* shape, const std::string& lines,
                            const char* cause) {
            QTest::newRow(name) << QString::fromStdString(hostileGraph(shape, lines.c_str())) << cause;
        };
        add("view that reads", "[4]",
            "        r = torch.ops.aten._reshape_alias.default(x, [1000000, 1000], [1000, 1])\n",
            "the view reaches to element 999999999 of a storage of 4");
        add("view that writes", "[4]",
            "        w = torch.ops.aten._reshape_alias.default(x, [100000], [1])\n"
            "        r = torch.ops.aten.fill_.Scalar(w, 1.0)\n",
            "the view reaches to element 99999 of a storage of 4");
        add("view of other elements", "[4]",
            "        w = torch.ops.aten.view.dtype(x, torch.int64)\n"
            "        r = torch.ops.aten._reshape_alias.default(w, [24], [1])\n",
            "of a storage of 2");
        add("view that overflows", "[4]",
            "        r = torch.ops.aten._reshape_alias.default(x, [4611686018427387904, 8], [8, 1])\n",
            "the view is too large");
        add("pool", "[1, 1, 4, 4]",
            filled("i", "[1, 1, 2, 2]", "10000000000", "int64") +
                filled("g", "[1, 1, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], "
                "[0, 0], "
                "[1, 1], False, i)\n",
            "indices has 10000000000, and only [0, 16) is there");
        add("pool of fewer planes", "[1, 1, 4, 4]",
            filled("i", "[1, 9, 2, 2]", "1", "int64") + filled("g", "[1, 9, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], "
                "[0, 0], "
                "[1, 1], False, i)\n",
            "grad_output is [1, 9, 2, 2], and self is [1, 1, 4, 4]");
        add("adaptive pool", "[1, 4, 4]",
            filled("i", "[1, 2, 2]", "-1", "int64") + filled("g", "[1, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.adaptive_max_pool2d_backward.default(g, x, i)\n",
            "indices has -1, and only [0, 16) is there");
        add("volume pool", "[1, 1, 4, 4, 4]",
            filled("i", "[1, 1, 2, 2, 2]", "64", "int64") + filled("g", "[1, 1, 2, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.max_pool3d_with_indices_backward.default(g, x, [2, 2, 2], [2, 2, "
                "2], "
                "[0, 0, 0], [1, 1, 1], False, i)\n",
            "indices has 64, and only [0, 64) is there");
        add("loss", "[4, 4]",
            filled("t", "[4]", "100000000000", "int64") + filled("w", "[]", "1.0", "float32") +
                filled("g", "[4]", "1.0", "float32") +
                "        r = torch.ops.aten.nll_loss_backward.default(g, x, t, None, 0, -100, w)\n",
            "target has 100000000000, and only [0, 4) is there");
        add("pairs", "[400, 4]",
            filled("g", "[1]", "1.0", "float32") +
                "        r = torch.ops.aten._pdist_backward.default(g, x, 2.0, g)\n",
            "400 points have 79800 pairs");
        add("pairs of points without coordinates", "[2, 1, 0]",
            "        r = torch.ops.aten._pdist_forward.default(x, 0.5)\n", "self is [2, 1, 0]");
        add("speech", "[4, 1, 4]",
            filled("t", "[1, 2]", "100000000", "int64") +
                "        q = torch.ops.aten._ctc_loss.default(x, t, [4], [2])\n        r = q[0]\n",
            "targets has 100000000, and only [0, 4) is there");
        add("segments", "[4]",
            filled("i", "[4]", "100000000", "int64") +
                "        r = torch.ops.aten.segment_reduce.default(x, 'sum', lengths = i, unsafe = True)\n",
            "unsafe=True leaves out its checks, and is refused");
        add("segments of another axis", "[4, 4]",
            filled("i", "[1, 1]", "1", "int64") +
                "        r = torch.ops.aten._segment_reduce_backward.default(x, x, x, 'sum', lengths = i)\n",
            "lengths is [1, 1] for [4, 4] along 0");
        add("segments of fewer results", "[4, 4]",
            filled("i", "[2]", "1", "int64") +
                "        r = torch.ops.aten._segment_reduce_backward.default(x, x, x, 'sum', lengths = i)\n",
            "output is [4, 4], not [2, 4]");
        add("grid", "[1, 1, 4, 4]",
            filled("g", "[1, 2, 2, 2]", "1e30", "float32") +
                "        r = torch.ops.aten.grid_sampler_2d.default(x, g, 0, 77, False)\n",
            "no padding mode 77");
        add("compressed", "[4]",
            filled("c", "[5]", "100000000", "int64") + filled("k", "[4]", "1", "int64") +
                "        r = torch.ops.aten._convert_indices_from_csr_to_coo.default(c, k)\n",
            "crow_indices has 100000000, and only [0, 5) is there");
        add("batch norm", "[2, 64, 3]",
            filled("w", "[1]", "1.0", "float32") + "        q = torch.ops.aten.native_batch_norm.default(x, "
                                                   "w, w, w, w, False, 0.1, 1e-05)\n        r = q[0]\n",
            "weight has 1 elements, not 64");
        add("embedding", "[3, 8]",
            filled("i", "[3]", "1000000", "int64") +
                "        r = torch.ops.aten.embedding_dense_backward.default(x, i, 10, -1, False)\n",
            "indices has 1000000, and only [0, 10) is there");
        add("embedding of either kind", "[3, 8]",
            filled("i", "[3]", "1000000", "int64") +
                "        r = torch.ops.aten.embedding_backward.default(x, i, 10, -1, False, False)\n",
            "indices has 1000000, and only [0, 10) is there");
        add("embedding of another gradient", "[3, 8]",
            filled("i", "[5]", "1", "int64") +
                "        r = torch.ops.aten.embedding_backward.default(x, i, 10, -1, False, False)\n",
            "the gradient is [3, 8] for indices [5]");
        add("chunks of a scalar", "[]", "        r = torch.ops.aten._chunk_cat.default([x], 0, 3)\n",
            "a tensor without dimensions cannot be cut");
        add("average pool", "[2, 3, 1, 4]",
            filled("g", "[2, 33, 1, 2]", "1.0", "float32") +
                "        r = torch.ops.aten._adaptive_avg_pool2d_backward.default(g, x)\n",
            "grad_output is [2, 33, 1, 2], and self is [2, 3, 1, 4]");
        add("volume pool that steps", "[1, 4, 4, 4]",
            filled("i", "[1, 2, 2, 4]", "1", "int64") + filled("g", "[1, 2, 2, 2]", "1.0", "float32") +
                "        s = torch.ops.aten.slice.Tensor(i, 3, 0, 4, 2)\n"
                "        r = torch.ops.aten.adaptive_max_pool3d_backward.default(g, x, s)\n",
            "indices is not contiguous");
        add("padding", "[1, 3, 3]",
            filled("g", "[1, 1, 4]", "1.0", "float32") +
                "        r = torch.ops.aten.reflection_pad1d_backward.default(g, x, [0, 1])\n",
            "grad_output is [1, 1, 4], and self is [1, 3, 3]");
        add("padding of other sizes", "[1, 3, 3]",
            filled("g", "[1, 3, 9]", "1.0", "float32") +
                "        r = torch.ops.aten.replication_pad1d_backward.default(g, x, [0, 1])\n",
            "grad_output is [1, 3, 9] for [1, 3, 3] and padding [0, 1]");
        add("result in the input", "[3, 5]",
            "        r = torch.ops.aten.reflection_pad1d.out(x, [1, 1], out = x)\n",
            "out shares memory with self");
        add("softmax", "[2, 3]",
            filled("o", "[2]", "1.0", "float32") +
                "        r = torch.ops.aten._log_softmax_backward_data.default(x, o, 1, torch.float32)\n",
            "grad_output is [2, 3], and output is [2]");
        add("Fourier", "[4]", "        r = torch.ops.aten._fft_r2c.default(x, [2147483647], 0, True)\n",
            "no dimension 2147483647 of [4]");
        add("Fourier twice", "[4]", "        r = torch.ops.aten._fft_r2c.default(x, [0, 0], 0, False)\n",
            "or twice");
        add("Fourier of a longer input", "[4]",
            "        f = torch.ops.aten._fft_r2c.default(x, [0], 0, True)\n"
            "        r = torch.ops.aten._fft_c2r.default(f, [0], 0, 2)\n",
            "last_dim_size is 2 for [3]");
        add("pivots", "[2, 2]",
            filled("p", "[2]", "-7", "int32") +
                "        r = torch.ops.aten.linalg_ldl_solve.default(x, p, x)\n",
            "pivots has -7, and only [-2, 3) is there");
        add("half a pivot", "[1, 1]",
            filled("p", "[1]", "-1", "int32") +
                "        r = torch.ops.aten.linalg_ldl_solve.default(x, p, x)\n",
            "pivots has one -1 alone");
        add("factors", "[3, 2]",
            filled("p", "[1]", "1", "int32") +
                "        q = torch.ops.aten.lu_unpack.default(x, p)\n        r = q[0]\n",
            "LU_pivots is [1] for [3, 2]");
        add("least number", "[4]",
            filled("i", "[4]", "-9223372036854775808", "int64") +
                "        r = torch.ops.aten.lcm.default(i, i)\n",
            "self has the least number of its type");
        add("attention", "[1, 2, 4, 8]",
            filled("s", "[1, 2, 0]", "1.0", "float32") +
                "        q = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(x, "
                "x, x, "
                "x, x, s, 0.0, False)\n        r = q[0]\n",
            "logsumexp is [1, 2, 0]");
        add("grouped heads", "[1, 2, 3, 4]",
            filled("k", "[1, 0, 3, 4]", "1", "float32") +
                "        a = torch.ops.aten._scaled_dot_product_attention_math.default(x, k, k, None, 0.0, "
                "False, "
                "None, enable_gqa = True)\n        r = a[0]\n",
            "without heads");
        add("heads", "[1, 1, 6]",
            filled("b", "[6]", "1.0", "float32") +
                "        q = torch.ops.aten._transform_bias_rescale_qkv.default(x, b, 0)\n        r = q[0]\n",
            "0 heads");
        add("recurrent layer", "[2, 1, 4]",
            filled("w", "[4, 4]", "1.0", "float32") +
                "        q = torch.ops.aten.mkldnn_rnn_layer.default(x, w, w, w, w, w, w, False, [], 2, 8, "
                "1, True, "
                "False, False, False)\n        r = q[0]\n",
            "weight0 is [4, 4] of Float, not [32, 4] of Float");
        add("optimizer", "[4]",
            filled("g", "[1]", "1.0", "float32") +
                "        u = torch.ops.aten._fused_sgd_.default([x], [g], [x], weight_decay = 0.0, momentum "
                "= 0.5, "
                "lr = 0.5, dampening = 0.0, nesterov = False, maximize = False, is_first_step = False)\n"
                "        r = torch.ops.aten.relu.default(x)\n",
            "self and grads differ in the sizes of tensor 0");
        add("lists", "[4]",
            "        q = torch.ops.aten._foreach_copy.default([x], [x, x, x])\n        r = q[0]\n",
            "src has 3 tensors, and self has 1");
        add("no tensors", "[4]", "        r = torch.ops.aten._stack.default([], 0)\n",
            "only PyTorch's own code calls it");
        add("view that overflows in place", "[4]",
            "        r = torch.ops.aten.as_strided_.default(x, [9223372036854775807], [1048576], 0)\n",
            "the view is too large");
        add("windows", "[4, 3]",
            "        r = torch.ops.aten.unfold_backward.default(x, [10], 0, 4611686018427387903, 2)\n",
            "windows of 4611686018427387903 every 2");
        add("noise", "[20]",
            filled("n", "[2]", "1.0", "float32") +
                "        r = torch.ops.aten.rrelu_with_noise.default(x, n, 0.1, 0.3, True)\n",
            "noise is [2], and self is [20]");
        add("weight norm", "[4, 2, 4]",
            filled("g", "[2, 0]", "1.0", "float32") +
                "        q = torch.ops.aten._weight_norm_interface.default(x, g, 2)\n        r = q[0]\n",
            "g has 0 elements, not 4");
        add("antialias", "[2, 3, 2, 8]",
            "        r = torch.ops.aten._upsample_bilinear2d_aa.default(x, [7, 2], False, 0.5, None)\n",
            "a scale of 0.5 takes 7 pixels from beyond 2");
        add("Sobol", "[4]",
            filled("t", "[3, 30]", "1", "int64") +
                "        r = torch.ops.aten._sobol_engine_initialize_state_.default(t, 4711)\n",
            "self is [3, 30]");
        add("bags", "[5, 5]",
            filled("i", "[6]", "1", "int64") + filled("o", "[0]", "0", "int64") +
                "        q = torch.ops.aten._embedding_bag.default(x, i, o)\n        r = q[0]\n",
            "offsets begin no bag");
        for (const auto& [what, offsets, answer] :
             {std::tuple{"bags that begin nowhere", "[0]", "offsets begin no bag"},
              std::tuple{"bags that begin late", "[1]", "no bag begins at 0"}})
            add(what, "[2, 5]",
                filled("i", "[6]", "1", "int64") + filled("o", offsets, "1", "int64") +
                    filled("b", "[0]", "0", "int64") + filled("s", "[2]", "0", "int64") +
                    "        r = torch.ops.aten._embedding_bag_backward.default(x, i, o, b, s, s, 5, False, "
                    "0, "
                    "False, None)\n",
                answer);
        add("bags without a row", "[1, 5]",
            filled("t", "[10, 5]", "1.0", "float32") + filled("i", "[5]", "1", "int64") +
                filled("o", "[2]", "0", "int64") + filled("b", "[0]", "0", "int64") +
                "        r = torch.ops.aten._embedding_bag_per_sample_weights_backward.default(x, t, i, o, "
                "b, "
                "0)\n",
            "offsets begin 2 bags, and the gradient is [1, 5]");
        add("unpooled into itself", "[1, 2, 2, 1]",
            filled("i", "[1, 2, 2, 1]", "0", "int64") +
                "        r = torch.ops.aten.max_unpool2d.out(x, i, [6, 1], out = x)\n",
            "out shares memory with self");
        add("no statistics", "[2, 2, 3]",
            "        q = torch.ops.aten.native_batch_norm.default(x, None, None, None, None, False, 0.1, "
            "1e-05)\n"
            "        r = q[0]\n",
            "running_mean is missing");
        add("dtype", "[4]", "        r = torch.ops.aten.sum.default(x, dtype = 4711)\n",
            "dtype is 4711, which is no dtype, layout or memory format");
        add("memory format", "[4]", "        r = torch.ops.aten.clone.default(x, memory_format = 4)\n",
            "memory_format is 4, which is no dtype, layout or memory format");
        add("sparse", "[4, 4]",
            "        s = torch.ops.aten.to_sparse.default(x)\n"
            "        i = torch.ops.aten._indices.default(s)\n"
            "        w = torch.ops.aten.fill_.Scalar(i, 1000000)\n"
            "        r = torch.ops.aten.to_dense.default(s)\n",
            "size is inconsistent with indices");
        add("nested", "[4, 4]",
            "        n = torch.ops.aten._nested_tensor_from_tensor_list.default([x, x])\n"
            "        r = torch.ops.aten.relu.default(n)\n",
            "takes a quantized, nested or MKL-DNN tensor, which is refused");
        add("helper", "[4]",
            "        i = torch.ops.aten.full.default([4], 1, dtype = torch.int64)\n"
            "        r = torch.ops.aten._cummax_helper.default(x, x, i, 0)\n",
            "only PyTorch's own code calls it");
        add("row indices that step", "[4]",
            filled("i", "[4]", "0", "int64") +
                "        s = torch.ops.aten.slice.Tensor(i, 0, 0, 4, 2)\n"
                "        r = torch.ops.aten._convert_indices_from_coo_to_csr.default(s, 3)\n",
            "self is not contiguous");
        add("no lengths", "[4, 2, 4]",
            filled("t", "[2, 2]", "1", "int64") +
                "        q = torch.ops.aten._ctc_loss.default(x, t, [], [])\n        r = q[0]\n",
            "input_lengths has 0 lengths for [4, 2, 4]");
        add("observer", "[2, 3]",
            filled("o", "[1]", "1", "int64") + filled("z", "[64]", "0", "int32") +
                filled("m", "[2]", "1.0", "float32") +
                "        q = torch.ops.aten._fused_moving_avg_obs_fq_helper.default(x, o, o, m, m, m, z, "
                "0.1, 0, 255, "
                "0, True)\n        r = q[0]\n",
            "zero_point has 64 elements, not 2");
        add("mask", "[2, 2, 3, 5]",
            filled("m", "[3, 3]", "True", "bool") +
                "        r = torch.ops.aten._masked_softmax.default(x, m, 3, 0)\n",
            "mask is [3, 3] for [2, 2, 3, 5]");
        add("packed weights", "[4, 32]",
            filled("w", "[16, 16, 1]", "1", "uint8") + filled("s", "[1, 16, 2]", "1.0", "float32") +
                "        r = torch.ops.aten._weight_int4pack_mm_for_cpu.default(x, w, 32, s)\n",
            "mat2 is [16, 16, 1]");
        add("LSTM", "[3, 2, 4]",
            filled("h", "[1, 2, 5]", "1.0", "float32") + filled("w", "[20, 4]", "1.0", "float32") +
                filled("v", "[20, 5]", "1.0", "float32") + filled("b", "[20]", "1.0", "float32") +
                "        q = torch.ops.aten.lstm.input(x, [h, h], [w, v, b, b], True, 1, 0.0, False, False, "
                "True)\n"
                "        r = q[0]\n",
            "a state is [1, 2, 5] for [3, 2, 4]");
        add("kernel size", "[1, 2, 4, 4, 4]",
            filled("w", "[3, 2, 2, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.slow_conv3d_forward.default(x, w, [2, 3, 2], None, [1, 1, 1], "
                "[0, 0, 0])\n",
            "kernel_size is [2, 3, 2], and weight is [3, 2, 2, 2, 2]");
        add("median", "[1, 4]",
            "        e = torch.ops.aten.expand.default(x, [4, 4])\n"
            "        q = torch.ops.aten.nanmedian.dim(e, 0)\n        r = q[0]\n",
            "self is expanded in dimension 0");
        add("no finite numbers", "[2, 2]",
            filled("m", "[2, 2]", "-1.0", "float32") +
                "        n = torch.ops.aten.log.default(m)\n"
                "        r = torch.ops.aten.linalg_eigvals.default(n)\n",
            "self has NaN or infinite numbers");
        add("statistics", "[4, 3, 2]",
            filled("v", "[1]", "1.0", "float32") +
                "        q = torch.ops.aten.batch_norm_update_stats.default(x, None, v, 0.1)\n        r = "
                "q[0]\n",
            "running_var has 1 elements, not 3");
        add("scale", "[2, 3, 2, 2]",
            "        r = torch.ops.aten.upsample_bicubic2d_backward.default(x, [2, 2], [2, 3, 4, 3], False, "
            "1e-300, "
            "None)\n",
            "scales_h is 1e-300 for [2, 2]");
        add("step", "[4]",
            filled("o", "[0]", "0", "int16") + "        r = torch.ops.aten.range.out(1.5, 2, 0.5, out = o)\n",
            "the step is no integer but 0");
        add("diagonals", "[2, 3]",
            filled("o", "[2]", "0", "int64") +
                "        r = torch.ops.aten._spdiags.default(x, o, [100, -1])\n",
            "shape is [100, -1]");
        add("keys", "[2, 2, 4, 8]",
            filled("k", "[2, 64, 5, 8]", "1.0", "float32") + filled("v", "[2, 2, 5, 8]", "1.0", "float32") +
                "        q = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(x, k, v)\n"
                "        r = q[0]\n",
            "query is [2, 2, 4, 8], key [2, 64, 5, 8], value [2, 2, 5, 8]");
        add("layout", "[4]", "        r = torch.ops.aten.new_zeros.default(x, [1], layout = 3)\n",
            "layout is 3, which is no dtype, layout or memory format");
        add("view that begins too far", "[1]",
            "        r = torch.ops.aten.as_strided_.default(x, [], [], 9223372036854775807)\n",
            "the view is too large");
        add("targets of fewer", "[4, 2, 5]",
            filled("t", "[1, 3]", "1", "int64") +
                "        q = torch.ops.aten._ctc_loss.default(x, t, [4, 4], [3, 2])\n        r = q[0]\n",
            "targets is [1, 3]");
        add("scaled weights", "[4, 32]",
            filled("w", "[16, 32]", "1", "int8") + filled("s", "[1]", "1.0", "float32") +
                "        e = torch.ops.aten.expand.default(s, [16])\n"
                "        r = torch.ops.aten._weight_int8pack_mm.default(x, w, e)\n",
            "scales is not contiguous");
        add("layouts", "[4, 4]",
            "        s = torch.ops.aten.to_sparse.default(x)\n"
            "        r = torch.ops.aten.copy.default(s, x)\n",
            "layouts differ");
        add("product in its factor", "[1, 2, 2]", "        r = torch.ops.aten.bmm.out(x, x, out = x)\n",
            "out shares memory with self");
        add("distances of fewer", "[1, 3, 5]",
            filled("b", "[2, 4, 5]", "1.0", "float32") + filled("d", "[0, 3, 4]", "1.0", "float32") +
                "        r = torch.ops.aten._cdist_backward.default(d, x, b, 0.0, d)\n",
            "distances are [0, 3, 4] for points [1, 3, 5] and [2, 4, 5]");
        add("diagonals outside", "[2, 3]",
            filled("o", "[2]", "-4", "int64") + "        r = torch.ops.aten._spdiags.default(x, o, [3, 3])\n",
            "offsets has -4, and only [-3, 4) is there");
        add("no sizes", "[1, 1, 4, 4]",
            filled("i", "[1, 1, 2, 2]", "1", "int64") + filled("g", "[1, 1, 2, 2]", "1.0", "float32") +
                "        r = torch.ops.aten.fractional_max_pool2d_backward.default(g, x, [2, 2], [], i)\n",
            "output_size has 0 numbers");
        add("weights that are expanded", "[1, 3]",
            filled("w", "[1]", "1.0", "float32") +
                "        e = torch.ops.aten.expand.default(w, [3])\n"
                "        q = torch.ops.aten.native_group_norm.default(x, e, e, 1, 3, 1, 1, 1e-05)\n"
                "        r = q[0]\n",
            "weight is not contiguous");
        add("packed sequence", "[6, 4]",
            filled("n", "[2]", "5", "int64") + filled("h", "[1, 5, 5]", "1.0", "float32") +
                filled("w", "[15, 4]", "1.0", "float32") + filled("v", "[15, 5]", "1.0", "float32") +
                filled("b", "[15]", "1.0", "float32") +
                "        q = torch.ops.aten.gru.data(x, n, h, [w, v, b, b], True, 1, 0.0, False, False)\n"
                "        r = q[0]\n",
            "batch_sizes take 10 of 6 rows");
    }
    void aLieIsAnError() {
        QFETCH(QString, graph);
        QFETCH(QString, cause);
        test::ServiceRunner engine;
        QVERIFY(engine.execute(graph.toStdString(), json::object()).is_null());
        QVERIFY2(engine.lastError().find(cause.toStdString()) != std::string::npos,
                 engine.lastError().c_str());
    }

    void whatIsTruePasses() {
        test::ServiceRunner engine;
        const std::string graph = hostileGraph(
            "[1, 1, 4, 4]",
            "        p = torch.ops.aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])\n"
            "        a = p[0]\n        b = p[1]\n"
            "        r = torch.ops.aten.max_pool2d_with_indices_backward.default(a, x, [2, 2], [2, 2], "
            "[0, 0], [1, 1], False, b)\n");
        const json reply = engine.execute(graph, json::object());
        QVERIFY2(reply.is_object(), engine.lastError().c_str());
        QCOMPARE(reply["outputs"][0]["shape"].dump(), std::string("[1,1,4,4]"));
    }
};

QTEST_GUILESS_MAIN(TestEngineHostileArguments)
#include "tst_engine_hostile_arguments.moc"
