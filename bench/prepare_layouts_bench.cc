// Prepares the six layouts of the chunk-sweep study side by side, in turns:
//   ours   lakegauge: the base generated once, all layouts from one reading of it
//   anew   the study's way: generate and COPY, anew for each layout
//   once   generate once, COPY six times
// Both peers are DuckDB at its defaults, in memory, driven as any client does (duckdb_query), with
// FILE_SIZE_BYTES for the layouts that limit it.
//   prepare_layouts_bench DRIVER WORK_DIR SCALE ROUNDS
//   prepare_layouts_bench --peer anew|once DIR SCALE TPCDS_EXTENSION
#include <duckdb.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "sql/sql.h"

namespace fs = std::filesystem;
using lakegauge::Json;

namespace {

constexpr int64_t kMiB = 1 << 20;
const std::vector<int64_t> kTargets = {0, 128 * kMiB, 32 * kMiB, 16 * kMiB, 8 * kMiB, 1 * kMiB};

// --- the peers
// -------------------------------------------------------------------------------------

class Peer {
 public:
  explicit Peer(const std::string& extension) {
    duckdb_config config = nullptr;
    duckdb_create_config(&config);
    if (duckdb_open_ext(nullptr, &database_, config, nullptr) != DuckDBSuccess) std::exit(1);
    duckdb_destroy_config(&config);
    duckdb_connect(database_, &connection_);
    Run("LOAD '" + extension + "'");
  }
  ~Peer() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  std::vector<std::string> Run(const std::string& sql) {
    duckdb_result result;
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      std::fprintf(stderr, "%s\n", duckdb_result_error(&result));
      std::exit(1);
    }
    std::vector<std::string> first_column;
    for (idx_t r = 0; r < duckdb_row_count(&result); ++r) {
      char* text = duckdb_value_varchar(&result, 0, r);
      first_column.emplace_back(text == nullptr ? "" : text);
      duckdb_free(text);
    }
    duckdb_destroy_result(&result);
    return first_column;
  }
  void CopyAll(const std::string& dir, int64_t target) {
    for (const auto& table : Run("SELECT table_name FROM duckdb_tables() ORDER BY 1")) {
      const std::string folder = fmt::format("{}/{}/{}", dir, target, table);
      fs::create_directories(folder);
      Run(target == 0
              ? fmt::format("COPY {} TO '{}/data_0.parquet' (FORMAT parquet)", table, folder)
              : fmt::format("COPY {} TO '{}' (FORMAT parquet, FILE_SIZE_BYTES {}, OVERWRITE)",
                            table, folder, target));
    }
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

int RunPeer(const std::string& way, const std::string& dir, const std::string& scale,
            const std::string& extension) {
  const std::string generate = "CALL dsdgen(sf=" + scale + ")";
  if (way == "once") {
    Peer peer(extension);
    peer.Run(generate);
    for (const int64_t target : kTargets) peer.CopyAll(dir, target);
    return 0;
  }
  for (const int64_t target : kTargets) {
    Peer peer(extension);
    peer.Run(generate);
    peer.CopyAll(dir, target);
  }
  return 0;
}

// --- measuring
// -------------------------------------------------------------------------------------

struct Cost {
  double wall_s = 1e9;
  double cpu_s = 1e9;
  double peak_mib = 0;
};

// Runs a command to its end; its standard output goes to `out`.
Cost Measure(const std::vector<std::string>& command, const std::string& out) {
  sync();  // what earlier runs left to be written is not this one's burden
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr) _exit(127);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "%s failed\n", command[0].c_str());
    std::exit(1);
  }
  Cost cost;
  cost.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  cost.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  cost.peak_mib = static_cast<double>(used.ru_maxrss) / 1024;
  return cost;
}

void Better(const Cost& cost, Cost* best) {
  best->wall_s = std::min(best->wall_s, cost.wall_s);
  best->cpu_s = std::min(best->cpu_s, cost.cpu_s);
  best->peak_mib = std::max(best->peak_mib, cost.peak_mib);
}

