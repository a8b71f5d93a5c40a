# lakegauge_room(NAME [LINK target...] [TEST_LINK target...])
#   Makes of the folder it is called in:
#     lg_NAME           static library of *.cc (header-only rooms become INTERFACE)
#     lg_NAME_testing   static library of testing/*.cc, when there are any
#     NAME_test         gtest executable of *_test.cc, when there are any, known to ctest
#     X_fuzzer          one libFuzzer executable for each X_fuzzer.cc, with LAKEGAUGE_FUZZ
#   Sub-folders with sources are part of the room. main.cc is left to the caller.
find_package(GTest REQUIRED)
include(GoogleTest)

function(lakegauge_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Werror
    # g++ 12 bug 105651: false on std::string::insert.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # With sanitizers g++ 12 also finds <regex> and <functional> uninitialised, which they are not.
    $<$<BOOL:${LAKEGAUGE_SANITIZE}>:-Wno-maybe-uninitialized>)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
endfunction()

function(lakegauge_room name)
  cmake_parse_arguments(R "" "" "LINK;TEST_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  set(fuzzers ${sources})
  set(testing ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|_fuzzer\\.cc$|/testing/|/main\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzzer\\.cc$")
  list(FILTER testing INCLUDE REGEX "/testing/")
  list(FILTER testing EXCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(lg_${name} STATIC ${sources})
    lakegauge_flags(lg_${name})
    target_link_libraries(lg_${name} PUBLIC ${R_LINK})
  else()
    add_library(lg_${name} INTERFACE)
    target_include_directories(lg_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(lg_${name} INTERFACE ${R_LINK})
  endif()
  if(testing)
    add_library(lg_${name}_testing STATIC ${testing})
    lakegauge_flags(lg_${name}_testing)
    target_link_libraries(lg_${name}_testing PUBLIC lg_${name} GTest::gmock)
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    lakegauge_flags(${name}_test)
    target_link_libraries(${name}_test PRIVATE lg_${name} ${R_TEST_LINK} GTest::gmock GTest::gtest_main)
    if(testing)
      target_link_libraries(${name}_test PRIVATE lg_${name}_testing)
    endif()
    target_compile_definitions(${name}_test PRIVATE LAKEGAUGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 600)
  endif()
  if(LAKEGAUGE_FUZZ)
    foreach(file ${fuzzers})
      get_filename_component(fuzzer ${file} NAME_WE)
      add_executable(${fuzzer} ${file})
      lakegauge_flags(${fuzzer})
      target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${fuzzer} PRIVATE lg_${name})
    endforeach()
  endif()
endfunction()
