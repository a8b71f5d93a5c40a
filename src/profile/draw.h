#pragma once
// Random numbers that depend on what is asked, not on when: a hash of seed, execution, key, offset,
// attempt and purpose. The same seed gives the same draws in whatever order threads come. A range
// of an object that one execution reads twice draws the same twice; another execution draws anew.
//
// Threads: pure functions. Cost: a few nanoseconds.
// Source: finalizer of SplitMix64 (Steele, Lea, Flood 2014, OOPSLA, "Fast splittable pseudorandom
//   number generators"); FNV-1a 64 for keys (Fowler, Noll, Vo).

#include <cstdint>
#include <string_view>

namespace lakegauge::profile {

enum class Purpose : uint64_t { kFirstByte = 1, kError = 2, kBackoff = 3 };

constexpr uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

constexpr uint64_t HashKey(std::string_view key) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

struct DrawKey {
  uint64_t seed = 0;
  int64_t execution = -1;
  uint64_t operation = 0;
  uint64_t key_hash = 0;
  int64_t offset = 0;
};

// Uniform in (0, 1), never 0 or 1.
constexpr double Uniform(const DrawKey& key, int attempt, Purpose purpose) {
  uint64_t h = Mix(key.seed);
  h = Mix(h ^ static_cast<uint64_t>(key.execution));
  h = Mix(h ^ key.operation);
  h = Mix(h ^ key.key_hash);
  h = Mix(h ^ static_cast<uint64_t>(key.offset));
  h = Mix(h ^ (static_cast<uint64_t>(attempt) << 8 | static_cast<uint64_t>(purpose)));
  return (static_cast<double>(h >> 11) + 0.5) * 0x1p-53;
}

}  // namespace lakegauge::profile
