#include "engine/maps/map_list.h"

#include <unordered_set>

#include "engine/tree/search.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {
namespace {

class Lister {
 public:
  Lister(const Store& store, uint64_t epoch, std::vector<std::string>* names)
      : store_(store), epoch_(epoch), names_(names) {}

  // A page that is referred to twice would be visited any number of times.
  bool Visit(const char* data) {
    if (data == nullptr) return false;
    Page page(data);
    if (page.header().epoch > epoch_ || !seen_.insert(page.header().number).second) return false;
    for (uint32_t i = 0; i < page.count(); i++) {
      if (page.level() == 0) {
        if (!Name(page, i)) return false;
      } else if (!Visit(store_.LoadPage(page.child(i), page.level() - 1))) {
        return false;
      }
    }
    return true;
  }

 private:
  bool Name(Page page, uint32_t index) {
    PageEntry entry = page.entry(index);
    if ((entry.flags & (kEntryValueBlob | kEntryBuffer)) ||
        entry.payload.size() != sizeof(DirectoryValue)) {
      return false;
    }
    std::string buffer;
    Bytes name;
    if (!WholeKey(store_, page, index, &buffer, &name)) return false;
    names_->emplace_back(name);
    return true;
  }

  const Store& store_;
  const uint64_t epoch_;
  std::vector<std::string>* names_;
  std::unordered_set<uint32_t> seen_;
};

}  // namespace

Status ListMaps(const Store& store, uint32_t directory, uint64_t epoch,
                std::vector<std::string>* names) {
  if (directory == 0) return Status::Ok();
  if (Lister(store, epoch, names).Visit(store.LoadPage(directory))) return Status::Ok();
  return Status(Code::kCorrupt, "the directory of maps is damaged");
}

}  // namespace potoroo::engine
