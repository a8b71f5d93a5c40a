#include "run/metrics_http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace lakegauge::run {
namespace {

constexpr size_t kMostBytes = 16 << 20;
constexpr int64_t kNsPerMs = 1'000'000;

struct Body {
  std::string text;
  bool too_long = false;
};

size_t Take(char* data, size_t size, size_t count, void* into) {
  auto& body = *static_cast<Body*>(into);
  const size_t bytes = size * count;
  if (body.text.size() + bytes > kMostBytes) {
    body.too_long = true;
    return 0;
  }
  body.text.append(data, bytes);
  return bytes;
}

struct CloseCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

}  // namespace

struct PageGetter::State {
  std::unique_ptr<CURL, CloseCurl> curl;
  std::unique_ptr<curl_slist, CloseCurl> headers;
  Body body;
};

PageGetter::PageGetter(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageGetter::PageGetter(PageGetter&&) noexcept = default;
PageGetter& PageGetter::operator=(PageGetter&&) noexcept = default;
PageGetter::~PageGetter() = default;

Result<PageGetter> PageGetter::Open(const std::string& url, int64_t timeout_ns,
                                    const std::string& token) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  auto state = std::make_unique<State>();
  state->curl.reset(curl_easy_init());
  if (!state->curl) return MakeError(ErrorCode::kInternal, "libcurl cannot start");
  CURL* curl = state->curl.get();
  state->headers.reset(curl_slist_append(nullptr, "Accept: text/plain;version=0.0.4,*/*;q=0.1"));
  if (!token.empty()) {
    curl_slist_append(state->headers.get(), ("Authorization: Bearer " + token).c_str());
  }
  const auto timeout_ms = static_cast<long>(std::max<int64_t>(1, timeout_ns / kNsPerMs));  // NOLINT
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, state->headers.get());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &state->body);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  // Not over a proxy of the environment's: the servers watched are the cluster's own. No redirect
  // either, which could carry the token elsewhere.
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "lakegauge");
  return PageGetter(std::move(state));
}

Result<std::string> PageGetter::Get() {
  State& s = *state_;
  s.body = {};
  const CURLcode code = curl_easy_perform(s.curl.get());
  if (s.body.too_long) return MakeError(ErrorCode::kCorrupt, "an answer of more than 16 MiB");
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return MakeError(ErrorCode::kTimeout, "no answer in time");
  }
  if (code != CURLE_OK) return MakeError(ErrorCode::kUnavailable, curl_easy_strerror(code));
  long status = 0;  // NOLINT(google-runtime-int): libcurl's type
  curl_easy_getinfo(s.curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    const bool denied = status == 401 || status == 403;
    Error error = MakeError(denied ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable,
                            fmt::format("answered with status {}", status));
    error.http_status = static_cast<int>(status);
    return error;
  }
  return std::move(s.body.text);
}

}  // namespace lakegauge::run
