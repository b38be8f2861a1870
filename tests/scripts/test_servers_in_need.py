# SPDX-License-Identifier: BSL-1.0
"""What every server does about peers that never read, and about more peers than it may have."""

import contextlib
import resource
import signal
import socket
import subprocess
from collections.abc import Iterator

import pytest
from built import BUILD, pytestmark  # noqa: F401

SERVERS = ("floor-epoll", "threads", "fibers", "boost-fibers", "futures", "coroutines")


@contextlib.contextmanager
def serving(backend: str, descriptors: int = 256
            ) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    process = subprocess.Popen(
        [BUILD / "yardstack-serve", f"--backend={backend}"], stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)))
    try:
        assert process.stdout
        host, port = process.stdout.readline().split()[1].removeprefix("tcp:").split(":")
        yield process, (host, int(port))
    finally:
        process.kill()
        process.wait()


def ends_when_asked(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)  # a hang guard
    assert (process.returncode, told) == (0, "")


def echoes(where: tuple[str, int]) -> None:
    with socket.create_connection(where, 60) as peer:
        peer.sendall(b"hello")
        assert peer.recv(5, socket.MSG_WAITALL) == b"hello"


def send_until_stuck(peer: socket.socket) -> None:
    """Until the server takes no more, as nobody takes from it: a second without room is taken for that."""
    peer.settimeout(1)
    with contextlib.suppress(TimeoutError):
        while True:
            peer.send(bytes(65536))


@pytest.mark.parametrize("backend", SERVERS)
def test_a_peer_that_never_reads_keeps_nobody(backend: str) -> None:
    with serving(backend) as (process, where), socket.create_connection(where, 60) as never_reads:
        send_until_stuck(never_reads)
        echoes(where)
        ends_when_asked(process)


@contextlib.contextmanager
def flooded(backend: str) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int], list[socket.socket]]]:
    """A server with more peers than it may have descriptors; the first one is served."""
    with serving(backend, descriptors=40) as (process, where), contextlib.ExitStack() as peers:
        flood = [peers.enter_context(socket.create_connection(where, 60)) for _ in range(100)]
        flood[0].sendall(b"still served")
        assert flood[0].recv(12, socket.MSG_WAITALL) == b"still served"
        yield process, where, flood


@pytest.mark.parametrize("backend", SERVERS)
def test_more_peers_than_descriptors_wait_until_others_have_gone(backend: str) -> None:
    with flooded(backend) as (process, where, flood):
        for peer in flood:
            peer.close()
        echoes(where)
        ends_when_asked(process)


@pytest.mark.parametrize("backend", SERVERS)
def test_a_server_at_its_limit_ends_when_asked(backend: str) -> None:
    with flooded(backend) as (process, _, _):
        ends_when_asked(process)
