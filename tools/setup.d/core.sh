# shellcheck shell=bash disable=SC2034,SC2317
# What building lakegauge and running it with the embedded engine needs. Sourced by ./setup.

packages+=(
  build-essential g++ cmake ninja-build ccache git pkg-config
  python3 python3-pip python3-venv unzip ca-certificates
  libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev libexpected-dev
  libxxhash-dev libgcrypt20-dev libcurl4-gnutls-dev libgtest-dev libgmock-dev
)

# The library comes from the Node bindings, the headers from the Python sources: the only two
# registries that carry DuckDB built. The extensions are signed for exactly this version. The
# TPC-DS answers come from the sources too: the extension's tpcds_answers() of this version fails.
unpack_duckdb() { # library sources tpcds tpch httpfs
  local sources extension
  mkdir -p lib include extensions licenses answers/tpcds
  tar -xmzf "$1" --strip-components=1 -C lib package/libduckdb.so
  sources=$(basename "$2" .tar.gz)/external/duckdb
  tar -xmzf "$2" --strip-components=5 -C include "$sources/src/include"
  tar -xmzf "$2" --strip-components=3 -C licenses "$sources/LICENSE"
  tar -xmzf "$2" --strip-components=7 -C answers/tpcds "$sources/extension/tpcds/dsdgen/answers"
  shift 2
  for extension in "$@"; do
    unzip -qojDD "$extension" '*.duckdb_extension' -d extensions
  done
}

# Of the pyarrow wheel, the C++ libraries and their headers; no Python.
unpack_pyarrow() { # wheel
  unzip -qoDD "$1" 'pyarrow/include/*' '*.dist-info/licenses/*' \
    'pyarrow/libarrow.so.*' 'pyarrow/libarrow_compute.so.*' 'pyarrow/libarrow_acero.so.*' \
    'pyarrow/libarrow_dataset.so.*' 'pyarrow/libarrow_s3.so.*' 'pyarrow/libparquet.so.*'
  mv pyarrow/* .
  mv ./*.dist-info/licenses licenses
  rm -rf pyarrow ./*.dist-info
}

unpack_echarts() { # package
  tar -xmzf "$1" --strip-components=1 package/LICENSE package/NOTICE
  tar -xmzf "$1" --strip-components=2 package/dist/echarts.min.js
  tar -xmzf "$1" --strip-components=1 package/licenses
}

lay_out_core() {
  lay_out duckdb unpack_duckdb duckdb-library duckdb-source duckdb-tpcds duckdb-tpch duckdb-httpfs
  lay_out pyarrow unpack_pyarrow pyarrow
  lay_out echarts unpack_echarts echarts
}
layouts+=(lay_out_core)
