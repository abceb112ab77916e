/* Made of `rtl/tm_hybrid/csr.toml` by `python -m flow csr tm_hybrid`; change that file and run it again. */
#ifndef FOREBAY_TM_HYBRID_CSR_H
#define FOREBAY_TM_HYBRID_CSR_H

#define TM_HYBRID_ID 0x000u
#define TM_HYBRID_PORTS 0x004u
#define TM_HYBRID_NEAR_MOST 0x008u
#define TM_HYBRID_HIGH 0x00Cu
#define TM_HYBRID_LOW 0x010u
#define TM_HYBRID_CELL_BYTES 0x014u
#define TM_HYBRID_LARGEST 0x018u
#define TM_HYBRID_BATCH 0x01Cu
#define TM_HYBRID_REGIONS 0x020u
#define TM_HYBRID_NEAR 0x024u
#define TM_HYBRID_FAR 0x028u
#define TM_HYBRID_FREE_CELLS 0x02Cu
#define TM_HYBRID_FREE_REGIONS 0x030u
#define TM_HYBRID_SWAPPED_OUT 0x034u
#define TM_HYBRID_SWAPPED_IN 0x038u
#define TM_HYBRID_WRITES 0x03Cu
#define TM_HYBRID_READS 0x040u
#define TM_HYBRID_MALFORMED 0x044u
#define TM_HYBRID_ERRORS 0x048u
#define TM_HYBRID_ENABLE 0x080u
#define TM_HYBRID_LENGTH 0x084u

/* Packets; the bytes' low word is 4 behind it, the high word 8. */
#define TM_HYBRID_COUNTER(port, number) (0x400u + 0x80u * (port) + 0x10u * (number))
#define TM_HYBRID_COUNT_RECEIVED 0u
#define TM_HYBRID_COUNT_REFUSED 1u
#define TM_HYBRID_COUNT_STAGING 2u
#define TM_HYBRID_COUNT_FULL 3u
#define TM_HYBRID_COUNT_SENT_NEAR 4u
#define TM_HYBRID_COUNT_SENT_FAR 5u
#define TM_HYBRID_COUNT_DROPPED 6u

#endif
