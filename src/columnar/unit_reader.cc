#include "columnar/unit_reader.h"

#include <arrow/c/abi.h>

#include <algorithm>

namespace lakegauge::columnar {

struct UnitReader::Impl {
  NextFn next;
  std::vector<ColumnTaker> takers;
  ArrowArray batch{};
  int64_t taken = 0;   // rows of `batch` already handed out
  bool ended = false;  // a stream that said it is at its end is not asked again

  ~Impl() { Release(); }
  void Release() {
    if (batch.release != nullptr) batch.release(&batch);
    batch = ArrowArray{};
    taken = 0;
  }
  // False at the end of the stream.
  Result<bool> HaveRows() {
    while (batch.release == nullptr || taken >= batch.length) {
      Release();
      if (ended) return false;
      LG_ASSIGN_OR_RETURN(const bool more, next(&batch));
      if (!more) {
        ended = true;
        return false;
      }
      if (batch.n_children != static_cast<int64_t>(takers.size())) {
        return MakeError(ErrorCode::kInternal, "a record batch has other columns than its schema");
      }
    }
    return true;
  }
};

UnitReader::UnitReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UnitReader::UnitReader(UnitReader&&) noexcept = default;
UnitReader& UnitReader::operator=(UnitReader&&) noexcept = default;
UnitReader::~UnitReader() = default;

Result<UnitReader> UnitReader::Open(const std::vector<ColumnType>& types, const SchemaFn& schema,
                                    NextFn next) {
  auto impl = std::make_unique<Impl>();
  impl->next = std::move(next);
  ArrowSchema described{};
  LG_RETURN_IF_ERROR(schema(&described));
  Status status;
  if (described.n_children != static_cast<int64_t>(types.size())) {
    status = MakeError(ErrorCode::kInternal, "a stream has other columns than were asked for");
  }
  for (size_t c = 0; c < types.size() && status.ok(); ++c) {
    auto taker = ColumnTaker::Make(types[c], *described.children[c]);
    if (taker.ok()) {
      impl->takers.push_back(*taker);
    } else {
      status = taker.error();
    }
  }
  if (described.release != nullptr) described.release(&described);
  if (!status.ok()) return status.error();
  return UnitReader(std::move(impl));
}

Result<int64_t> UnitReader::Next(int64_t n, std::vector<ColumnValues>* out) {
  out->resize(impl_->takers.size());
  for (auto& column : *out) column.Clear();
  int64_t rows = 0;
  while (rows < n) {
    LG_ASSIGN_OR_RETURN(const bool more, impl_->HaveRows());
    if (!more) break;
    ArrowArray& batch = impl_->batch;
    const int64_t take = std::min(n - rows, batch.length - impl_->taken);
    for (size_t c = 0; c < impl_->takers.size(); ++c) {
      LG_RETURN_IF_ERROR(
          impl_->takers[c].Take(*batch.children[c], batch.offset + impl_->taken, take, &(*out)[c]));
    }
    impl_->taken += take;
    rows += take;
  }
  return rows;
}

}  // namespace lakegauge::columnar
