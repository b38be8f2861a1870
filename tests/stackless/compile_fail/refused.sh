#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# refused.sh ERROR WHY COMPILER…: passes where compiling fails with an error that matches ERROR, and a
# diagnostic that matches WHY.
error=$1 why=$2
shift 2
diagnostics=$("$@" 2>&1) && { echo "it compiles: $*"; exit 1; }
echo "$diagnostics"
grep -Eq "error: .*($error)" <<<"$diagnostics" && grep -Eq "$why" <<<"$diagnostics" || {
  echo "refused, but not with an error that matches '$error', nor because of '$why'"
  exit 1
}
