// SPDX-License-Identifier: BSD-3-Clause
//
// Nothing: a library of this has the name of one that is not on this machine, so that the plugin can say that
// it needs it. The names that the plugin uses are looked up when it is loaded, in the real ones.
