// A page on its way: its slots and its bytes are added in the order in which they lie in it.
//
// The bytes are the caller's, so that a builder is no more than pointers, which stay in registers.
#ifndef POTOROO_ENGINE_TREE_PAGE_BUILDER_H_
#define POTOROO_ENGINE_TREE_PAGE_BUILDER_H_

#include <cstdint>
#include <cstring>

#include "engine/base/page.h"

namespace potoroo::engine {

class PageBuilder {
 public:
  static constexpr size_t kSlotSize = 6;                    // an entry's head and its offset
  static constexpr size_t kFrame = sizeof(PageHeader) + 2;  // and the last offset

  // `image` has kPageSize bytes, aligned as a page is. `header.count` slots are to be added, and
  // then, or meanwhile, the prefix and as many entries.
  PageBuilder(char* image, const PageHeader& header)
      : image_(image),
        header_(header),
        head_(reinterpret_cast<uint32_t*>(image + sizeof header)),
        offset_(reinterpret_cast<uint16_t*>(head_ + header.count)),
        end_(reinterpret_cast<char*>(offset_ + header.count + 1)) {}

  PageBuilder(const PageBuilder&) = delete;
  PageBuilder& operator=(const PageBuilder&) = delete;

  size_t size() const { return static_cast<size_t>(end_ - image_); }
  void AddFlags(uint8_t flags) { header_.flags |= flags; }

  void AddSlot(uint32_t head, size_t offset) {
    *head_++ = head;
    *offset_++ = static_cast<uint16_t>(offset);
  }

  // The slots of a page's entries from `first` on, which lie `shift` bytes further on here; or
  // further back, as numbers wrap.
  void CopySlots(Page page, size_t first, size_t count, size_t shift) {
    memcpy(head_, page.heads() + first, 4 * count);
    head_ += count;
    const uint16_t* offsets = page.offsets() + first;
    for (size_t i = 0; i < count; i++) offset_[i] = static_cast<uint16_t>(offsets[i] + shift);
    offset_ += count;
  }

  // Returns room for `size` bytes, which the caller writes.
  char* Extend(size_t size) {
    char* at = end_;
    end_ += size;
    return at;
  }

  void Append(const void* from, size_t size) {
    if (size > 0) memcpy(end_, from, size);
    end_ += size;
  }

  void AppendMeta(size_t flags, size_t length) {
    const uint16_t meta = static_cast<uint16_t>(flags | length);
    Append(&meta, sizeof meta);
  }

  // Ends the page, whose header the caller writes.
  PageHeader Finish() {
    header_.size = static_cast<uint16_t>(size());
    *offset_ = header_.size;
    return header_;
  }

 private:
  char* const image_;
  PageHeader header_;
  uint32_t* head_;
  uint16_t* offset_;
  char* end_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_PAGE_BUILDER_H_
