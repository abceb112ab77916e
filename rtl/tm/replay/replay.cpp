// Drives the model of rtl/tm for `forebay replay --rtl`: what the core does with packets is told, event by event. Nothing is
// judged here; the command does that. How packets and events look is said in `rtl/common/replay_driver.h`.
//
//   tm_replay SHARES EXPEL [WAVE FROM TO]
//
// EXPEL: 1 or 0, the register `expel`.
#include "../../common/replay_driver.h"
#include "../tm_csr.h"
#include "Vtm_replay.h"

namespace {

enum Kind : std::uint8_t {
  // The value of a free count comes last in its cycle; the others in this order, `Malformed` first and `Out` before it.
  Verdict = 1,  // small: tm_pkg::verdict_e; value: bytes
  Linked = 2,
  Request = 3,  // small: port
  Left = 4,     // small: 1 if it was expelled; value: bytes
  None = 5,
  Cells = 7,  // value: free cells
};

class Bench : public driver::Bench<Vtm_replay, Bench> {
 public:
  using driver::Bench<Vtm_replay, Bench>::Bench;

  void before_ready() { edge(); }

  // What happens in this cycle; whether anything does.
  bool tell() {
    const Vtm_replay& dut = *dut_;
    if (dut.malformed_o) event(driver::Malformed, 0, 0, 0, now_);
    if (dut.verdict_o) event(Verdict, dut.verdict_what_o, dut.verdict_queue_o, dut.verdict_bytes_o, now_);
    if (dut.linked_o) event(Linked, 0, dut.linked_queue_o, 0, now_);
    if (dut.request_o) event(Request, dut.request_port_o, 0, 0, now_);
    if (dut.left_o) event(Left, dut.left_expelled_o, dut.left_queue_o, dut.left_bytes_o, now_);
    if (dut.none_o) event(None, 0, dut.none_queue_o, 0, now_);
    if (dut.verdict_o || dut.left_o) event(Cells, 0, 0, dut.free_o, now_);
    const bool beats = outputs([&](std::size_t port) {
      return byte(&dut.m_class_o, port) | byte(&dut.m_source_o, port) << 8;
    });
    return dut.malformed_o || dut.verdict_o || dut.linked_o || dut.request_o || dut.left_o || dut.none_o || beats;
  }

  void offer_own(const driver::Packet& packet) {
    dut_->s_field_i = packet.field;
    dut_->s_class_i = packet.klass;
  }
};

}  // namespace

void vl_stop(const char*, int, const char*) { stop_here(); }

int main(int argc, char** argv) {
  return driver::start(argc, argv, 1, "tm_replay SHARES EXPEL", [](auto shares, char** settings, const driver::Wave& wave) {
    Bench bench(shares, wave);
    bench.begin();
    if (std::string(settings[0]) == "0") bench.write(TM_EXPEL, 0);
    bench.run();
    if (driver::asked_to_end != 0) return;
    bench.counters(6, [](auto port, auto number) { return TM_COUNTER(port, number); }, std::array{TM_MALFORMED, TM_FREE});
  });
}
