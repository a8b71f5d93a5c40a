#pragma once
// Thrift's compact protocol, the half that writes: what Parquet's page headers and footers are made
// of.
//
// Source: thrift-compact-protocol.md of Apache Thrift.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::columnar {

class CompactWriter {
 public:
  explicit CompactWriter(std::string* out) : out_(out) {}

  void BeginStruct() {
    outer_.push_back(last_);
    last_ = 0;
  }
  void EndStruct() {
    out_->push_back(0);
    last_ = outer_.back();
    outer_.pop_back();
  }
  void Struct(int id) {
    Header(id, 12);
    BeginStruct();
  }
  void I32(int id, int32_t value) {
    Header(id, 5);
    ZigZag(value);
  }
  void I64(int id, int64_t value) {
    Header(id, 6);
    ZigZag(value);
  }
  void I16(int id, int16_t value) {
    Header(id, 4);
    ZigZag(value);
  }
  void Byte(int id, int8_t value) {
    Header(id, 3);
    out_->push_back(static_cast<char>(value));
  }
  void Bool(int id, bool value) { Header(id, value ? 1 : 2); }
  void Binary(int id, std::string_view value) {
    Header(id, 8);
    BinaryElement(value);
  }
  // A list: its header, then so many elements by the calls below.
  void ListOfI32(int id, size_t n) { List(id, 5, n); }
  void ListOfStructs(int id, size_t n) { List(id, 12, n); }
  void ListOfBinary(int id, size_t n) { List(id, 8, n); }
  void I32Element(int32_t value) { ZigZag(value); }
  void BinaryElement(std::string_view value) {
    VarInt(value.size());
    out_->append(value);
  }

 private:
  void List(int id, uint8_t type, size_t n) {
    Header(id, 9);
    if (n < 15) {
      out_->push_back(static_cast<char>(n << 4 | type));
    } else {
      out_->push_back(static_cast<char>(0xF0 | type));
      VarInt(n);
    }
  }
  void Header(int id, uint8_t type) {
    const int delta = id - last_;
    if (delta > 0 && delta <= 15) {
      out_->push_back(static_cast<char>(delta << 4 | type));
    } else {
      out_->push_back(static_cast<char>(type));
      ZigZag(id);
    }
    last_ = id;
  }
  void ZigZag(int64_t value) {
    VarInt(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void VarInt(uint64_t value) {
    while (value >= 0x80) {
      out_->push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_->push_back(static_cast<char>(value));
  }

  std::string* out_;
  int last_ = 0;
  std::vector<int> outer_;
};

}  // namespace lakegauge::columnar
