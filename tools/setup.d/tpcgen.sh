# shellcheck shell=bash disable=SC2034,SC2317
# The second generator of TPC-DS, for experiments that name it (generator: tpcgen). Sourced by
# ./setup.

packages+=(python3 python3-pip unzip ca-certificates)

# The wheel holds the program as it was built; of it, that and its licence.
unpack_tpcgen() { # wheel
  unzip -qojDD "$1" '*.data/scripts/tpcgen-cli'
  unzip -qojDD "$1" '*.dist-info/licenses/*' -d licenses
  chmod +x tpcgen-cli
}

lay_out_tpcgen() { lay_out tpcgen unpack_tpcgen tpcgen; }
layouts+=(lay_out_tpcgen)
