// docs/format.md says of every structure on media what the code says.
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "engine/base/blob.h"
#include "engine/base/page.h"
#include "engine/log/log.h"
#include "engine/log/undo.h"
#include "engine/space/space.h"
#include "engine/space/superblock.h"

using namespace potoroo::engine;

namespace {

struct Field {
  size_t offset, size;
  bool operator==(const Field& other) const { return offset == other.offset && size == other.size; }
};
#define FIELD(type, name) \
  { offsetof(type, name), sizeof(type::name) }

// The rows with two numbers of the first table after the line that holds `words`, whose columns are
// offset, size and field.
std::vector<Field> TableAfter(const std::string& words) {
  std::ifstream file(FORMAT_DOCUMENT);
  EXPECT(file.good());
  std::vector<Field> rows;
  std::string line;
  bool found = false, within = false;
  while (std::getline(file, line)) {
    found = found || line.find(words) != std::string::npos;
    if (!found) continue;
    if (within && line[0] != '|') break;
    within = within || line == "| offset | size | field |";
    Field field;
    char bar = 0;
    int read = sscanf(line.c_str(), "| %zu | %zu %c", &field.offset, &field.size, &bar);
    if (within && read == 3 && bar == '|') rows.push_back(field);
  }
  return rows;
}

// The table names all fields, in order and without gaps, as far as the structure goes.
void ExpectTable(const std::string& words, size_t size, const std::vector<Field>& fields) {
  size_t end = 0;
  for (const Field& field : fields) {
    EXPECT(field.offset == end);
    end += field.size;
  }
  EXPECT(end == size);
  std::vector<Field> table = TableAfter(words);
  if (!(table == fields)) fprintf(stderr, "the table after \"%s\" is another\n", words.c_str());
  EXPECT(table == fields);
}

TEST("docs/format.md: superblock and root slot") {
  ExpectTable(
      "## Superblock", sizeof(RootPointer),
      {FIELD(RootPointer, place), FIELD(RootPointer, reserved), FIELD(RootPointer, checksum)});
  ExpectTable(
      "The superblock's page", sizeof(Superblock),
      {FIELD(Superblock, magic), FIELD(Superblock, layout_version), FIELD(Superblock, page_size),
       FIELD(Superblock, id), FIELD(Superblock, required), FIELD(Superblock, optional),
       FIELD(Superblock, upgraded), FIELD(Superblock, reserved), FIELD(Superblock, checksum)});
  ExpectTable("A root slot is a checkpoint", sizeof(RootSlot),
              {FIELD(RootSlot, number), FIELD(RootSlot, epoch), FIELD(RootSlot, salts),
               FIELD(RootSlot, undo_salt), FIELD(RootSlot, log), FIELD(RootSlot, segment_size),
               FIELD(RootSlot, segment), FIELD(RootSlot, directory), FIELD(RootSlot, reserved),
               FIELD(RootSlot, checksum)});
}

TEST("docs/format.md: log") {
  ExpectTable("## Log", sizeof(LogRecord),
              {FIELD(LogRecord, checksum), FIELD(LogRecord, size), FIELD(LogRecord, epoch),
               FIELD(LogRecord, salt), FIELD(LogRecord, count), FIELD(LogRecord, behind)});
  ExpectTable("An operation:", sizeof(LogOperation),
              {FIELD(LogOperation, kind), FIELD(LogOperation, reserved),
               FIELD(LogOperation, key_size), FIELD(LogOperation, value_size)});
}

TEST("docs/format.md: the layout version") {
  std::ifstream file(FORMAT_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  std::string version = std::to_string(kLayoutVersion);
  EXPECT(text.str().find("byte by byte: layout version " + version + ".") != std::string::npos);
  EXPECT(text.str().find("| layout version: " + version + " |") != std::string::npos);
}

TEST("docs/format.md: extents and references") {
  ExpectTable("## Extents", sizeof(ExtentHeader),
              {FIELD(ExtentHeader, magic), FIELD(ExtentHeader, offset), FIELD(ExtentHeader, size),
               FIELD(ExtentHeader, checksum), FIELD(ExtentHeader, reserved)});
  ExpectTable("## References", sizeof(BlobRef),
              {FIELD(BlobRef, size), FIELD(BlobRef, checksum), FIELD(BlobRef, place_low),
               FIELD(BlobRef, place_high), FIELD(BlobRef, birth_high), FIELD(BlobRef, birth_low)});
}

TEST("docs/format.md: pages") {
  ExpectTable("## Pages", sizeof(PageHeader),
              {FIELD(PageHeader, checksum), FIELD(PageHeader, size), FIELD(PageHeader, count),
               FIELD(PageHeader, level), FIELD(PageHeader, flags), FIELD(PageHeader, prefix),
               FIELD(PageHeader, number), FIELD(PageHeader, epoch), FIELD(PageHeader, below)});
}

TEST("docs/format.md: the undo area") {
  // The last row is the bytes that were saved.
  ExpectTable("## Buffers", sizeof(UndoEntry),
              {FIELD(UndoEntry, checksum), FIELD(UndoEntry, size), FIELD(UndoEntry, place),
               FIELD(UndoEntry, salt), FIELD(UndoEntry, transaction), FIELD(UndoEntry, number),
               FIELD(UndoEntry, reserved)});
}

}  // namespace
