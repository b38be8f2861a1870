# SPDX-License-Identifier: BSL-1.0
# Sourced by the commands beside it: finds a Python and hands over to one module of the package.
# The Python on the path often lacks matplotlib and scipy while Debian's own has them, so each
# candidate is asked. Whatever is missing after that is the module's business (yardstack/packages.py).

scripts=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

has_libraries() {
  "$1" -c 'import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, ("matplotlib", "scipy"))))' 2>/dev/null
}

find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if is_recent "$candidate" && has_libraries "$candidate"; then echo "$candidate"; return; fi
  done
  for candidate in /usr/bin/python3 python3; do
    if is_recent "$candidate"; then echo "$candidate"; return; fi
  done
  return 1
}

install_python() {
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "yardstack needs Python 3.11: apt-get install python3 python3-matplotlib python3-scipy" >&2
    exit 2
  fi
  echo "installing: python3" >&2
  local told
  told=$({ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install python3; } 2>&1 </dev/null) ||
    { echo "installing python3 failed: ${told##*$'\n'}" >&2; exit 2; }
}

run_module() {
  local python
  python=$(find_python) || { install_python; python=$(find_python); } ||
    { echo "yardstack needs Python 3.11 or later and found none" >&2; exit 2; }
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$scripts" exec "$python" -P -m "yardstack.$1" "${@:2}"
}
