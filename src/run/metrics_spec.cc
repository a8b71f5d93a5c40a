#include "run/metrics_spec.h"

#include <algorithm>
#include <cctype>

#include "run/experiment_reader.h"

namespace lakegauge::run {
namespace {

// Source: node_exporter's collectors cpu, meminfo, diskstats, netdev, vmstat and loadavg.
constexpr std::string_view kNodeExporter[] = {
    "node_cpu_seconds_total",
    "node_disk_io_time_seconds_total",
    "node_disk_read_bytes_total",
    "node_disk_written_bytes_total",
    "node_load1",
    "node_memory_MemAvailable_bytes",
    "node_memory_MemTotal_bytes",
    "node_network_receive_bytes_total",
    "node_network_transmit_bytes_total",
    "node_vmstat_pswpin",
    "node_vmstat_pswpout",
};

// Source: MinIO's lists of metrics of version 2 (/minio/v2/metrics/node and /cluster) and version 3
// (/minio/metrics/v3).
constexpr std::string_view kMinio[] = {
    "minio_api_requests_5xx_errors_total",
    "minio_api_requests_inflight_total",
    "minio_api_requests_total",
    "minio_api_requests_traffic_received_bytes",
    "minio_api_requests_traffic_sent_bytes",
    "minio_api_requests_waiting_total",
    "minio_node_io_rchar_bytes",
    "minio_node_io_wchar_bytes",
    "minio_node_process_cpu_total_seconds",
    "minio_node_process_resident_memory_bytes",
    "minio_s3_requests_5xx_errors_total",
    "minio_s3_requests_inflight_total",
    "minio_s3_requests_total",
    "minio_s3_requests_waiting_total",
    "minio_s3_traffic_received_bytes",
    "minio_s3_traffic_sent_bytes",
    "minio_system_process_cpu_total_seconds",
    "minio_system_process_io_rchar_bytes",
    "minio_system_process_io_wchar_bytes",
    "minio_system_process_resident_memory_bytes",
};

// Source: Presto's own for its C++ workers (/v1/info/metrics: dots become underscores); the JMX
// exporter's for its Java servers; OpenMetrics of Trino (/metrics).
constexpr std::string_view kPresto[] = {
    "java_lang_*OperatingSystem*CpuLoad",
    "java_lang_*OperatingSystem*ProcessCpuTime",
    "jvm_gc_collection_seconds_sum",
    "jvm_memory_bytes_used",
    "jvm_memory_used_bytes",
    "presto_cpp_memory_manager_total_bytes",
    "presto_cpp_num_blocked_wait_for_connector_drivers",
    "presto_cpp_num_on_thread_drivers",
    "presto_cpp_num_queued_drivers",
    "presto_cpp_num_tasks_bytes_processed",
    "presto_cpp_num_tasks_running",
    "presto_cpp_os_system_cpu_time_micros",
    "presto_cpp_os_user_cpu_time_micros",
    "process_cpu_seconds_total",
    "*_execution_*QueryManager_RunningQueries",
};

bool HoldsWord(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != text.end();
}

}  // namespace

std::vector<std::string_view> MetricsKinds() {
  return {"node_exporter", "minio", "presto", "other"};
}

std::vector<std::string_view> KnownMetrics(std::string_view kind) {
  if (kind == "node_exporter") return {std::begin(kNodeExporter), std::end(kNodeExporter)};
  if (kind == "minio") return {std::begin(kMinio), std::end(kMinio)};
  if (kind == "presto") return {std::begin(kPresto), std::end(kPresto)};
  return {};
}

bool Wants(const MetricsItem& item, std::string_view metric) {
  const auto fits = [&](std::string_view pattern) { return PatternMatches(pattern, metric); };
  const auto known = KnownMetrics(item.kind);
  return std::any_of(known.begin(), known.end(), fits) ||
         std::any_of(item.names.begin(), item.names.end(), fits);
}

std::string UrlProblem(std::string_view url) {
  const bool plain = url.starts_with("http://");
  if (!plain && !url.starts_with("https://")) return "which is no http:// or https:// address";
  const std::string_view rest = url.substr(plain ? 7 : 8);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty()) return "which names no host";
  if (host.find('@') != std::string_view::npos) {
    return "which holds a user name or password; allowed a token by token_env";
  }
  const size_t query = rest.find('?');
  if (query != std::string_view::npos) {
    for (const std::string_view word :
         {"token", "password", "passwd", "secret", "key", "auth", "signature", "credential"}) {
      if (HoldsWord(rest.substr(query), word)) {
        return "which seems to hold a secret; allowed a token by token_env";
      }
    }
  }
  return "";
}

Json ToJson(const MetricsItem& item) {
  return {{"id", item.id},
          {"url", item.url},
          {"kind", item.kind},
          {"names", item.names},
          {"token_env", item.token_env},
          {"of", item.of},
          {"every_ns", item.every_ns},
          {"timeout_ns", item.timeout_ns}};
}

MetricsItem MetricsItemFromJson(const Json& json) {
  MetricsItem item;
  item.id = json.at("id");
  item.url = json.at("url");
  item.kind = json.at("kind");
  item.names = json.at("names").get<std::vector<std::string>>();
  item.token_env = json.at("token_env");
  item.of = json.at("of");
  item.every_ns = json.at("every_ns");
  item.timeout_ns = json.at("timeout_ns");
  return item;
}

}  // namespace lakegauge::run
