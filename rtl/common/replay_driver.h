// What the drivers of models for `forebay replay --rtl` share: packets in on standard input, events out on standard output, the
// clock, the ports' rates, the registers, the wave, and how a model ends. A core's driver says what of its signals is told.
//
//   CORE_replay SHARES [SETTING ...] [WAVE FROM TO]
//
// SHARES: of each port, beats that it takes in 2^32 cycles, with commas. WAVE: a file for the signals from one cycle to before
// another, as FST, if this was built with it.
//
// A packet, little endian: u64 the cycle before which it does not come, u32 bytes, u32 field, u16 port, u8 class, u8 source,
// and its bytes. An event: u64 cycle, u8 kind, u8 small, u16 queue, u32 value; behind `Out` the packet's bytes. Cycles in which
// nothing is under way are skipped, and count. What the core's assertions say goes to standard error, with exit code 3, and so
// does that it takes nothing any more. A wave that cannot be written is exit code 4. Whoever sends SIGTERM gets what has happened
// until then and whole files, with exit code 143.
#ifndef FOREBAY_REPLAY_DRIVER_H
#define FOREBAY_REPLAY_DRIVER_H

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"
#ifdef WAVE
#include "verilated_fst_c.h"
#endif

namespace driver {

// Cycles without an event after which nothing is under way: more than Occamy's sweep over all queues takes.
constexpr unsigned Rest = 600;
// Cycles after which a core that is not ready is given up: more than it has cells.
constexpr unsigned Patience = 1 << 20;
// Cycles after which what was told goes out, so that the follower keeps up.
constexpr std::uint64_t Told = 1 << 16;

// Events that every core has; the others are its own.
enum Common : std::uint8_t {
  Malformed = 0,
  Out = 6,  // small: port; queue: class, and source in the upper byte; value: bytes, which follow
  Counter = 8,  // small: port; queue: number; value: packets; cycle: bytes
  End = 9,
  Register = 10,  // small: which; value: what it holds
};

struct Packet {
  std::uint64_t earliest = 0;
  std::uint32_t field = 0;
  std::uint16_t port = 0;
  std::uint8_t klass = 0, source = 0;
  std::vector<std::uint8_t> bytes;
};

// Whether the end was asked for.
inline volatile std::sig_atomic_t asked_to_end = 0;

// Where events go: what the simulator prints must not come between them.
inline FILE* events = nullptr;
#ifdef WAVE
inline VerilatedFstC* open_wave = nullptr;
#endif

template <typename T>
bool take(T& into) {
  return std::fread(&into, sizeof into, 1, stdin) == 1;
}

// The next packet of standard input; false at its end.
inline bool take(Packet& packet) {
  std::uint32_t length = 0;
  if (!take(packet.earliest) || !take(length) || !take(packet.field) || !take(packet.port) || !take(packet.klass) ||
      !take(packet.source)) {
    return false;
  }
  packet.bytes.resize(length);
  return std::fread(packet.bytes.data(), 1, length, stdin) == length;
}

#ifdef WAVE
// The wave cannot be written: its writer knows no other way to say so than to abort. What was told comes out first.
[[noreturn]] inline void unwritten(int) {
  std::fflush(events);
  std::_Exit(4);
}
#endif

// The core does not go on: that is said, and files are closed.
[[noreturn]] inline void give_up(const char* why, std::uint64_t cycle) {
  std::fprintf(stderr, "Stuck: %s cycle %llu\n", why, static_cast<unsigned long long>(cycle));
  std::fflush(nullptr);
#ifdef WAVE
  if (open_wave != nullptr) open_wave->close();
#endif
  std::_Exit(3);
}

// Where the signals go: a file, and the cycles of which it gets them.
struct Wave {
  const char* file = nullptr;
  std::uint64_t from = 0, to = 0;
};

// A model between its clock edges. `Core` is the driver of a core: it tells what happens in a cycle (`tell`, whether anything
// does), sets what of a packet only it knows (`offer_own`), and passes the cycles until the core is ready (`before_ready`).
template <typename Model, typename Core>
class Bench {
 public:
  Bench(std::vector<std::uint64_t> shares, const Wave& wave)
      : shares_(std::move(shares)), credit_(shares_.size(), 0), out_(shares_.size()) {
    context_.randReset(0);
    dut_ = std::make_unique<Model>(&context_);
#ifdef WAVE
    if (wave.file != nullptr) {
      context_.traceEverOn(true);
      wave_ = std::make_unique<VerilatedFstC>();
      dut_->trace(wave_.get(), 99);
      std::signal(SIGABRT, unwritten);
      // The writer does not say whether it could open its file.
      std::FILE* made = std::fopen(wave.file, "wb");
      if (made == nullptr) unwritten(SIGABRT);
      std::fclose(made);
      wave_->open(wave.file);
      open_wave = wave_.get();
      from_ = wave.from;
      to_ = wave.to;
    }
#else
    (void)wave;
#endif
  }

