// An all-reduce of many ranks through Forebay's network: what a simulator of training jobs, such as
// ASTRA-sim, does with its network, as small as it can be.
//
//     cc -O2 -I../../crates/capi/include allreduce.c -L../../target/release -lforebay_capi -o allreduce
//     ./allreduce [ring|halving] [RANKS] [BYTES] [TOPOLOGY] [NAME=VALUE…]
//
// Every rank is a host. In each step it sends to one rank and receives from one; when what it
// receives has arrived, it adds it to its own (a timer: BYTES at 200 GB/s) and takes the next step.
//
// - ring: N - 1 steps that reduce and N - 1 that gather, of BYTES / N each.
// - halving: log2 N steps that reduce halves, quarters, …, and as many that gather them (recursive
//   halving and doubling); N is a power of two.

#include <forebay.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What adding takes: 5 ps a byte.
#define PS_PER_BYTE 5

struct job;

struct rank {
    struct job *job;
    uint32_t number, step;
    bool sent, received;
};

struct job {
    ForebayNetwork *network;
    struct rank *ranks;
    uint32_t count, steps, half, done;
    uint64_t bytes;
    bool is_ring;
};

static void give_up(const char *what) {
    fprintf(stderr, "allreduce: %s: %s\n", what, forebay_last_error());
    exit(1);
}

static uint32_t log2_of(uint32_t number) {
    uint32_t log = 0;
    while (number >>= 1) log++;
    return log;
}

// The bytes of a step.
static uint64_t piece(const struct job *job, uint32_t step) {
    if (job->is_ring) return (job->bytes + job->count - 1) / job->count;
    uint32_t level = step < job->half ? step : job->steps - 1 - step;
    uint64_t bytes = job->bytes >> (level + 1);
    return bytes ? bytes : 1;
}

static uint32_t to(const struct rank *rank) {
    const struct job *job = rank->job;
    if (job->is_ring) return (rank->number + 1) % job->count;
    uint32_t level = rank->step < job->half ? rank->step : job->steps - 1 - rank->step;
    return rank->number ^ (job->count >> (level + 1));
}

static uint32_t from(const struct rank *rank) {
    const struct job *job = rank->job;
    return job->is_ring ? (rank->number + job->count - 1) % job->count : to(rank);
}

static void take_step(void *argument);

static void go_on(struct rank *rank) {
    if (!rank->sent || !rank->received) return;
    struct job *job = rank->job;
    // Only what is reduced is added; what is gathered is there.
    uint64_t adding = rank->step < job->half ? piece(job, rank->step) * PS_PER_BYTE : 0;
    rank->step++;
    if (forebay_network_schedule(job->network, adding, take_step, rank)) give_up("schedule");
}

static void on_sent(void *argument) {
    struct rank *rank = argument;
    rank->sent = true;
    go_on(rank);
}

static void on_received(void *argument) {
    struct rank *rank = argument;
    rank->received = true;
    go_on(rank);
}

static void take_step(void *argument) {
    struct rank *rank = argument;
    struct job *job = rank->job;
    if (rank->step == job->steps) {
        job->done++;
        return;
    }
    rank->sent = rank->received = false;
    uint64_t bytes = piece(job, rank->step);
    if (forebay_network_receive(job->network, from(rank), rank->number, rank->step, on_received, rank))
        give_up("receive");
    if (forebay_network_send(job->network, rank->number, to(rank), bytes, rank->step, 0, on_sent, rank))
        give_up("send");
}

static uint64_t number(const char *text, const char *what) {
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value == 0) {
        fprintf(stderr, "allreduce: %s: give %s as a whole number above 0\n", text, what);
        exit(2);
    }
    return value;
}

int main(int count, char **words) {
    const char *algorithm = count > 1 ? words[1] : "halving";
    uint64_t ranks = count > 2 ? number(words[2], "ranks") : 1024;
    uint64_t bytes = count > 3 ? number(words[3], "bytes") : 16 << 20;
    const char *topology = count > 4 ? words[4] : "leaf-spine:32x32x16,100G,400G,1us";
    struct job job = {.bytes = bytes, .count = (uint32_t)ranks, .is_ring = !strcmp(algorithm, "ring")};
    bool is_power = ranks > 1 && (ranks & (ranks - 1)) == 0;
    if ((!job.is_ring && strcmp(algorithm, "halving")) || ranks < 2 || ranks > 1 << 20 ||
        (!job.is_ring && !is_power)) {
        fprintf(stderr, "allreduce: give ring with 2 to 1048576 ranks, or halving with a power of two of them\n");
        return 2;
    }
    job.half = job.is_ring ? job.count - 1 : log2_of(job.count);
    job.steps = 2 * job.half;
    job.network = forebay_network_new(topology, (const char *const *)(words + (count > 5 ? 5 : count)),
                                      count > 5 ? (size_t)count - 5 : 0);
    if (!job.network) give_up("network");
    if (forebay_network_hosts(job.network) < job.count) {
        fprintf(stderr, "allreduce: %" PRIu32 " ranks need as many hosts, and there are %" PRIu32 "\n", job.count,
                forebay_network_hosts(job.network));
        return 2;
    }
    job.ranks = calloc(job.count, sizeof *job.ranks);
    if (!job.ranks) return 1;
    for (uint32_t place = 0; place < job.count; place++) {
        job.ranks[place] = (struct rank){.job = &job, .number = place};
        take_step(&job.ranks[place]);
    }
    if (forebay_network_run(job.network, UINT64_MAX)) give_up("run");

    double seconds = (double)forebay_network_now(job.network) / 1e12;
    ForebayCounters counters;
    if (forebay_network_counters(job.network, &counters)) give_up("counters");
    printf("%s: %" PRIu32 " of %" PRIu32 " ranks done after %.3f us, %.3f GB/s each\n", algorithm, job.done, job.count,
           seconds * 1e6, (double)bytes / seconds / 1e9);
    printf("%" PRIu64 " packet-hops, %" PRIu64 " packets lost\n", counters.packet_hops, counters.lost);
    int status = job.done == job.count && !counters.receives_unmatched && !counters.messages_unreceived ? 0 : 1;
    free(job.ranks);
    forebay_network_free(job.network);
    return status;
}
