// Applies edits to a tree by copy-on-write: each page that changes is copied, once, and so are the
// pages above it; all others are shared between the old tree and the new one.
#ifndef POTOROO_ENGINE_TREE_TREE_WRITER_H_
#define POTOROO_ENGINE_TREE_TREE_WRITER_H_

#include <string>
#include <vector>

#include "engine/tree/edits.h"
#include "engine/tree/page_writer.h"
#include "engine/tree/transaction.h"

namespace potoroo::engine {

class TreeWriter {
 public:
  explicit TreeWriter(Transaction* transaction)
      : transaction_(transaction), store_(transaction->store()), writer_(transaction) {}

  // `root` is the number of the root page, 0 of an empty tree. It stays as it is where the edits
  // change nothing.
  Code Apply(const Edits& edits, uint32_t* root);
  // Applies one point.
  Code ApplyPoint(const Point& point, uint32_t* root);
  // Gives up all pages and blobs of a tree.
  Code Drop(uint32_t root);
  // Whether what is given up has to be known one by one, and not as whole trees.
  void set_thorough(bool thorough) { thorough_ = thorough; }

 private:
  using Entries = std::vector<NewEntry>;
  struct Points {
    const Point* begin;
    const Point* end;
  };
  // The place at which a path to a leaf leads on from an inner page.
  struct Step {
    const char* page;
    uint32_t index;
  };
  // A child that was visited, and where among the kids those end that take its place.
  struct Visit {
    uint32_t index;
    size_t end;
    uint64_t entries;  // that it had: see EntriesOf
  };
  // The keys that may lie below a page; `high` does not where `no_high`.
  struct Bounds {
    Bytes low;
    Bytes high;
    bool no_high;
  };

  Code ApplyTogether(const Edits& edits, uint32_t* root);

  // tree_point.cc
  Code TryPoint(const Point& point, uint32_t* root, bool* done);
  Code TryPut(Page leaf, const Point& point, NewChild* child, bool* done);
  Code TryDelete(Page leaf, const Point& point, NewChild* child, bool* done);
  Code Climb(NewChild child, uint32_t top, uint32_t* root);

  // Each appends to `out` what its parent has to refer to in the place of `self`.
  Code ApplyPage(Page page, const NewEntry& self, Points points, const Bounds& bounds,
                 Entries* out);
  Code ApplyLeaf(Page page, const NewEntry& self, Points points, Entries* out);
  Code ApplyInner(Page page, const NewEntry& self, Points points, const Bounds& bounds,
                  Entries* out);
  Code ApplyTouched(Page page, const NewEntry& self, Points points, Entries* out);
  Code VisitTouched(Page page, Points points, Entries* kids, bool* changed);
  bool OneForOne(const Entries& kids, const std::vector<Visit>& visits) const;
  uint64_t MoreEntries(const Entries& kids, const std::vector<Visit>& visits) const;
  Code WriteInner(Page page, const NewEntry& self, Entries* kids, Entries* out);
  Code VisitAll(Page page, Points points, const Bounds& bounds, Entries* kids, bool* changed);
  Code ApplyChild(Page page, uint32_t index, Points points, const Bounds& bounds, Entries* kids,
                  bool* changed, uint64_t* entries);
  Code CopyLeafRun(Page page, uint32_t from, uint32_t to, Entries* entries, bool* changed);
  Code AddPut(const Point& point, Entries* entries);
  Code Finish(Entries* top, uint32_t level, uint32_t* root);

  // tree_shrink.cc
  Code MergeUnderfull(uint32_t level, Entries* kids);
  Code Merge(uint32_t level, Entries* kids, size_t left, bool* merged);
  Code DropPage(uint32_t number, uint32_t level, bool has_blobs);

  void Retire(Page page) { transaction_->RetirePage(page.header().number, page.header().epoch); }
  void RetireKey(const char* key_blob) {
    if (key_blob != nullptr) transaction_->RetireBlob(BlobRef::Load(key_blob));
  }
  void RetireEntry(const PageEntry& entry);

  Transaction* transaction_;
  Store* store_;
  PageWriter writer_;
  const Edits* edits_ = nullptr;
  bool thorough_ = false;
  Entries kids_[kMaxLevel + 2];  // by level; index 0 holds the entries of leaves
  Entries merging_;
  std::vector<Visit> visits_[kMaxLevel + 1];  // by level
  std::vector<uint32_t> places_;
  Step path_[kMaxLevel + 1];  // by level
  Edits point_edits_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_TREE_WRITER_H_
