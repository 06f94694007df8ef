#!/usr/bin/env python3
"""A wire with a rate and a delay between two devices, for machines whose kernel has no netem (`tc ... netem delay`).

Makes two tap devices, says `ready`, and from then on carries every frame from one to the other: a frame begins when the one before it has
left, takes its bits over the rate, and arrives after the delay. The caller puts the devices into network namespaces.
"""

import argparse
import collections
import fcntl
import os
import select
import struct
import sys
import time


def device(name):
    """A tap device (TUNSETIFF with IFF_TAP and IFF_NO_PI)."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH", name.encode(), 0x0002 | 0x1000))
    return tap


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("devices", nargs=2)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds one way")
    parser.add_argument("--rate", type=float, default=0.0, help="bits a second; 0: as fast as this program is")
    given = parser.parse_args()
    taps = [device(name) for name in given.devices]
    print("ready", flush=True)
    # For each direction: frames with the moment of their arrival, and when the last one has left.
    queues, left = [collections.deque(), collections.deque()], [0.0, 0.0]
    poll = select.poll()
    for tap in taps:
        poll.register(tap, select.POLLIN)
    while True:
        now = time.monotonic()
        for at, queue in enumerate(queues):
            while queue and queue[0][0] <= now:
                try:
                    os.write(taps[1 - at], queue.popleft()[1])
                except OSError:
                    pass  # The device is down: as a wire that is unplugged.
        due = min((queue[0][0] for queue in queues if queue), default=now + 1.0)
        wait = due - time.monotonic()
        # Short waits are waited for actively: the system's own are not so short.
        for tap, event in poll.poll(max(0.0, wait - 0.0002) * 1000):
            if event & (select.POLLERR | select.POLLHUP):
                time.sleep(0.001)
                continue
            at = taps.index(tap)
            for _ in range(64):
                try:
                    frame = os.read(tap, 1 << 16)
                except BlockingIOError:
                    break
                except OSError:
                    break
                now = time.monotonic()
                left[at] = max(left[at], now) + (8 * len(frame) / given.rate if given.rate else 0.0)
                queues[at].append((left[at] + given.delay, frame))


if __name__ == "__main__":
    sys.exit(main())
