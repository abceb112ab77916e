// Drives the model of rtl/tm_hybrid, before a timing model of HBM, for `forebay replay --rtl --switch themis`: what the core is
// asked and decides is told, cycle by cycle. Nothing is judged here; the command does that. How packets and events look is said
// in `rtl/common/replay_driver.h`.
//
//   tm_hybrid_replay SHARES [WAVE FROM TO]
#include "../../common/replay_driver.h"
#include "../tm_hybrid_csr.h"
#include "Vtm_hybrid_replay.h"

namespace {

enum Kind : std::uint8_t {
  Verdict = 1,  // small: tm_hybrid_pkg::verdict_e; queue: port; value: bytes
  Left = 4,     // small: tm_hybrid_pkg::leave_e; queue: port; value: bytes
  // Every cycle, before all others of it. small: bits of what is asked and said; queue: the rank that arrives; value: of the
  // queue's answer the operation (3 bits), the status (2), the tier (1), and from bit 8 on the rank.
  Cycle = 11,
  // small: 0 packets near, 1 far, as they are before this cycle, told where the queue answers; and when nothing is under way:
  // 2 near, 3 far, 4 free cells, 5 free regions; and at the end: 6 rows of the HBM that were open, 7 that were not.
  Level = 12,
};

class Bench : public driver::Bench<Vtm_hybrid_replay, Bench> {
 public:
  using driver::Bench<Vtm_hybrid_replay, Bench>::Bench;

  // The golden model counts cycles from reset on.
  void before_ready() { cycle(); }

  // What happens in this cycle; whether anything does.
  bool tell() {
    const Vtm_hybrid_replay& dut = *dut_;
    const unsigned bits = dut.arrive_valid_o | dut.depart_valid_o << 1 | dut.batch_ready_o << 2 | dut.swap_in_ready_o << 3 |
                          dut.arrived_o << 4 | dut.lost_o << 5 | dut.departs_o << 6 | dut.answer_o << 7;
    const std::uint32_t answer =
        dut.answer_op_o | dut.answer_status_o << 3 | dut.answer_far_o << 5 | dut.answer_rank_o << 8;
    event(Cycle, bits, dut.arrive_valid_o ? dut.arrive_rank_o : 0, dut.answer_o ? answer : 0, now_);
    if (dut.answer_o) {
      event(Level, 0, 0, dut.near_o, now_);
      event(Level, 1, 0, dut.far_o, now_);
    }
    if (dut.malformed_o) event(driver::Malformed, 0, 0, 0, now_);
    if (dut.verdict_o) event(Verdict, dut.verdict_what_o, dut.verdict_port_o, dut.verdict_bytes_o, now_);
    if (dut.left_o) event(Left, dut.left_how_o, dut.left_port_o, dut.left_bytes_o, now_);
    const bool beats = outputs([&](std::size_t port) { return byte(&dut.m_source_o, port) << 8; });
    // The last of what is under way is in an earlier cycle.
    if (dut.rests_o && !rested_ && quiet_ > 16) {
      event(Level, 2, 0, dut.near_o, now_);
      event(Level, 3, 0, dut.far_o, now_);
      event(Level, 4, 0, dut.free_cells_o, now_);
      event(Level, 5, 0, dut.free_regions_o, now_);
      rested_ = true;
    }
    const bool happens = dut.malformed_o || dut.verdict_o || dut.left_o || dut.answer_o || dut.arrive_valid_o || beats;
    quiet_ = happens || !dut.rests_o ? 0 : quiet_ + 1;
    if (quiet_ == 0) rested_ = false;
    return happens || !dut.rests_o;
  }

  void offer_own(const driver::Packet& packet) { dut_->s_rank_i = packet.field; }

  void rows() {
    event(Level, 6, 0, dut_->row_hits_o, now_);
    event(Level, 7, 0, dut_->row_misses_o, now_);
  }

 private:
  bool rested_ = true;
  unsigned quiet_ = 0;
};

}  // namespace

void vl_stop(const char*, int, const char*) { stop_here(); }

int main(int argc, char** argv) {
  return driver::start(argc, argv, 0, "tm_hybrid_replay SHARES", [](auto shares, char**, const driver::Wave& wave) {
    Bench bench(shares, wave);
    bench.begin();
    bench.run();
    if (driver::asked_to_end != 0) return;
    bench.rows();
    bench.counters(7, [](auto port, auto number) { return TM_HYBRID_COUNTER(port, number); },
                   std::array{TM_HYBRID_MALFORMED, TM_HYBRID_NEAR, TM_HYBRID_FAR, TM_HYBRID_FREE_CELLS, TM_HYBRID_FREE_REGIONS,
                              TM_HYBRID_SWAPPED_OUT, TM_HYBRID_SWAPPED_IN, TM_HYBRID_WRITES, TM_HYBRID_READS,
                              TM_HYBRID_ERRORS});
  });
}
