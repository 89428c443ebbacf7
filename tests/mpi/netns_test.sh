#!/bin/bash
# netns_test.sh MPIRUN PROGRAM ARGUMENTS...: runs a program with 2, 3 and 4 ranks, each in its own network
# namespace; the namespaces have nothing in common but a virtual switch, as machines do: messages go by TCP.
# Compares what it prints with what it prints alone. Needs Open MPI and the rights to make namespaces (root).
set -euo pipefail
mpirun=$(command -v "$1") program=$(realpath "$2")
shift 2
most=4 id=nnp$$ net=10.213.77
scratch=$(mktemp -d)
cleanup() {
    for name in switch $(seq $most); do ip netns del "$id$name" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap cleanup EXIT
if ! ip netns add ${id}switch 2>"$scratch/why"; then
    echo "no network namespaces here: $(cat "$scratch/why")"
    exit 77
fi
ip -n ${id}switch link add switch type bridge
ip -n ${id}switch link set switch up
for host in $(seq $most); do
    ip netns add "$id$host"
    ip link add cable netns "$id$host" type veth peer name "port$host" netns ${id}switch
    ip -n ${id}switch link set "port$host" master switch up
    ip -n "$id$host" addr add "$net.$host/24" dev cable
    ip -n "$id$host" link set cable up
    ip -n "$id$host" link set lo up
done
# What mpirun calls instead of ssh: HOST COMMAND.
cat >"$scratch/agent" <<END
#!/bin/sh
host=\$1
shift
exec ip netns exec $id\${host##*.} sh -c "\$*"
END
chmod +x "$scratch/agent"
"$program" "$@" >"$scratch/alone"
flags=(--mca plm_rsh_agent "$scratch/agent" --mca btl "self,tcp" --mca btl_tcp_if_include $net.0/24
    --mca oob_tcp_if_include $net.0/24 --mca mpi_yield_when_idle 1)
[ "$(id -u)" -ne 0 ] || flags+=(--allow-run-as-root)
for ranks in $(seq 2 $most); do
    hosts=$(seq -s , -f "$net.%g:1" "$ranks")
    ip netns exec ${id}1 "$mpirun" "${flags[@]}" --host "$hosts" -n "$ranks" "$program" "$@" >"$scratch/apart"
    diff -u --label alone --label "$ranks namespaces" "$scratch/alone" "$scratch/apart"
done
received=$(ip netns exec ${id}1 cat /sys/class/net/cable/statistics/rx_bytes)
[ "$received" -gt 100000 ] || { echo "FAIL: only $received bytes came by the cable" && exit 1; }
echo "the same on 2, 3 and 4 ranks that share nothing but a switch, which brought the first $received bytes"
