// A pool that is encrypted, to be damaged: its bytes now and earlier, and where what is in it lies.
#ifndef POTOROO_TEST_ENCRYPTED_SUBJECT_H_
#define POTOROO_TEST_ENCRYPTED_SUBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "engine/base/blob.h"
#include "engine/base/cipher.h"
#include "engine/space/superblock.h"

struct EncryptedSubject {
  // Each round writes all keys again.
  static constexpr int kRounds = 6;
  static constexpr int kKeys = 600;
  static constexpr int kLater = 10;  // keys that only the log has
  static const std::string kKey;

  explicit EncryptedSubject(bool in_folder);

  static std::string NameOf(int key) { return "key " + std::to_string(100000 + key); }
  static std::string ValueOf(int key, int round);
  static std::string LaterOf(int key) { return std::string(5000, static_cast<char>('a' + key)); }

  // A copy at `to`, in which the bytes at an offset of the pool are others.
  struct Patch {
    uint64_t offset;
    std::string bytes;
  };
  void CopyTo(const std::string& to, const std::vector<Patch>& patches) const;
  uint64_t size() const { return bytes.size(); }

  Folder folder;
  const bool in_folder;
  std::string bytes;               // of all files, by their offsets in the pool
  std::vector<std::string> older;  // of one file: after the three rounds before the last
  potoroo::engine::RootSlot root{};
  uint64_t superblock = 0;
  std::vector<uint64_t> extents, inner, leaves;
  std::vector<potoroo::engine::BlobRef> blobs;

 private:
  struct File {
    std::string name;  // in the folder
    uint64_t start, size;
  };
  void Read(const std::string& path, std::string* to);
  void FindPlaces(const std::string& path);
  void FindPages(uint32_t number, bool directory);

  std::vector<File> files_;
  std::unique_ptr<potoroo::engine::Cipher> cipher_;
};

#endif  // POTOROO_TEST_ENCRYPTED_SUBJECT_H_
