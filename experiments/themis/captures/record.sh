#!/bin/sh
# Records mixed-programs.pcap: real programs talking between network namespaces on one bridge.
#
# Twelve client namespaces (10.77.0.11 to .22) and one server namespace (10.77.0.1) hang on a bridge in a
# namespace of its own; nothing touches the host's network. Segmentation offloads are off, so that
# packets are of MTU size, and every link is shaped to 200 Mb/s, so that programs compete for it. The
# capture is taken on the server's interface: 96 bytes of each packet, its original length kept.
#
# Usage (as root): ./record.sh [output.pcap]
# Needs: iproute2 ethtool tcpdump nginx curl redis-server redis-tools iperf3 dnsmasq dnsutils git rsync
#        openssh-server openssh-client
set -eu

output=$(readlink -f "${1:-$(dirname "$0")/mixed-programs.pcap}")
clients=12
packets=9900 # a bound: the programs below exchange somewhat fewer, in under 1 MB
prefix=fbrec
server=10.77.0.1
work=$(mktemp -d)

client_ns() { echo "$prefix-c$1"; }
in_server() { ip netns exec "$prefix-server" "$@"; }
in_client() { n=$1; shift; ip netns exec "$(client_ns "$n")" "$@"; }

remove_namespaces() {
    for ns in $(ip netns list | awk -v p="$prefix-" 'index($1, p) == 1 { print $1 }'); do
        for pid in $(ip netns pids "$ns"); do kill "$pid" 2>/dev/null || true; done
    done
    sleep 1 # for the programs to end
    for ns in $(ip netns list | awk -v p="$prefix-" 'index($1, p) == 1 { print $1 }'); do
        ip netns del "$ns" 2>/dev/null || true
    done
}

clean_up() {
    remove_namespaces
    rm -rf "$work"
}

add_host() { # namespace, address, bridge port
    ns=$1; address=$2; port=$3
    ip netns add "$ns"
    ip -n "$prefix-bridge" link add "$port" type veth peer name eth0 netns "$ns"
    ip -n "$prefix-bridge" link set "$port" master bridge0 up
    ip -n "$ns" addr add "$address/24" dev eth0
    ip -n "$ns" link set lo up
    ip -n "$ns" link set eth0 up
    for where in "$ns eth0" "$prefix-bridge $port"; do
        set -- $where
        ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null 2>&1 || true
        ip netns exec "$1" tc qdisc add dev "$2" root tbf rate 200mbit burst 8kb latency 20ms \
            2>/dev/null || true
    done
}

build_network() {
    ip netns add "$prefix-bridge"
    ip -n "$prefix-bridge" link add bridge0 type bridge
    ip -n "$prefix-bridge" link set bridge0 up
    add_host "$prefix-server" "$server" p0
    for n in $(seq "$clients"); do
        add_host "$(client_ns "$n")" "10.77.0.$((10 + n))" "p$n"
    done
}

make_files() {
    mkdir -p "$work/www" "$work/rsync" "$work/ssh" "$work/run" "$work/git"
    for size in 1 2 4 10 30 100 400 1000; do
        head -c "${size}k" /dev/urandom >"$work/www/$size"
        cp "$work/www/$size" "$work/rsync/"
    done
    git init -q --bare "$work/git/project.git"
    git init -q "$work/git/tree"
    (
        cd "$work/git/tree"
        for i in $(seq 30); do
            head -c 3000 /dev/urandom | base64 >"file$i"
            git add . && git -c user.name=r -c user.email=r@localhost commit -q -m "step $i"
        done
        git push -q "$work/git/project.git" HEAD:refs/heads/main
    )
    git -C "$work/git/project.git" symbolic-ref HEAD refs/heads/main
    chmod -R a+rX "$work"
}

