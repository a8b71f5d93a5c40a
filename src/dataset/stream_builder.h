#pragma once
// Decides which row streams a set of layouts needs: layouts that agree in row order, format
// and stored columns share one, so that their rows are read and encoded once. Private to this room.
//
// Threads: one at a time.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "dataset/layout_writer.h"
#include "dataset/row_stream.h"

namespace lakegauge::dataset {

// A layout's part in a stream.
struct StreamMember {
  size_t layout = 0;  // index in the call's layouts
  size_t codec = 0;   // index in the stream's codecs
};

struct PlannedStream {
  RowStream stream;
  std::vector<StreamMember> members;
};

class StreamBuilder {
 public:
  // `scratch` is an attached database in which sorted copies of tables may be made, stopped early
  // by interrupting the connection.
  StreamBuilder(sql::Connection* connection, std::string base_schema, std::string scratch_schema)
      : connection_(connection),
        base_schema_(std::move(base_schema)),
        scratch_schema_(std::move(scratch_schema)) {}
  // Streams of one table for those layouts (not ORC) that hold it.
  Status Add(const TablePlan& plan, const std::vector<LayoutInMaking>& layouts);
  std::deque<PlannedStream>& streams() { return streams_; }
  // The table's rows in a layout's order, as SQL names them, and their segments.
  Status Order(const TablePlan& plan, const LayoutSpec& layout, std::string* source,
               std::vector<Segment>* segments);

 private:
  sql::Connection* connection_;
  std::string base_schema_;
  std::string scratch_schema_;
  std::deque<PlannedStream> streams_;
  std::map<std::string, std::string> sorted_;  // order by -> scratch table
};

// Columns of a table that a layout's files hold.
std::vector<size_t> StoredColumns(const TablePlan& plan, const LayoutSpec& layout);
bool HoldsTable(const LayoutSpec& layout, const std::string& table);

}  // namespace lakegauge::dataset
