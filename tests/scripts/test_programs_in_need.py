# SPDX-License-Identifier: BSL-1.0
"""Programs without standard streams, readers, disk, descriptors or memory: one line that says so,
and no figure lost or spoiled.
"""

import contextlib
import json
import os
import re
import resource
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from built import BUILD, SMALL, descendants, pytestmark, started  # noqa: F401

ROW = ["bench-switch", "--cell=switch/futures/tasks:2,switch/fibers/tasks:2", "--seconds=0.05"]
CONTENDERS = ("threads", "fibers", "boost-fibers", "futures", "coroutines")


def call(argv: list[str], stdout: int | None = None, before: Callable[[], None] | None = None
         ) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BUILD / argv[0], *argv[1:]], stdin=subprocess.DEVNULL, text=True, timeout=300,
                          stdout=subprocess.PIPE if stdout is None else stdout, stderr=subprocess.PIPE,
                          preexec_fn=before)


def limited(kind: int, number: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (number, number))


@pytest.mark.parametrize(("name", "closed"), [
    *((name, (0, 1, 2)) for name in SMALL), ("bench-echo", (0,)), ("bench-echo", (1,)),
    ("bench-switch", (1, 2))], ids=str)
def test_closed_standard_streams_spoil_no_file(name: str, closed: tuple[int, ...], tmp_path: Path
                                               ) -> None:
    out = tmp_path / "rows.json"
    argv = [name, f"--cell={SMALL[name]}", "--seconds=0.1", f"--benchmark_out={out}"]
    assert call(argv, before=lambda: [os.close(fd) for fd in closed] and None).returncode == 0
    assert len(json.loads(out.read_text())["benchmarks"]) == 1


def test_a_reader_that_goes_leaves_the_file_whole(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = call([*ROW, f"--benchmark_out={out}"], stdout=writer,
                    before=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL) and None)
    finally:
        os.close(writer)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(out.read_text())["benchmarks"]) == 2


@pytest.mark.parametrize("arguments", [["--benchmark_filter=nothing"], ["--benchmark_filter=("],
                                       ["--benchmark_unknown=1"], ["--unknown"]], ids=str)
def test_a_call_that_measures_nothing_leaves_the_earlier_file(arguments: list[str], tmp_path: Path
                                                              ) -> None:
    out = tmp_path / "rows.json"
    out.write_text("earlier")
    assert call([*ROW, f"--benchmark_out={out}", *arguments]).returncode == 2
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"rows.json": "earlier"}


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize("cut", ["within a line", "after a line"])
def test_a_full_disk_is_a_failure_and_leaves_the_earlier_file(form: str, cut: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    call([*ROW, f"--benchmark_out={out}", f"--benchmark_out_format={form}"])
    first_line = out.read_bytes().index(b"\n") + 1
    out.write_text("earlier")
    room = first_line + (5 if cut == "within a line" else 0)

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as a shell leaves it
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = call([*ROW, f"--benchmark_out={out}", f"--benchmark_out_format={form}"], before=small_files)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"bench-switch: failed: {out} could not be written")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"rows.json": "earlier"}


@contextlib.contextmanager
def served() -> Iterator[str]:
    with started([BUILD / "yardstack-serve", "--backend=futures"]) as server:
        assert server.stdout
        yield server.stdout.readline().split()[1]


def write_figures(flag: str, path: Path) -> int:
    """The exit status of a program that was to write its figures there."""
    if flag == "--benchmark_out":
        return call([*ROW, f"{flag}={path}"]).returncode
    with served() as address:
        return call(["yardstack-load", f"--target={address}", "--seconds=0.05", "--warm-up=0",
                     f"{flag}={path}"]).returncode


FILE_FLAGS = pytest.mark.parametrize("flag", ["--benchmark_out", "--json"])


@FILE_FLAGS
def test_a_link_stays_and_leads_to_the_figures(flag: str, tmp_path: Path) -> None:
    link, place = tmp_path / "link", tmp_path / "elsewhere.json"
    link.symlink_to(place.name)
    assert write_figures(flag, link) == 0
    assert json.loads(place.read_text()) and link.is_symlink() and len(list(tmp_path.iterdir())) == 2


@FILE_FLAGS
def test_a_pipe_carries_the_figures(flag: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert write_figures(flag, pipe) == 0
        assert json.loads(reader.communicate(timeout=60)[0])
    assert pipe.is_fifo() and len(list(tmp_path.iterdir())) == 1


@FILE_FLAGS
@pytest.mark.parametrize(("minor", "status"), [(3, 0), (7, 1)], ids=["null", "full"])
def test_a_device_stays_one(flag: str, minor: int, status: int, tmp_path: Path) -> None:
    device = tmp_path / "device"  # our own: what a fault would break must be nobody else's
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, minor))
        device.open("w").close()
    except PermissionError:
        pytest.skip("only the superuser makes devices, and not in every folder")
    assert write_figures(flag, device) == status
    assert device.is_char_device() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("form", ["json", "console"])
