#pragma once
// What stands around the pages of a Parquet file: page headers and the footer. Files are assembled
// from pages that are ready; nothing here encodes a value.
//
// Threads: values. Source: parquet.thrift of Parquet format 2.11.

#include <cstdint>
#include <string>
#include <vector>

#include "columnar/block_codec.h"
#include "columnar/column_type.h"
#include "columnar/page_encoder.h"

namespace lakegauge::columnar {

inline constexpr char kParquetMagic[] = "PAR1";

// A page: header and compressed body, as it will stand in a file.
struct Page {
  std::string bytes;
  int64_t uncompressed = 0;  // header and body before compression, as footers count it
};
Status AppendDataPage(const ColumnPlan& plan, const ColumnValues& values, const std::string& body,
                      const BlockCodec& codec, std::string* out, int64_t* uncompressed);
Result<Page> MakeDictionaryPage(const Dictionary& dictionary, const BlockCodec& codec);

struct ChunkFacts {
  int64_t offset = 0;            // of its first page in the file
  int64_t dictionary_bytes = 0;  // of its dictionary page, header included; 0: none
  int64_t compressed = 0;        // all pages, headers included
  int64_t uncompressed = 0;
  int64_t data_pages = 0;
  Bounds bounds;
};

struct RowGroupFacts {
  int64_t rows = 0;
  std::vector<ChunkFacts> chunks;  // one a column
};

// Footer with its length and the closing magic.
std::string MakeFooter(const std::vector<ColumnPlan>& plans, int codec_number,
                       const std::vector<RowGroupFacts>& row_groups);

}  // namespace lakegauge::columnar
