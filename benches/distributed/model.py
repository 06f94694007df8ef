#!/usr/bin/env python3
"""How long an epoch of a GEN takes over many machines: measured cost of an entry and a node, bytes by the formula of docs/distributed.md,
latency and bandwidth as given. Overlap of computing and talking is not counted, since there is none.

    seconds = (entries/P * entry_cost + nodes/P * node_cost) / threads * imbalance + bytes/P / bandwidth + messages * latency
"""

import argparse

GRAPHS = {"ogbn-products": (2_449_029, 123_718_280), "111 million nodes": (111_059_956, 3_231_371_744)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entry-ns", type=float, required=True, help="nanoseconds of one thread per entry and epoch, evaluation included")
    parser.add_argument("--node-ns", type=float, required=True, help="the same per node")
    parser.add_argument("--threads", type=int, default=16, help="threads of a machine")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes per second of a link (1.25e9: 10 Gbit/s)")
    parser.add_argument("--latency", type=float, default=50e-6)
    parser.add_argument("--halo", type=float, default=0.5, help="halo nodes per own node")
    parser.add_argument("--imbalance", type=float, default=1.1)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--hops", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--heads", type=int, default=1)
    given = parser.parse_args()
    numbers = given.layers * (3 * given.hops * given.width + 5 * given.hops * given.heads)
    messages = given.layers * (2 * (given.hops + 1) + 2 * given.hops)
    print("| graph | machines | computing | talking | epoch | sent by each |")
    print("|---|---|---|---|---|---|")
    for name, (nodes, entries) in GRAPHS.items():
        for machines in (4, 16, 64):
            own = nodes / machines
            compute = (entries / machines * given.entry_ns + own * given.node_ns) * 1e-9 / given.threads * given.imbalance
            sent = own * given.halo * numbers * 4
            talk = sent * given.imbalance / given.bandwidth + messages * given.latency
            print(f"| {name} | {machines} | {compute:.1f} s | {talk:.1f} s | {compute + talk:.1f} s | {sent / 1e9:.2f} GB |")


if __name__ == "__main__":
    main()
