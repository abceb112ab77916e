// What Verilator's writer of FST asks of LZ4, so that wave files need no library: blocks of literals alone, which is what the
// format allows for data that cannot be made smaller. Every reader of LZ4 reads them.
#ifndef FOREBAY_FST_LZ4_H
#define FOREBAY_FST_LZ4_H
#include <cstring>

inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

// The bytes that were written, 0 if there is no room for them.
inline int LZ4_compress_default(const char* from, char* to, int size, int room) {
  if (room < LZ4_compressBound(size)) return 0;
  char* at = to;
  if (size < 15) {
    *at++ = static_cast<char>(size << 4);
  } else {
    *at++ = static_cast<char>(0xF0);
    int more = size - 15;
    for (; more >= 255; more -= 255) *at++ = static_cast<char>(0xFF);
    *at++ = static_cast<char>(more);
  }
  std::memcpy(at, from, static_cast<std::size_t>(size));
  return static_cast<int>(at - to) + size;
}
#endif
