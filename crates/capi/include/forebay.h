// A network of switches for simulators in C: messages, timers, callbacks.
//
// Written from crates/capi/src by cbindgen; `cargo test -p forebay-capi` compares them, and with
// FOREBAY_WRITE_HEADER=1 writes this file.

#ifndef FOREBAY_H
#define FOREBAY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How a call ended.
typedef enum ForebayStatus {
  // It did what it should.
  FOREBAY_STATUS_OK = 0,
  // An argument is wrong.
  FOREBAY_STATUS_INVALID = 1,
  // A message makes no progress: its flow ran into one timeout after the other.
  FOREBAY_STATUS_STUCK = 2,
  // The network is running: the call is not for callbacks.
  FOREBAY_STATUS_RUNNING = 3,
} ForebayStatus;

// A network of switches and hosts that carries messages.
typedef struct ForebayNetwork ForebayNetwork;

// What a caller is told: `argument` is the one that was given with the callback.
typedef void (*ForebayCallback)(void *argument);

// What a network has counted since it was made.
typedef struct ForebayCounters {
  // Packets transmitted, each counted at every device.
  uint64_t packet_hops;
  // Packets that were lost.
  uint64_t lost;
  // Events that the simulator has handled.
  uint64_t events;
  // Receives that no message has matched yet.
  uint64_t receives_unmatched;
  // Messages that have arrived and that nobody has received yet.
  uint64_t messages_unreceived;
} ForebayCounters;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Why the last call of this thread failed, as one sentence; empty if none has. Valid until the
// next call that fails.
const char *forebay_last_error(void);

// A network without messages, or null: see `forebay_last_error`.
//
// `topology` is a shape, as "leaf-spine:16x16x8,100G,400G,1us", or a file. `settings` are `count`
// texts "name=value": the switch's name ("switch=occamy"), its parameters ("alpha=8"), and those
// of the hosts ("control=dctcp").
//
// # Safety
// `topology` and the `count` texts at `settings` are texts that end with a zero byte.
struct ForebayNetwork *forebay_network_new(const char *topology,
                                           const char *const *settings,
                                           size_t count);

// Ends a network; null is no network. Not for callbacks of the same network.
//
// # Safety
// `network` is null or comes from `forebay_network_new`, and is not used again.
void forebay_network_free(struct ForebayNetwork *network);

// How many hosts there are, numbered from 0; 0 if `network` is null.
//
// # Safety
// `network` is null or valid.
uint32_t forebay_network_hosts(const struct ForebayNetwork *network);

// The simulated time in picoseconds; 0 if `network` is null.
//
// # Safety
// `network` is null or valid.
uint64_t forebay_network_now(const struct ForebayNetwork *network);

// Host `src` sends `bytes` bytes to host `dst` now, in `traffic_class` (0 is the most urgent).
// `callback`, if it is not null, is called when the last byte has arrived.
//
// # Safety
// `network` is null or valid; `callback` may be called with `argument` whenever the network runs.
enum ForebayStatus forebay_network_send(struct ForebayNetwork *network,
                                        uint32_t src,
                                        uint32_t dst,
                                        uint64_t bytes,
                                        uint64_t tag,
                                        uint8_t traffic_class,
                                        ForebayCallback callback,
                                        void *argument);

// Host `dst` receives the next message of host `src` with this tag; `callback` is called when it
// has arrived, at once when the network runs if it has already.
//
// # Safety
// As for `forebay_network_send`.
enum ForebayStatus forebay_network_receive(struct ForebayNetwork *network,
                                           uint32_t src,
                                           uint32_t dst,
                                           uint64_t tag,
                                           ForebayCallback callback,
                                           void *argument);

// `callback` is called `delay_ps` picoseconds from now.
//
// # Safety
// As for `forebay_network_send`.
enum ForebayStatus forebay_network_schedule(struct ForebayNetwork *network,
                                            uint64_t delay_ps,
                                            ForebayCallback callback,
                                            void *argument);

// Runs until nothing is left to happen, or everything up to `until_ps` has happened (UINT64_MAX:
// no limit), and calls callbacks in the order of simulated time.
//
// # Safety
// `network` is null or valid, and every callback keeps what its own function asks for.
enum ForebayStatus forebay_network_run(struct ForebayNetwork *network, uint64_t until_ps);

// What was counted so far.
//
// # Safety
// `network` is null or valid; `counters` is null or to room for one.
enum ForebayStatus forebay_network_counters(const struct ForebayNetwork *network,
                                            struct ForebayCounters *counters);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FOREBAY_H */