start_servers() {
    cat >"$work/nginx.conf" <<CONF
user root;
worker_processes 1;
pid $work/run/nginx.pid;
error_log $work/run/nginx.log;
events { }
http { access_log off; server { listen $server:80; root $work/www; } }
CONF
    in_server nginx -c "$work/nginx.conf" -g 'daemon off;' &
    in_server redis-server --bind "$server" --protected-mode no --save '' --dir "$work/run" >/dev/null &
    in_server iperf3 -s -p 5201 >/dev/null &
    in_server iperf3 -s -p 5202 >/dev/null &
    in_server dnsmasq --keep-in-foreground --no-resolv --no-hosts --conf-file=/dev/null --user=root \
        --listen-address="$server" --bind-interfaces --address=/lab.test/10.77.0.99 \
        --pid-file="$work/run/dns.pid" &
    in_server git daemon --base-path="$work/git" --export-all --listen="$server" --reuseaddr \
        >/dev/null 2>&1 &
    cat >"$work/rsyncd.conf" <<CONF
pid file = $work/run/rsync.pid
use chroot = no
uid = root
[files]
path = $work/rsync
CONF
    in_server rsync --daemon --no-detach --address="$server" --config="$work/rsyncd.conf" &
    ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host"
    ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/user"
    mkdir -p /run/sshd
    in_server "$(command -v sshd)" -D -f /dev/null -h "$work/ssh/host" -p 2222 \
        -o ListenAddress="$server" -o AuthorizedKeysFile="$work/ssh/user.pub" -o StrictModes=no \
        -o PermitRootLogin=yes -o UsePAM=no -o PidFile="$work/run/sshd.pid" 2>/dev/null &
    sleep 1.5
}

# What each client runs; all of them at once.
web() {
    for size in $2; do
        in_client "$1" curl -s -o /dev/null --max-time 10 "http://$server/$size" || true
    done
}
names() {
    for i in $(seq 12); do
        in_client "$1" dig +tries=1 +time=1 "@$server" "host$i.lab.test" >/dev/null || true
    done
}
copy() {
    in_client "$1" scp -q -P 2222 -i "$work/ssh/user" -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$2" "$3" || true
}

run_clients() {
    pids=
    start() { "$@" & pids="$pids $!"; }
    start web 1 "1 2 4 10 1 2 30 100 1 2 4"
    start web 2 "2 1 10 1000 4 1 2"
    start web 3 "30 10 2 1 4 1 2 400 1"
    start web 4 "1 1 2 2 4 4 10 10 30 30"
    start in_client 5 redis-benchmark -h "$server" -q -c 8 -n 150 -d 900 -t set,get
    start in_client 6 redis-benchmark -h "$server" -q -c 3 -n 60 -d 64 -t ping,incr
    start names 7
    start names 8
    start copy 8 "root@$server:$work/www/400" "$work/run/copy8"
    start copy 9 "$work/www/400" "root@$server:$work/run/copy9"
    start in_client 10 git clone -q "git://$server/project.git" "$work/run/clone"
    start in_client 10 rsync -q -a --exclude 1000 "rsync://$server/files/" "$work/run/mirror"
    start in_client 11 iperf3 -c "$server" -p 5201 -n 900K -P 2
    start in_client 12 iperf3 -c "$server" -p 5202 -u -b 40M -l 1200 -n 700K
    for pid in $pids; do wait "$pid" || true; done
}

[ "$(id -u)" = 0 ] || { echo "record.sh: network namespaces need root: run it as root" >&2; exit 1; }
trap clean_up EXIT
trap 'exit 1' INT TERM
remove_namespaces # of an earlier run that was killed
build_network
make_files
start_servers
ip netns exec "$prefix-server" tcpdump --immediate-mode -B 8192 -q -n -i eth0 -s 96 -c "$packets" -w "$work/raw.pcap" ip 2>"$work/tcpdump.log" &
tcpdump_pid=$!
sleep 0.7
run_clients >"$work/clients.log" 2>&1
sleep 1
kill -TERM "$tcpdump_pid" 2>/dev/null || true
wait "$tcpdump_pid" || true
cat "$work/tcpdump.log" >&2
cp "$work/raw.pcap" "$output"
ls -l "$output" >&2
