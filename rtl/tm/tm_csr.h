/* Made of `rtl/tm/csr.toml` by `python -m flow csr tm`; change that file and run it again. */
#ifndef FOREBAY_TM_CSR_H
#define FOREBAY_TM_CSR_H

#define TM_ID 0x000u
#define TM_PORTS 0x004u
#define TM_CLASSES 0x008u
#define TM_CELLS 0x00Cu
#define TM_CELL_BYTES 0x010u
#define TM_ALPHA_LOG2 0x014u
#define TM_LARGEST 0x018u
#define TM_FREE 0x01Cu
#define TM_MALFORMED 0x020u
#define TM_EXPEL 0x040u
#define TM_ENABLE 0x044u
#define TM_LENGTH 0x048u

/* Packets; the bytes' low word is 4 behind it, the high word 8. */
#define TM_COUNTER(port, number) (0x400u + 0x80u * (port) + 0x10u * (number))
#define TM_COUNT_RECEIVED 0u
#define TM_COUNT_REFUSED 1u
#define TM_COUNT_THRESHOLD 2u
#define TM_COUNT_FULL 3u
#define TM_COUNT_SENT 4u
#define TM_COUNT_EXPELLED 5u

#endif
