#pragma once
// A hash that is the same on every machine and for ever, for seeds (SplitMix64 over FNV-1a).
//
// Threads: pure.

#include <cstdint>
#include <string_view>

namespace lakegauge::run {

inline uint64_t StableHash(std::string_view text, uint64_t seed) {
  uint64_t h = 0xcbf29ce484222325 ^ seed;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  h += 0x9e3779b97f4a7c15;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

}  // namespace lakegauge::run
