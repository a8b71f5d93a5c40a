#include "run/borrowed_store.h"

namespace lakegauge::run {
namespace {

using store::RequestContext;

class BorrowedStore : public store::Store {
 public:
  explicit BorrowedStore(store::Store& lender) : lender_(lender) {}

  Result<std::optional<store::ObjectInfo>> Stat(const RequestContext& context,
                                                std::string_view key) override {
    return lender_.Stat(context, key);
  }
  Result<store::ListPage> List(const RequestContext& context, std::string_view prefix,
                               std::string_view continuation) override {
    return lender_.List(context, prefix, continuation);
  }
  Result<std::unique_ptr<store::Reader>> OpenRead(const RequestContext& context,
                                                  std::string_view key,
                                                  const store::Known& known) override {
    return lender_.OpenRead(context, key, known);
  }
  Result<std::unique_ptr<store::Writer>> OpenWrite(const RequestContext& context,
                                                   std::string_view key) override {
    return lender_.OpenWrite(context, key);
  }
  Status Delete(const RequestContext& context, std::string_view key) override {
    return lender_.Delete(context, key);
  }
  Status CopyWithin(const RequestContext& context, std::string_view from,
                    std::string_view to) override {
    return lender_.CopyWithin(context, from, to);
  }
  store::StoreDescription Describe() const override { return lender_.Describe(); }

 private:
  store::Store& lender_;
};

}  // namespace

std::unique_ptr<store::Store> Borrow(store::Store& lender) {
  return std::make_unique<BorrowedStore>(lender);
}

}  // namespace lakegauge::run
