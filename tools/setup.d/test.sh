# shellcheck shell=bash disable=SC2034,SC2317
# What ./test needs beyond core: checkers, fuzzing, and a browser with something to drive it.
# Sourced by ./setup.

packages+=(
  clang-16 clang-format-16 clang-tidy-16 libclang-rt-16-dev shellcheck strace
  prometheus-node-exporter
  chromium fonts-dejavu-core
)

unpack_playwright() { # package
  mkdir node_modules node_modules/playwright-core
  tar -xmzf "$1" --strip-components=1 -C node_modules/playwright-core
}

lay_out_test() {
  lay_out_node
  lay_out playwright unpack_playwright playwright-core
}
layouts+=(lay_out_test)
