// SPDX-License-Identifier: BSD-3-Clause
//
// A shared object that is no plugin.
extern "C" int somethingElse() {
    return 1;
}