def test_figures_that_go_to_a_full_disk_alone_are_a_failure(form: str) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = call([*ROW, f"--benchmark_format={form}"], stdout=full)
    finally:
        os.close(full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("bench-switch: failed: standard output")


@pytest.mark.parametrize("name", list(SMALL))
def test_too_few_descriptors_are_one_line_and_status_4(name: str) -> None:
    done = call([name, f"--cell={SMALL[name]}"], before=limited(resource.RLIMIT_NOFILE, 10))
    assert done.returncode == 4
    assert done.stderr.splitlines() == [f"{name}: RLIMIT_NOFILE is 10, at least 32 are needed: ulimit -n 32"]


@pytest.mark.parametrize("contender", CONTENDERS)
def test_memory_that_runs_out_is_a_refused_row(contender: str) -> None:
    """Wherever it runs out: in a task, on a thread, while the limit itself is looked for."""
    for program, row in (("bench-spawn", f"spawn/{contender}/alive:1000000"),
                         ("bench-memory", f"memory/{contender}/state:sleeping/tasks:4000000")):
        done = call([program, f"--cell={row}", "--seconds=0.1", "--benchmark_format=json"],
                    before=limited(resource.RLIMIT_AS, 100_000_000))
        assert done.returncode == 0, done.stderr
        error = json.loads(done.stdout)["benchmarks"][0]["error_message"]
        assert error.startswith("refused: ") and "limit=" in error, error


def await_descendant(process: subprocess.Popen[str], whom: str) -> int:
    end = time.monotonic() + 60  # a hang guard
    while not (found := [pid for pid in descendants(process.pid)
                         if whom in Path(f"/proc/{pid}/cmdline").read_text()]):
        assert time.monotonic() < end and process.poll() is None, f"no {whom} ever began"
        time.sleep(0.02)
    return found[0]


@pytest.mark.parametrize(("whom", "told"), [
    ("load/clients", "crashed: SIGKILL (the load generator)"),
    ("echo/floor-epoll", "crashed: SIGKILL (the floor)"),
    ("echo/futures", "crashed: SIGKILL")])
def test_a_row_says_whose_crash_it_was(whom: str, told: str) -> None:
    argv = [BUILD / "bench-echo", f"--cell={SMALL['bench-echo']}", "--seconds=600", "--timeout=900",
            "--benchmark_format=json"]
    with started(argv) as process:
        await_descendant(process, "load/clients")  # it comes last: now all are at work
        os.kill(await_descendant(process, whom), signal.SIGKILL)
        out, why = process.communicate(timeout=60)
    assert process.returncode == 1
    assert why.splitlines()[-1] == f"bench-echo: 1 of 1 rows failed, the first: {SMALL['bench-echo']}: {told}"
    assert json.loads(out)["benchmarks"][0]["error_message"] == told


def test_a_row_says_that_its_load_generator_hangs() -> None:
    argv = [BUILD / "bench-echo", f"--cell={SMALL['bench-echo']}", "--seconds=1", "--timeout=4",
            "--benchmark_format=json"]
    with started(argv) as process:
        os.kill(clients := await_descendant(process, "load/clients"), signal.SIGSTOP)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1 and not Path(f"/proc/{clients}").exists()
    told = json.loads(out)["benchmarks"][0]["error_message"]
    assert re.fullmatch(r"timeout: waiting for mark \w+ \(the load generator\)", told), told


@pytest.mark.parametrize("argv", [
    ["bench-selftest", "--cell=selftest/pair"], ["bench-selftest", "--cell=selftest/slowdown"],
    ["bench-echo", "--cell=echo/futures/connections:4/active:5"],
    ["bench-echo", "--active=5", "--connections=4"], ["bench-echo", "--target=unix:/a/path"],
    ["bench-echo", "--target=", "--connections=1"], ["bench-echo", "--target-pid=1"],
    ["bench-echo", "--cell=echo/target/transport:tcp/connections:1/bytes:64"],
    ["bench-echo", "--target=127.0.0.1:9", f"--cell={SMALL['bench-echo']}"],
    ["bench-echo", "--target=127.0.0.1:9", "--cell=echo/target/transport:unix/connections:1/bytes:64"],
    ["bench-echo", "--target=127.0.0.1:9", "--contenders=futures"],
    ["yardstack-load", "--target=127.0.0.1:9", "--against-pid=1"],
    ["yardstack-serve", "--backend=futures", "--host=999.1.1.1"]], ids=" ".join)
def test_rows_that_mean_nothing_are_bad_usage(argv: list[str]) -> None:
    done = call(argv)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{argv[0]}: ")


def test_of_a_matrix_the_rows_are_taken_that_mean_something() -> None:
    listed = call(["bench-echo", "--active=100", "--connections=10,200", "--benchmark_list_tests"]).stdout
    assert "connections:200" in listed and "connections:10/" not in listed
