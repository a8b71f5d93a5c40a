# shellcheck shell=bash disable=SC2154
# What this machine is, what it has from Debian, and how it gets the rest. Sourced by ./setup.

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# Sets `machine`, the architecture as the pins name it.
require_supported_machine() {
  machine=$(uname -m)
  [[ $(uname -s) == Linux ]] || die "only Linux is supported, this is $(uname -s)"
  case $machine in
    x86_64 | aarch64) ;;
    *) die "only x86_64 and aarch64 are supported, this is $machine" ;;
  esac
}

# Prints those of the named Debian packages that are not installed.
missing_packages() {
  dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk 'NR == FNR { if ($2 == "installed") have[$1] = 1; next } !($1 in have)' - \
      <(printf '%s\n' "$@")
}

# Installs the named Debian packages; does nothing, and needs no network, when all are there.
require_packages() {
  command -v dpkg-query >/dev/null ||
    die "this machine has no dpkg; install the equivalents of: $*"
  local missing
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $(id -u) == 0 ]] ||
    die "Debian packages are missing; run as root: apt-get install -y --no-install-recommends ${missing[*]}"
  acquire_lock
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log=$cache/apt.log
  local -a apt=(apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  # The locks are closed for apt: a service that a package starts would hold them for ever.
  if ! { "${apt[@]}" update &&
    DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null 8>&- 9>&-; then
    tail -n 5 "$log" >&2
    die "apt-get could not install: ${missing[*]} (whole log: $log)"
  fi
}
