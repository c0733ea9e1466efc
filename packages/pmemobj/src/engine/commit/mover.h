// Moves what lies in regions that are being emptied: see Space::PlanLeaving. Keys and bytes stay as
// they are, and so does the shape of the tree.
#ifndef POTOROO_ENGINE_COMMIT_MOVER_H_
#define POTOROO_ENGINE_COMMIT_MOVER_H_

#include <string>

#include "engine/tree/page_writer.h"
#include "engine/tree/transaction.h"

namespace potoroo::engine {

class Mover {
 public:
  explicit Mover(Transaction* transaction)
      : transaction_(transaction), store_(transaction->store()) {}

  // Moves a stretch of a tree, from the key `*from` on, that takes about a millisecond. `*from` is
  // then where to go on, unless it is `*done`. Damaged values, and buffers, stay where they are.
  Code Move(uint32_t* root, std::string* from, bool* done);

 private:
  bool IsSpent() const;
  Code MovePage(uint32_t level, Bytes from, NewChild* child);
  Code MoveChildren(Page page, Bytes from, char* image, bool* changed);
  Code MoveBlobs(Page page, char* image, bool* changed);
  Code MoveBlob(Page page, const char* reference, char* image, bool* changed);

  Transaction* transaction_;
  Store* store_;
  uint64_t work_ = 0;
  bool stopped_ = false;
  std::string next_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_MOVER_H_