  // Through a reset, until the core is ready; cycles count from there.
  void begin() {
    dut_->rst_i = 1;
    for (int i = 0; i < 4; i++) edge();
    dut_->rst_i = 0;
    for (unsigned cycles = 0; !dut_->ready_o; cycles++) {
      if (cycles == Patience) give_up("it is not ready in", cycles);
      static_cast<Core*>(this)->before_ready();
    }
    if (dut_->ports_o != shares_.size()) {
      std::fprintf(stderr, "%zu shares for %u ports\n", shares_.size(), dut_->ports_o);
      std::exit(2);
    }
    lanes_ = dut_->lanes_o;
    now_ = 0;
  }

  ~Bench() {
#ifdef WAVE
    if (wave_) wave_->close();
#endif
    dut_->final();
  }

  void write(std::uint32_t address, std::uint32_t word) {
    dut_->csr_addr_i = address;
    dut_->csr_wdata_i = word;
    dut_->csr_write_i = 1;
    cycle();
    dut_->csr_write_i = 0;
    cycle();
  }

  std::uint32_t read(std::uint32_t address) {
    dut_->csr_addr_i = address;
    dut_->csr_read_i = 1;
    cycle();
    dut_->csr_read_i = 0;
    settle();
    const std::uint32_t word = dut_->csr_rdata_o;
    cycle();
    return word;
  }

  // All packets, until nothing is under way.
  void run() {
    Packet packet;
    bool more = take(packet);
    std::size_t at = 0;
    unsigned quiet = 0;
    std::uint64_t refused = 0;
    std::size_t most_beats = 0;
    while ((more || quiet < Rest) && asked_to_end == 0) {
      if (more && quiet >= Rest && now_ < packet.earliest) now_ = packet.earliest;
      const bool offers = more && (at != 0 || now_ >= packet.earliest);
      dut_->s_tvalid_i = offers;
      if (offers) offer(packet, at);
      settle();
      const bool takes = offers && dut_->s_tready_o;
      const bool happens = static_cast<Core*>(this)->tell();
      quiet = happens || offers ? 0 : quiet + 1;
      refused = offers && !takes && !happens ? refused + 1 : 0;
      most_beats = std::max(most_beats, packet.bytes.size() / lanes_ + 1);
      if (refused > 16 * most_beats + Rest) give_up("the input has taken nothing since", now_ - refused + 1);
      finish();
      if (now_ % Told == 0) std::fflush(events);
      if (takes) {
        at += lanes_;
        if (at >= packet.bytes.size()) {
          at = 0;
          more = take(packet);
        }
      }
    }
    dut_->s_tvalid_i = 0;
  }

  // The counters of every port, and the registers; then the end.
  template <typename Address, typename Registers>
  void counters(std::uint32_t numbers, Address address, const Registers& registers) {
    for (std::uint32_t port = 0; port < shares_.size(); port++) {
      for (std::uint32_t number = 0; number < numbers; number++) {
        const std::uint32_t offset = address(port, number);
        const std::uint32_t packets = read(offset);
        std::uint64_t bytes = read(offset + 4);
        bytes |= static_cast<std::uint64_t>(read(offset + 8)) << 32;
        event(Counter, port, number, packets, bytes);
      }
    }
    unsigned which = 0;
    for (const std::uint32_t offset : registers) event(Register, which++, 0, read(offset), now_);
    event(End, 0, 0, 0, now_);
    std::fflush(events);
  }

 protected:
  void event(unsigned kind, unsigned small, unsigned queue, std::uint32_t value, std::uint64_t cycle) {
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &cycle, 8);
    bytes[8] = kind;
    bytes[9] = small;
    bytes[10] = queue;
    bytes[11] = queue >> 8;
    std::memcpy(bytes.data() + 12, &value, 4);
    std::fwrite(bytes.data(), 1, bytes.size(), events);
  }

  // Takes the beats of ports that are ready; whether any waits. Of a packet's last beat `queue` says what goes with it.
  template <typename Queue>
  bool outputs(Queue queue) {
    const std::uint64_t waits = dut_->m_tvalid_o, moves = waits & dut_->m_tready_i;
    for (std::size_t port = 0; moves >> port != 0; port++) {
      if (!(moves >> port & 1)) continue;
      const auto* data = reinterpret_cast<const std::uint8_t*>(&dut_->m_tdata_o) + port * lanes_;
      const auto* keep = reinterpret_cast<const std::uint8_t*>(&dut_->m_tkeep_o);
      for (std::size_t lane = 0; lane < lanes_; lane++) {
        const std::size_t bit = port * lanes_ + lane;
        if (keep[bit / 8] >> bit % 8 & 1) out_[port].push_back(data[lane]);
      }
      credit_[port] -= One;
      if (dut_->m_tlast_o >> port & 1) {
        event(Out, port, queue(port), out_[port].size(), now_);
        std::fwrite(out_[port].data(), 1, out_[port].size(), events);
        out_[port].clear();
      }
    }
    return waits != 0;
  }

