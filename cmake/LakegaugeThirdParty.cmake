# Imported targets for what ./setup lays under third_party/ and what apt brings.
#   lg_duckdb    the DuckDB shared library; lg_duckdb has C and C++ headers (only sql and engine/duckdb use them)
#   lg_arrow     Arrow and Parquet C++ from the pyarrow wheel (only columnar and the store adapters use them)
#   lg_gcrypt, lg_xxhash, lg_curl, lg_fmt, lg_yaml, lg_json, lg_cli11   one thin target each
set(LAKEGAUGE_THIRD_PARTY ${CMAKE_SOURCE_DIR}/third_party CACHE PATH "what ./setup laid out")
if(NOT EXISTS ${LAKEGAUGE_THIRD_PARTY}/duckdb/lib/libduckdb.so)
  message(FATAL_ERROR "third_party/ is not laid out: run ./setup first")
endif()

add_library(lg_duckdb SHARED IMPORTED GLOBAL)
set_target_properties(lg_duckdb PROPERTIES
  IMPORTED_LOCATION ${LAKEGAUGE_THIRD_PARTY}/duckdb/lib/libduckdb.so
  INTERFACE_INCLUDE_DIRECTORIES ${LAKEGAUGE_THIRD_PARTY}/duckdb/include)

file(STRINGS ${LAKEGAUGE_THIRD_PARTY}/pyarrow/include/arrow/util/config.h _arrow_version
     REGEX "define ARROW_VERSION_STRING")
string(REGEX REPLACE ".*\"([0-9]+)\\.([0-9]+)\\..*" "\\1;\\2" _arrow_mm "${_arrow_version}")
list(GET _arrow_mm 0 _arrow_major)
list(GET _arrow_mm 1 _arrow_minor)
math(EXPR _arrow_so "${_arrow_major} * 100 + ${_arrow_minor}")
add_library(lg_arrow INTERFACE)
foreach(lib arrow arrow_compute parquet)
  add_library(lg_${lib}_so SHARED IMPORTED GLOBAL)
  set_target_properties(lg_${lib}_so PROPERTIES
    IMPORTED_LOCATION ${LAKEGAUGE_THIRD_PARTY}/pyarrow/lib${lib}.so.${_arrow_so}
    INTERFACE_INCLUDE_DIRECTORIES ${LAKEGAUGE_THIRD_PARTY}/pyarrow/include)
  target_link_libraries(lg_arrow INTERFACE lg_${lib}_so)
endforeach()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_library(GCRYPT_LIBRARY gcrypt REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
# The build on GnuTLS: OpenSSL's symbols would meet those that Arrow's libraries carry.
find_library(CURL_LIBRARY NAMES curl-gnutls REQUIRED)
add_library(lg_gcrypt INTERFACE)
target_link_libraries(lg_gcrypt INTERFACE ${GCRYPT_LIBRARY})
add_library(lg_xxhash INTERFACE)
target_link_libraries(lg_xxhash INTERFACE ${XXHASH_LIBRARY})
add_library(lg_curl INTERFACE)
target_link_libraries(lg_curl INTERFACE ${CURL_LIBRARY})
add_library(lg_fmt INTERFACE)
target_link_libraries(lg_fmt INTERFACE fmt::fmt)
add_library(lg_json INTERFACE)
target_link_libraries(lg_json INTERFACE nlohmann_json::nlohmann_json)
add_library(lg_yaml INTERFACE)
target_link_libraries(lg_yaml INTERFACE yaml-cpp)
