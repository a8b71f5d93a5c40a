#include "import/jmeter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/tabular.h"
#include "import/values.h"
#include "import/xml_tags.h"

namespace lakegauge::imports {
namespace {

bool IsSample(const XmlTag& tag) {
  return tag.name == "sample" || tag.name == "httpSample" || tag.name == "sampleResult";
}

bool IsXml(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && text[at] == '<';
}

// Of an attribute by its short name (format 2.1) or its long one (2.0).
std::string Either(const XmlTag& tag, const char* brief, const char* full) {
  const std::string value = tag.Attribute(brief);
  return value.empty() ? tag.Attribute(full) : value;
}

// A field of `tag`: what the user set or named, else the attribute that JMeter has for it.
Result<std::string> Name(const XmlTag& tag, const char* field, const std::string& path,
                         const Mapping& mapping, const std::string& otherwise) {
  std::string text = otherwise;
  if (const auto constant = mapping.Constant(field, path)) {
    text = *constant;
  } else if (!mapping.Columns(field).empty()) {
    text.clear();
    for (const std::string& attribute : mapping.Columns(field)) {
      text += (text.empty() ? "" : "-") + tag.Attribute(attribute);
    }
  } else if (text.empty() && std::string_view(field) != "query") {
    return text;  // not said
  }
  auto name = ReadName(text);
  if (name.ok()) return name;
  return name.error().WithContext(field);
}

Result<Sample> SampleOf(const XmlTag& tag, const std::string& path, const Mapping& mapping) {
  Sample s;
  s.line = tag.line;
  LG_ASSIGN_OR_RETURN(s.query, Name(tag, "query", path, mapping, Either(tag, "lb", "label")));
  LG_ASSIGN_OR_RETURN(s.engine, Name(tag, "engine", path, mapping, ""));
  LG_ASSIGN_OR_RETURN(s.store, Name(tag, "store", path, mapping, ""));
  LG_ASSIGN_OR_RETURN(s.layout, Name(tag, "layout", path, mapping, ""));
  LG_ASSIGN_OR_RETURN(s.dataset, Name(tag, "dataset", path, mapping, ""));
  LG_ASSIGN_OR_RETURN(s.stream,
                      Name(tag, "stream", path, mapping, Either(tag, "tn", "threadName")));
  const auto status = ReadStatus(Either(tag, "s", "success"));
  if (!status.ok()) return status.error().WithContext("success");
  s.status = *status;
  const auto time = ReadTime(Either(tag, "t", "time"), 1e6);
  if (!time.ok()) return time.error().WithContext("time");
  s.elapsed_ns = *time;
  if (const auto moment = ReadMoment(Either(tag, "ts", "timeStamp")); moment.ok()) {
    s.start_utc_ns = *moment;
  }
  if (s.status != record::ExecutionStatus::kOk) {
    s.error = Either(tag, "rc", "responseCode") + " " + Either(tag, "rm", "responseMessage");
  }
  for (const auto& [attribute, metric] : {std::pair("lt", "latency"), std::pair("ct", "connect")}) {
    const auto ms = ReadInteger(tag.Attribute(attribute));
    if (ms.ok()) s.metrics.push_back({metric, static_cast<double>(*ms), "ms"});
  }
  return s;
}

class XmlLog {
 public:
  XmlLog(const std::string& path, const Mapping& mapping) : path_(path), mapping_(mapping) {}

  void Take(const XmlTag& tag) {
    using Kind = XmlTag::Kind;
    if (tag.kind == Kind::kDamaged) {
      parsed_.bad.push_back({path_, tag.line, tag.problem});
      return;
    }
    if (tag.kind == Kind::kClose) {
      if (tag.name == "failureMessage") Failed(tag.text_before);
      if (IsSample(tag) && depth_ > 0) --depth_;
      return;
    }
    if (!IsSample(tag)) return;
    if (depth_ > 0) {
      ++inside_;
    } else if (auto sample = SampleOf(tag, path_, mapping_); sample.ok()) {
      parsed_.samples.push_back(std::move(*sample));
      last_taken_ = true;
    } else {
      parsed_.bad.push_back({path_, tag.line, sample.error().message});
      last_taken_ = false;
    }
    if (tag.kind == Kind::kOpen) ++depth_;
  }
  Parsed Finish() {
    if (inside_ > 0) {
      parsed_.notes.push_back(
          fmt::format("{}: {} left out: the outer one's time holds it", path_,
                      inside_ == 1 ? "1 sample inside another was"
                                   : fmt::format("{} samples inside others were", inside_)));
    }
    return std::move(parsed_);
  }

 private:
  // The message of an assertion says more than the response's.
  void Failed(const std::string& message) {
    if (depth_ != 1 || !last_taken_) return;
    Sample& sample = parsed_.samples.back();
    if (sample.status != record::ExecutionStatus::kOk) sample.error = message;
  }

  const std::string& path_;
  const Mapping& mapping_;
  Parsed parsed_;
  int64_t depth_ = 0;   // samples that are open
  int64_t inside_ = 0;  // samples within samples
  bool last_taken_ = false;
};

}  // namespace

bool LooksLikeJmeter(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  if (IsXml(text)) return head.find("<testResults") != std::string_view::npos;
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::string plain = PlainName(line);
  return plain.find("timestamp") != std::string::npos &&
         plain.find("elapsed") != std::string::npos && plain.find("label") != std::string::npos;
}

Result<Parsed> ParseJmeter(std::string_view text, const std::string& path, const Mapping& mapping) {
  if (!IsXml(text)) return ParseJmeterCsv(text, path, mapping);
  if (text.substr(0, 65536).find("<testResults") == std::string_view::npos) {
    return MakeError(ErrorCode::kInvalidArgument,
                     path + ": XML, and no JMeter log: it has no <testResults>");
  }
  XmlLog log(path, mapping);
  XmlTags tags(text);
  while (const auto tag = tags.Next()) log.Take(*tag);
  return log.Finish();
}

}  // namespace lakegauge::imports
