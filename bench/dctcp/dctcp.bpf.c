// DCTCP (RFC 8257) as a congestion control that a kernel without it loads: `load.sh` beside this.
//
// Written from the RFC: the sender's estimate of §3.3 once per window, the receiver's echo of §3.2.
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

// Kernel functions are only for licences that agree with the GPL, as one of this project does.
char kind[] SEC("license") = "Dual MIT/GPL";

// What vmlinux.h does not have, since they are macros of the kernel (net/tcp.h).
#define NON_RESTRICTED 0x1
#define NEEDS_ECN 0x2
#define DEMAND_CWR 4
// g = 1/16; alpha is in 1024ths.
#define G_SHIFT 4
#define ONE 1024u

struct dctcp_state {
	__u32 next;             // the window of which the estimate is ends there
	__u32 delivered, marked; // packets when it began
	__u32 alpha;
	__u32 received;         // everything before it has been received
	__u32 saved;            // the window before the last reduction
	__u32 is_marked;        // whether the last packet that came was
};

extern void tcp_reno_cong_avoid(struct sock *, __u32, __u32) __ksym;

static struct dctcp_state *of(struct sock *sk)
{
	return (struct dctcp_state *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static bool is_before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

static void begin_window(const struct tcp_sock *tp, struct dctcp_state *state)
{
	state->next = tp->snd_nxt;
	state->delivered = tp->delivered;
	state->marked = tp->delivered_ce;
}

SEC("struct_ops")
void BPF_PROG(begin, struct sock *sk)
{
	struct dctcp_state *state = of(sk);
	const struct tcp_sock *tp = (struct tcp_sock *)sk;

	state->alpha = ONE;
	state->received = tp->rcv_nxt;
	state->saved = 0;
	state->is_marked = 0;
	begin_window(tp, state);
}

// §3.3, steps 5 to 7: once a window has been acknowledged.
SEC("struct_ops")
void BPF_PROG(acknowledged, struct sock *sk, __u32 flags)
{
	struct dctcp_state *state = of(sk);
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 packets, marked, alpha;

	if (is_before(tp->snd_una, state->next))
		return;
	packets = tp->delivered - state->delivered;
	marked = tp->delivered_ce - state->marked;
	alpha = state->alpha - (state->alpha >> G_SHIFT);
	if (state->alpha < (1 << G_SHIFT))
		alpha = 0;
	if (marked && packets)
		alpha += (__u32)(((__u64)marked * (ONE >> G_SHIFT)) / packets);
	state->alpha = alpha < ONE ? alpha : ONE;
	begin_window(tp, state);
}

// §3.3, step 9: cwnd = cwnd * (1 - alpha / 2).
SEC("struct_ops")
__u32 BPF_PROG(reduced, struct sock *sk)
{
	struct dctcp_state *state = of(sk);
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 window = tp->snd_cwnd;

	state->saved = window;
	window -= (__u32)(((__u64)window * state->alpha) >> 11);
	return window > 2 ? window : 2;
}

// §3.5: a loss is answered as by any TCP.
SEC("struct_ops")
void BPF_PROG(changed, struct sock *sk, __u8 to)
{
	struct dctcp_state *state = of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (to == TCP_CA_Recovery && ((struct inet_connection_sock *)sk)->icsk_ca_state != TCP_CA_Recovery) {
		state->saved = tp->snd_cwnd;
		tp->snd_ssthresh = tp->snd_cwnd / 2 > 2 ? tp->snd_cwnd / 2 : 2;
	}
}

// §3.2: ECE says of every acknowledged packet whether it was marked; where that changes, what came
// before is acknowledged at once.
static void echo(struct sock *sk, bool is_marked)
{
	struct dctcp_state *state = of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (!!state->is_marked != is_marked) {
		if (((struct inet_connection_sock *)sk)->icsk_ack.pending & 2 /* ICSK_ACK_TIMER */) {
			if (state->is_marked)
				tp->ecn_flags |= DEMAND_CWR;
			else
				tp->ecn_flags &= ~DEMAND_CWR;
			bpf_tcp_send_ack(tp, state->received);
		}
		state->is_marked = is_marked;
	}
	state->received = tp->rcv_nxt;
	if (is_marked)
		tp->ecn_flags |= DEMAND_CWR;
	else
		tp->ecn_flags &= ~DEMAND_CWR;
}

SEC("struct_ops")
void BPF_PROG(happened, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_ECN_IS_CE)
		echo(sk, true);
	else if (event == CA_EVENT_ECN_NO_CE)
		echo(sk, false);
}

SEC("struct_ops")
__u32 BPF_PROG(restored, struct sock *sk)
{
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 saved = of(sk)->saved;

	return saved > tp->snd_cwnd ? saved : tp->snd_cwnd;
}

SEC("struct_ops")
void BPF_PROG(grown, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC(".struct_ops")
struct tcp_congestion_ops dctcp = {
	.init = (void *)begin,
	.in_ack_event = (void *)acknowledged,
	.ssthresh = (void *)reduced,
	.cong_avoid = (void *)grown,
	.set_state = (void *)changed,
	.cwnd_event = (void *)happened,
	.undo_cwnd = (void *)restored,
	.flags = NON_RESTRICTED | NEEDS_ECN,
	.name = "bpf_dctcp",
};
