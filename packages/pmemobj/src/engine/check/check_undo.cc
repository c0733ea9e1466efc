#include "engine/check/check_undo.h"

#include <vector>

#include "engine/log/undo.h"

namespace potoroo::engine {

void CheckUndo::Run(uint64_t salt, uint64_t committed) {
  const BlobRef& ref = tree_.undo_area();
  if (ref.size == 0) return;
  std::vector<char> area(ref.size);
  if (!reader_.Read(ref.offset(), area.data(), area.size())) {
    problems_.Add("undo", ref.offset(), "the undo area cannot be read");
    return;
  }
  UndoEntry entry, before;
  uint64_t at = 0;
  while (LoadUndoEntry({area.data(), area.size()}, at, salt, committed,
                       report_->undo_ranges == 0 ? nullptr : &before, &entry)) {
    if (entry.reserved != 0 || !tree_.InBuffer(entry.place, entry.size)) {
      problems_.Add("undo", ref.offset() + at, "the undo area has a range that lies in no buffer");
    }
    report_->undo_ranges++;
    report_->undo_bytes += entry.size;
    at = AfterUndoEntry(at, entry.size);
    before = entry;
  }
  const UndoEntry* last = report_->undo_ranges == 0 ? nullptr : &before;
  if (MissesUndoEntry({area.data(), area.size()}, at, salt, committed, last)) {
    problems_.Add("undo", ref.offset() + at, "an entry is damaged, and later ones follow it");
  }
}

}  // namespace potoroo::engine
