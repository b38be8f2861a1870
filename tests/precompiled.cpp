// SPDX-License-Identifier: BSL-1.0
// Nothing: the target that compiles the tests' headers beforehand needs a source.
