// A pool that is damaged where it matters: places in a template, and edits of a copy of it.
#ifndef POTOROO_FUZZ_DAMAGE_H_
#define POTOROO_FUZZ_DAMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/cipher.h"
#include "image.h"
#include "input.h"
#include "model.h"
#include "secret.h"

struct Span {
  uint64_t offset;
  uint64_t size;
};

// Places that an edit may hit.
enum PlaceKind {
  kSuperblock,
  kRootSlot,
  kPage,
  kExtent,
  kHeader,
  kHeap,
  kBlob,
  kLanes,
  kLog,
  kUndo,
  kKeySlot,
  kPlaceKinds
};

class Template {
 public:
  static const Template& Get();
  const Image& image() const { return image_; }
  // States that the pool may hold: with none of the log's records, with the first, …, with all.
  const std::vector<std::vector<Model>>& states() const { return states_; }
  // Places of a kind; none if such a pool does not have it.
  const std::vector<Span>& places(PlaceKind kind) const { return places_[kind]; }

 private:
  Template();
  void Fill(const std::string& path);
  void LeaveTransaction(potoroo::Pool* pool);
  void WriteLog(potoroo::Pool* pool, std::vector<Model> models);
  void FindHeap(const std::string& path);
  void FindLog(uint64_t offset);
  void FindUndo();
  void FindPages(uint32_t number, bool directory);

  Image image_;
  std::unique_ptr<potoroo::engine::Cipher> cipher_;
  std::vector<std::vector<Model>> states_;
  std::vector<Span> places_[kPlaceKinds];
};

// Applies the edits that the input names to the file. `forged`: some were given a checksum that
// holds, as a defect of the engine would leave it, and not damage.
void Damage(Input* input, const std::string& path, bool* forged);

#endif  // POTOROO_FUZZ_DAMAGE_H_
