// Salvages a pool from bytes that a test has damaged, and reads what came out.
#ifndef POTOROO_TEST_SALVAGE_SUBJECT_H_
#define POTOROO_TEST_SALVAGE_SUBJECT_H_

#include <map>
#include <string>

#include "engine/salvage/salvage.h"
#include "model.h"

struct Salvaged {
  potoroo::SalvageReport report;
  std::map<std::string, Model> maps;

  const potoroo::SalvageMap& Of(const std::string& name) const;
  // Counts the losses of a map.
  size_t Losses(const std::string& name, const std::string& kind) const;
};

// Salvages; expects that the files stay as they were, and that the new pool is sound.
Salvaged SalvageFile(const std::string& path);
Salvaged SalvageBytes(const std::string& bytes);

// Returns the contents of the maps of an open pool.
std::map<std::string, Model> ReadMaps(potoroo::Pool* pool);

#endif  // POTOROO_TEST_SALVAGE_SUBJECT_H_
