#!/bin/bash
# netns_test.sh MPIRUN PROGRAM ARGUMENTS...: runs a program with one rank in each of two network namespaces,
# which have nothing but a virtual cable between them, as two machines do: messages go by TCP. Compares what
# it prints with what it prints alone. Needs Open MPI and the rights to make namespaces (root).
set -euo pipefail
mpirun=$(command -v "$1") program=$(realpath "$2")
shift 2
id=nnp$$
scratch=$(mktemp -d)
cleanup() {
    ip netns del ${id}a 2>/dev/null || true
    ip netns del ${id}b 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT
if ! ip netns add ${id}a 2>"$scratch/why"; then
    echo "no network namespaces here: $(cat "$scratch/why")"
    exit 77
fi
ip netns add ${id}b
ip link add ${id}x netns ${id}a type veth peer name ${id}y netns ${id}b
for end in "a x 1" "b y 2"; do
    read -r side link host <<<"$end"
    ip -n "$id$side" addr add "10.213.77.$host/24" dev "$id$link"
    ip -n "$id$side" link set "$id$link" up
    ip -n "$id$side" link set lo up
done
# What mpirun calls instead of ssh: HOST COMMAND.
cat >"$scratch/agent" <<EOF
#!/bin/sh
shift
exec ip netns exec ${id}b sh -c "\$*"
EOF
chmod +x "$scratch/agent"
"$program" "$@" >"$scratch/alone"
flags=(--mca plm_rsh_agent "$scratch/agent" --mca btl "self,tcp" --mca btl_tcp_if_include 10.213.77.0/24
    --mca oob_tcp_if_include 10.213.77.0/24 --mca mpi_yield_when_idle 1 --host "10.213.77.1:1,10.213.77.2:1")
[ "$(id -u)" -ne 0 ] || flags+=(--allow-run-as-root)
ip netns exec ${id}a "$mpirun" "${flags[@]}" -n 2 "$program" "$@" >"$scratch/apart"
diff -u --label alone --label "two namespaces" "$scratch/alone" "$scratch/apart"
received=$(ip netns exec ${id}a cat /sys/class/net/${id}x/statistics/rx_bytes)
[ "$received" -gt 100000 ] || { echo "FAIL: only $received bytes came by the cable" && exit 1; }
echo "the same on two ranks that share nothing but a cable, which brought $received bytes"
