// What Verilator's writer of FST asks of zlib, so that wave files need no library: nothing gets smaller, so the writer keeps
// the bytes as they are.
#ifndef FOREBAY_FST_ZLIB_H
#define FOREBAY_FST_ZLIB_H
#include <cstring>

using Bytef = unsigned char;
using uLong = unsigned long;
using uLongf = unsigned long;
constexpr int Z_OK = 0;

inline uLong compressBound(uLong size) { return size; }

inline int compress2(Bytef* to, uLongf* room, const Bytef* from, uLong size, int) {
  if (*room < size) return -5;
  std::memcpy(to, from, size);
  *room = size;
  return Z_OK;
}
#endif
