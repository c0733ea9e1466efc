// The contents of a pool as a number: the sum of a hash of each map's name and of each entry. So it
// can be kept up to date without the pool, and compared across processes.
#ifndef POTOROO_TEST_DIGEST_H_
#define POTOROO_TEST_DIGEST_H_

#include <map>
#include <string>
#include <vector>

#include "model.h"

using Digest = uint64_t;

Digest DigestOfMap(potoroo::Bytes name);
Digest DigestOfEntry(potoroo::Bytes map, potoroo::Bytes key, potoroo::Bytes value);

// Computes the digest of a pool: reads each page and value, walks each map by cursor, in order, and
// looks some keys up. kCorrupt if anything of that fails.
potoroo::Status DigestOf(potoroo::Pool* pool, Digest* digest);

// The contents of the maps of a pool, without the values themselves.
class Maps {
 public:
  bool Has(const std::string& name) const { return maps_.count(name) > 0; }
  void Open(const std::string& name);
  void Drop(const std::string& name);
  void Put(const std::string& name, const std::string& key, const std::string& value);
  void Delete(const std::string& name, const std::string& key);
  // `to` empty: to the end.
  void DeleteRange(const std::string& name, const std::string& from, const std::string& to);
  Digest digest() const { return digest_; }

 private:
  using Entries = std::map<std::string, Digest>;  // by key
  std::map<std::string, Entries> maps_;
  Digest digest_ = 0;
};

#endif  // POTOROO_TEST_DIGEST_H_
