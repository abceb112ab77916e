#!/bin/sh
# Loads DCTCP into a kernel that has none, as a BPF program (struct_ops); `load.sh off` takes it out.
#
#   sudo apt install clang bpftool libbpf-dev
#   sudo bench/dctcp/load.sh
#
# The kernel needs BTF (/sys/kernel/btf/vmlinux), a JIT and Linux 6.0 or newer. Afterwards it is
# among `sysctl net.ipv4.tcp_available_congestion_control` as bpf_dctcp, which nothing uses by
# itself: `forebay run experiments/occamy/testbed-fig12.toml --set control=dctcp` does.
set -eu
name=bpf_dctcp
if [ "${1-}" = off ]; then
  bpftool struct_ops unregister name dctcp
  exit
fi
if grep -qw $name /proc/sys/net/ipv4/tcp_available_congestion_control; then
  echo "load.sh: $name is there already"
  exit
fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
bpftool btf dump file /sys/kernel/btf/vmlinux format c >"$work/vmlinux.h"
clang -g -O2 -target bpf -D__TARGET_ARCH_x86 -I"$work" -c "$here/dctcp.bpf.c" -o "$work/dctcp.o"
bpftool struct_ops register "$work/dctcp.o"
grep -w $name /proc/sys/net/ipv4/tcp_available_congestion_control
