// SPDX-License-Identifier: BSD-3-Clause
// Compiles the headers that the tests of a kind share; the target carries them.