int64_t TreeBytes(const std::string& dir) {
  int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

// Share of each table's files, its last aside, within 10% of the target, in percent.
double PeerHits(const std::string& dir, int64_t target) {
  int64_t files = 0;
  int64_t hits = 0;
  for (const auto& table : fs::directory_iterator(dir)) {
    std::map<int, int64_t> sizes;  // by the number in data_N.parquet
    for (const auto& file : fs::directory_iterator(table.path())) {
      sizes[std::atoi(file.path().stem().string().substr(5).c_str())] =
          static_cast<int64_t>(file.file_size());
    }
    if (!sizes.empty()) sizes.erase(std::prev(sizes.end()));
    for (const auto& [number, size] : sizes) {
      ++files;
      if (std::abs(size - target) * 10 <= target) ++hits;
    }
  }
  return files == 0 ? 100 : 100.0 * static_cast<double>(hits) / static_cast<double>(files);
}

int failures = 0;

void Bar(const char* what, double value, double bar, bool at_least = false) {
  const bool met = at_least ? value >= bar : value <= bar;
  if (!met) ++failures;
  std::printf("%-4s %-62s %8.3f  (bar: at %s %g)\n", met ? "ok" : "MISS", what, value,
              at_least ? "least" : "most", bar);
}

int Bench(const std::string& self, const std::string& driver, const std::string& work,
          const std::string& scale, int rounds) {
  const std::string extension = lakegauge::sql::ExtensionFolder() + "/tpcds.duckdb_extension";
  const std::string threads = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  std::map<std::string, Cost> best;
  Json ours;
  int64_t peer_unlimited = 0;
  double peer_hits = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const std::string way : {"ours", "once", "anew"}) {
      const std::string dir = work + "/" + way;
      fs::remove_all(dir);
      fs::create_directories(dir);
      std::vector<std::string> command = {self, "--peer", way, dir, scale, extension};
      if (way == "ours") {
        command = {driver, dir, scale, threads};
        for (const int64_t target : kTargets) command.push_back(std::to_string(target));
      }
      const std::string out = work + "/out";
      const Cost cost = Measure(command, out);
      std::printf("round %d  %-5s %7.1f s wall  %7.1f CPU-s  %6.0f MiB peak\n", round + 1,
                  way.c_str(), cost.wall_s, cost.cpu_s, cost.peak_mib);
      std::fflush(stdout);
      Better(cost, &best.try_emplace(way).first->second);
      if (way == "ours") {
        std::stringstream text;
        text << std::ifstream(out).rdbuf();
        auto parsed = lakegauge::ParseJson(text.str());
        if (!parsed.ok()) std::exit(1);
        ours = *parsed;
      }
      if (way == "once") {
        peer_unlimited = TreeBytes(dir + "/0");
        peer_hits = PeerHits(fmt::format("{}/{}", dir, kMiB), kMiB);
      }
      fs::remove_all(dir);
    }
  }
  const Cost& us = best["ours"];
  const Cost& anew = best["anew"];
  const Cost& once = best["once"];
  const auto layout = [&](int64_t target) {
    return *std::find_if(ours.begin(), ours.end(),
                         [&](const Json& l) { return l.at("target_bytes") == target; });
  };
  const auto percent = [&](int64_t target) {
    const Json l = layout(target);
    const double files = l.at("files_but_last");
    return files == 0 ? 100 : 100.0 * l.at("within_10_percent").get<double>() / files;
  };
  const double unlimited = layout(0).at("bytes");
  std::printf("\nbest of %d rounds at scale %s:\n", rounds, scale.c_str());
  for (const auto& [way, cost] : best) {
    std::printf("  %-5s %7.1f s wall  %7.1f CPU-s  %6.0f MiB peak\n", way.c_str(), cost.wall_s,
                cost.cpu_s, cost.peak_mib);
  }
  std::printf("  the peer's files at 1 MiB within 10%% of it: %.1f%%\n\n", peer_hits);
  Bar("wall time against generating and copying anew", us.wall_s / anew.wall_s, 0.3);
  Bar("CPU time against generating and copying anew", us.cpu_s / anew.cpu_s, 0.3);
  Bar("wall time against generating once", us.wall_s / once.wall_s, 1);
  Bar("CPU time against generating once", us.cpu_s / once.cpu_s, 1);
  Bar("peak memory, GiB", us.peak_mib / 1024, 1.5);
  Bar("files at 1 MiB within 10% of it, last aside, percent", percent(kMiB), 95, true);
  Bar("files at 8 MiB within 10% of it, last aside, percent", percent(8 * kMiB), 95, true);
  Bar("bytes at 1 MiB against unlimited", layout(kMiB).at("bytes").get<double>() / unlimited, 1.15);
  Bar("bytes unlimited against the engine's own COPY",
      unlimited / static_cast<double>(peer_unlimited), 1.10);
  std::printf("prepare_layouts ratio=%.3f bar=0.3\n",
              std::max(us.wall_s / anew.wall_s, us.cpu_s / anew.cpu_s));
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "--peer")
    return RunPeer(argv[2], argv[3], argv[4], argv[5]);
  if (argc != 5) {
    std::fprintf(stderr, "usage: prepare_layouts_bench DRIVER WORK_DIR SCALE ROUNDS\n");
    return 2;
  }
  return Bench(fs::read_symlink("/proc/self/exe").string(), argv[1], argv[2], argv[3],
               std::atoi(argv[4]));
}
