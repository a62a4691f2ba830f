#!/usr/bin/env python3
"""Compare the library's SHA-256 with Python's on random messages that are hashed in random parts,
in plain C and with the processor's instructions.

    tests/sha256.py TEST_SHA256 [MESSAGES]
"""
import hashlib
import os
import random
import struct
import subprocess
import sys


def split(message, source):
    """Split a message into random parts, many of them about as long as a block."""
    at = 0
    while at < len(message):
        size = source.choice((0, 1, source.randrange(140), source.randrange(len(message) + 1)))
        yield message[at:at + size]
        at += size


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    source = random.Random(180)
    messages = [source.randbytes(source.choice((source.randrange(300), source.randrange(20000))))
                for _ in range(count)]
    chunks = []
    for message in messages:
        parts = list(split(message, source))
        chunks.append(struct.pack('<I', len(parts)))
        chunks += [struct.pack('<I', len(part)) + part for part in parts]
    text = b''.join(chunks)
    want = [hashlib.sha256(message).hexdigest() for message in messages]
    failed = False
    for way in ('c', 'processor'):
        got = subprocess.run([sys.argv[1], '--stdin'], input=text, check=True, capture_output=True,
                             env={**os.environ, 'CUCORE_TEST_SHA256': way}).stdout.decode().split()
        wrong = sum(a != b for a, b in zip(got, want))
        print(f'{way}: {len(got)} digests, {wrong} wrong')
        failed |= got != want
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
