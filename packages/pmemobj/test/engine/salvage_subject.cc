#include "salvage_subject.h"

#include <algorithm>

#include "engine/check/checker.h"
#include "subject.h"

using namespace potoroo;

const SalvageMap& Salvaged::Of(const std::string& name) const {
  auto map = std::find_if(report.maps.begin(), report.maps.end(),
                          [&](const SalvageMap& m) { return m.name == name; });
  EXPECT(map != report.maps.end());
  return *map;
}

size_t Salvaged::Losses(const std::string& name, const std::string& kind) const {
  const auto& losses = Of(name).losses;
  return static_cast<size_t>(
      std::count_if(losses.begin(), losses.end(), [&](const auto& l) { return l.kind == kind; }));
}

std::map<std::string, Model> ReadMaps(Pool* pool) {
  std::map<std::string, Model> all;
  auto snapshot = Take(pool);
  std::vector<NamedMap> maps;
  EXPECT_OK(snapshot->ListMaps(&maps));
  for (const NamedMap& map : maps) {
    Model& model = all[map.name];
    auto cursor = snapshot->NewCursor(map.map);
    for (cursor->SeekFirst(); cursor->Valid(); cursor->Next()) {
      model[std::string(cursor->key())] = std::string(cursor->value());
    }
    EXPECT_OK(cursor->status());
  }
  return all;
}

Salvaged SalvageFile(const std::string& path) {
  Folder folder;
  Salvaged result;
  EXPECT_OK(Salvage(path, folder / "new", {uint64_t{48} << 20, 0}, &result.report));
  CheckReport check;
  EXPECT_OK(Check(folder / "new", &check));
  EXPECT(check.sound());
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(folder / "new", {}, &pool));
  result.maps = ReadMaps(pool.get());
  return result;
}

Salvaged SalvageBytes(const std::string& bytes) {
  Folder folder;
  WriteFile(folder / "damaged", bytes);
  Salvaged result = SalvageFile(folder / "damaged");
  EXPECT(ReadFile(folder / "damaged") == bytes);
  return result;
}
