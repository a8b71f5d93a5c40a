#pragma once
// The tags of an XML text one by one, with their line: enough for logs, and unmoved by damage. A
// tag that cannot be read is one event; what follows it is read on. Entities are the five of XML
// and numbers; a DOCTYPE is skipped, so nothing is ever expanded or fetched.
//
// Threads: one thread at a time. Owns nothing: the text must outlive it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lakegauge::imports {

struct XmlTag {
  enum class Kind { kOpen, kClose, kAlone, kDamaged };
  Kind kind = Kind::kOpen;
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text_before;  // since the tag before it
  std::string problem;      // of a damaged one
  int64_t line = 0;         // on which it begins, from 1

  // Empty where there is none.
  std::string Attribute(const std::string& name) const;
};

class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}
  std::optional<XmlTag> Next();

 private:
  bool Skip(std::string_view opening, std::string_view closing, XmlTag* tag);
  void ReadTag(XmlTag* tag);
  bool ReadAttribute(XmlTag* tag);
  void MoveTo(size_t at);

  std::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

}  // namespace lakegauge::imports