  static unsigned byte(const void* packed, std::size_t at) { return static_cast<const std::uint8_t*>(packed)[at]; }

  // The inputs reach the outputs.
  void settle() {
    dut_->clk_i = 0;
    dut_->eval();
    dump();
  }

  // The clock's edge, and which ports are ready behind it.
  void finish() {
    dut_->clk_i = 1;
    dut_->eval();
    dump();
    now_++;
    std::uint32_t ready = 0;
    for (std::size_t port = 0; port < shares_.size(); port++) {
      credit_[port] += shares_[port];
      if (credit_[port] > 2 * One) credit_[port] = 2 * One;
      if (credit_[port] >= One) ready |= 1U << port;
    }
    dut_->m_tready_i = ready;
  }

  void edge() {
    settle();
    finish();
  }

  void cycle() {
    settle();
    static_cast<Core*>(this)->tell();
    finish();
  }

  // The model needs it to its own end.
  VerilatedContext context_;
  std::unique_ptr<Model> dut_;
  std::uint64_t now_ = 0;

 private:
  void offer(const Packet& packet, std::size_t at) {
    const std::size_t left = packet.bytes.size() - at;
    const std::size_t count = left < lanes_ ? left : lanes_;
    std::memset(&dut_->s_tdata_i, 0, sizeof dut_->s_tdata_i);
    std::memcpy(&dut_->s_tdata_i, packet.bytes.data() + at, count);
    auto* keep = reinterpret_cast<std::uint8_t*>(&dut_->s_tkeep_i);
    std::memset(keep, 0, sizeof dut_->s_tkeep_i);
    for (std::size_t lane = 0; lane < count; lane++) keep[lane / 8] |= 1U << lane % 8;
    dut_->s_tlast_i = left <= lanes_;
    dut_->s_port_i = packet.port;
    dut_->s_source_i = packet.source;
    static_cast<Core*>(this)->offer_own(packet);
  }

  void dump() {
#ifdef WAVE
    if (wave_ && now_ >= from_ && now_ < to_) wave_->dump(context_.time());
    context_.timeInc(1);
#endif
  }

  static constexpr std::uint64_t One = 1ULL << 32;
#ifdef WAVE
  std::unique_ptr<VerilatedFstC> wave_;
  std::uint64_t from_ = 0, to_ = 0;
#endif
  std::vector<std::uint64_t> shares_, credit_;
  std::vector<std::vector<std::uint8_t>> out_;
  std::size_t lanes_ = 0;
};

inline std::vector<std::uint64_t> numbers(const char* text) {
  std::vector<std::uint64_t> all;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    all.push_back(std::strtoull(text, &end, 10));
    if (end == text) break;
  }
  return all;
}

// A driver's main: `run` gets the shares, the settings behind them and the wave.
template <typename Run>
int start(int argc, char** argv, int settings, const char* usage, Run run) {
  if (argc != 2 + settings && argc != 5 + settings) {
    std::fprintf(stderr, "usage: %s [WAVE FROM TO]\n", usage);
    return 2;
  }
  events = fdopen(dup(1), "wb");
  if (events == nullptr || dup2(2, 1) < 0) {
    std::fprintf(stderr, "standard output cannot be moved\n");
    return 2;
  }
  // A read that waits for a packet ends, too: nothing is started again.
  struct sigaction end = {};
  end.sa_handler = [](int) { asked_to_end = 1; };
  sigaction(SIGTERM, &end, nullptr);
  std::setvbuf(stdin, nullptr, _IOFBF, 1 << 20);
  std::setvbuf(events, nullptr, _IOFBF, 1 << 16);
  Wave wave;
  if (argc == 5 + settings) {
    char** said = argv + 2 + settings;
    wave = {said[0], std::strtoull(said[1], nullptr, 10), std::strtoull(said[2], nullptr, 10)};
  }
  run(numbers(argv[1]), argv + 2, wave);
  return asked_to_end != 0 ? 143 : 0;
}

}  // namespace driver

// An assertion has failed, and has said so: what happened until now is told.
inline void stop_here() {
  std::fflush(nullptr);
#ifdef WAVE
  if (driver::open_wave != nullptr) driver::open_wave->close();
#endif
  std::_Exit(3);
}

#endif
