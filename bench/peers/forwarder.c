/* The least that a forwarder in user space can do: frames from one interface to another and back,
 * over AF_PACKET sockets with virtio-net headers, so that large segments stay whole. No queue, no
 * clock, no decision. What `forebay link` and `forebay switch` are measured against.
 *
 *   forwarder IF_A IF_B
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { BATCH = 64, FRAME = 10 + 65536 + 64 };

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int opened(const char *name) {
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
    if (fd < 0) die("socket");
    int one = 1, room = 64 << 20;
    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one)) die("PACKET_VNET_HDR");
    if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one)) die("PACKET_IGNORE_OUTGOING");
    if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one)) die("PACKET_QDISC_BYPASS");
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    struct sockaddr_ll at = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_ALL),
        .sll_ifindex = (int)if_nametoindex(name),
    };
    if (!at.sll_ifindex) die(name);
    if (bind(fd, (struct sockaddr *)&at, sizeof at)) die("bind");
    return fd;
}

static struct mmsghdr messages[BATCH];
static struct iovec parts[BATCH];
static char frames[BATCH][FRAME];

static void pass(int from, int to) {
    for (int i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){frames[i], FRAME};
        messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
    }
    int count = recvmmsg(from, messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) parts[i].iov_len = messages[i].msg_len;
    for (int sent = 0; sent < count;) {
        int now = sendmmsg(to, messages + sent, (unsigned)(count - sent), 0);
        if (now > 0) {
            sent += now;
            continue;
        }
        /* Full: wait for room. Anything else is about this frame: leave it out. */
        struct pollfd room = {to, POLLOUT, 0};
        if (poll(&room, 1, 1) <= 0) sent++;
    }
}

int main(int count, char **names) {
    if (count != 3) {
        fprintf(stderr, "forwarder: use forwarder IF_A IF_B\n");
        return 2;
    }
    int a = opened(names[1]), b = opened(names[2]);
    struct pollfd both[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    for (;;) {
        if (poll(both, 2, -1) < 0) die("poll");
        if (both[0].revents & POLLIN) pass(a, b);
        if (both[1].revents & POLLIN) pass(b, a);
    }
}
