/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of pass plugins, in C: a shared object with one entry, dynascope_plugin(). The engine loads
 * plugins from its installation's folder (lib/dynascope/plugins), from the user's
 * ($XDG_DATA_HOME/dynascope/plugins, by default under ~/.local/share) and from --plugin-path, and from
 * nowhere else. A plugin that cannot be loaded is one line in `dynascope-cli passes`; an exception or a
 * failure in a pass ends that pass only. plugins/sample has a whole plugin.
 *
 * Threads: entry and passes are called on the engine's worker thread, one at a time.
 * Ownership: what the plugin hands out it keeps alive until it is unloaded; what the host hands out lives
 * until run() returns. All text is UTF-8 and ends with a zero byte.
 */
#ifndef DYNASCOPE_PLUGIN_H
#define DYNASCOPE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rises with every change that an older plugin or engine could misread. */
#define DYNASCOPE_PLUGIN_ABI 1U
/* "No node". */
#define DYNASCOPE_NO_NODE UINT32_MAX

/* The graph under way: the source, which stays as it is, and the result. */
typedef struct DynascopeGraph DynascopeGraph;

/* Nodes are numbered from 0 in graph order. A number or a text that is out of range gives 0, "" or
 * DYNASCOPE_NO_NODE. */
typedef struct DynascopeHost {
    uint32_t abi;

    uint32_t (*node_count)(const DynascopeGraph* graph);
    const char* (*node_name)(const DynascopeGraph* graph, uint32_t node);
    const char* (*node_op)(const DynascopeGraph* graph, uint32_t node);     /* "call_function" */
    const char* (*node_target)(const DynascopeGraph* graph, uint32_t node); /* "torch.ops.aten.add.Tensor" */
    const char* (*node_args)(const DynascopeGraph* graph, uint32_t node);   /* "(%x, 1)" */
    const char* (*node_kwargs)(const DynascopeGraph* graph, uint32_t node); /* "{alpha: 2}" */
    uint32_t (*input_count)(const DynascopeGraph* graph, uint32_t node);
    uint32_t (*input)(const DynascopeGraph* graph, uint32_t node, uint32_t index);
    uint32_t (*user_count)(const DynascopeGraph* graph, uint32_t node);
    uint32_t (*user)(const DynascopeGraph* graph, uint32_t node, uint32_t index);
    /* 1 where the node writes nothing and draws no random numbers. */
    int (*is_pure)(const DynascopeGraph* graph, uint32_t node);

    /* The result. A node that run() names in none of the three is kept. `why` is shown in the stepper. */
    void (*rewrite)(DynascopeGraph* graph, uint32_t node, const char* target, const char* args,
                    const char* kwargs, const char* why);
    /* Readers of the node read `replacement`, an earlier node, instead; DYNASCOPE_NO_NODE where it has none.
     */
    void (*remove)(DynascopeGraph* graph, uint32_t node, uint32_t replacement, const char* why);
    /* Ends the pass with an error once run() returns. */
    void (*fail)(DynascopeGraph* graph, const char* message);
} DynascopeHost;

typedef struct DynascopePass {
    const char* name;        /* what one types; unique among all passes */
    const char* description; /* one line */
    void (*run)(DynascopeGraph* graph, const DynascopeHost* host);
} DynascopePass;

typedef struct DynascopePlugin {
    uint32_t abi; /* DYNASCOPE_PLUGIN_ABI */
    /* TORCH_VERSION of the headers that the plugin was built with; NULL where it uses no LibTorch. */
    const char* torch_version;
    uint32_t pass_count;
    const DynascopePass* passes;
} DynascopePlugin;

#if defined(__GNUC__)
#define DYNASCOPE_EXPORT __attribute__((visibility("default")))
#else
#define DYNASCOPE_EXPORT
#endif

/* The entry. NULL means that the plugin cannot work here. */
DYNASCOPE_EXPORT const DynascopePlugin* dynascope_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
