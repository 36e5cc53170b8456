"""Tests of ``nobubble solve --server``."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from nobubble_cli.client import connection, solving
from nobubble_cli.client.address import Address
from nobubble_cli.client.solving import solve_at
from nobubble_cli.overrides import read_profile_with
from nobubble_cli.progress import Progress
from nobubble_cli.solve_options import SolveOptions
from tests.cli.client.conftest import Clock
from tests.cli.client.fake import (
    JOB_ID,
    FakeService,
    Reply,
    answer,
    job,
    problem,
    schedule,
    stream,
)
from tests.cli.running import Outcome, Run, environment

SOLVE = "POST /v1/solve"
JOB = f"GET /v1/jobs/{JOB_ID}"
EVENTS = f"{JOB}/events"
SCHEDULE = f"{JOB}/schedule"


def test_the_bytes_are_those_of_a_local_solve(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests stdout and a file, and that the figures are printed beside the file."""
    service.on(SOLVE, schedule(solved))
    piped = run("solve", profile_path, "--server", service.url)
    assert (piped.code, piped.err) == (0, "")
    assert piped.out == solved
    path = profile_path.with_name("out.json")
    to_file = run("solve", profile_path, "--server", service.url, "-o", path)
    assert (to_file.code, to_file.out) == (0, "")
    assert path.read_text() == solved
    assert to_file.err == run("solve", profile_path, "-o", path).err


def test_the_service_gets_the_complete_profile_with_exact_decimals_and_the_options(
    profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that overrides and options are in the one request."""
    profile = json.loads(profile_path.read_text())
    profile["stages"][1]["F"]["time"] = 3.000001
    profile_path.write_text(json.dumps(profile))
    service.on(SOLVE, problem("no-schedule", 504, "none"))
    run(
        *("solve", profile_path, "--server", service.url, "--microbatches", "7"),
        *("--memory-limit", "60,none,60", "--objective", "rank_span", "--seed", "3"),
        *("--method", "search", "--effort", "fast", "--time-limit", "2.5"),
        "--ignore-memory-limit",
    )
    (request,) = service.requests
    assert request.headers["Content-Type"] == "application/json"
    assert '"time": 3.000001,' in request.body
    sent = request.json()
    assert sent["options"] == {
        "method": "search",
        "effort": "fast",
        "seed": 3,
        "time_limit": 2.5,
        "ignore_memory_limit": True,
    }
    assert sent["profile"]["microbatches"] == 7
    assert sent["profile"]["memory_limit"] == [60, None, 60]
    assert sent["profile"]["objective"] == "rank_span"
    assert sent["profile"]["communication"] == {"F": [0.25, 0.25], "B": [0.25, 0.25]}


def test_what_a_schedule_records_is_what_was_asked(profile_path: Path, run: Run) -> None:
    """Tests that the client knows the options as a local solve writes them."""
    out = run("solve", profile_path, "--seed", "4", "--ignore-memory-limit").out
    recorded = json.loads(out)["generator"]["options"]
    assert recorded == SolveOptions(seed=4, ignore_memory_limit=True).recorded()


@pytest.mark.parametrize("options", [["--seed", "4"], ["--ignore-memory-limit"]])
def test_a_schedule_made_with_options_is_taken(
    options: list[str], profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that checking what was asked for refuses nothing good."""
    local = run("solve", profile_path, *options)
    service.on(SOLVE, schedule(local.out))
    assert run("solve", profile_path, "--server", service.url, *options) == local


def test_a_path_behind_a_proxy(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that the address may have a path, and a slash at its end."""
    service.on("POST /plans/v1/solve", schedule(solved))
    assert run("solve", profile_path, "--server", f"{service.url}/plans/").out == solved


def follow_replies(service: FakeService, solved: str) -> None:
    """Have a job answer."""
    service.on(SOLVE, answer(job(), 202))
    service.on(
        EVENTS,
        stream(
            (1, "state", {"at": "x", "state": "running"}),
            (2, "progress", {"at": "x", "text": "greedy 3/36"}),
            (2, "end", job("done", schedule="0" * 64)),
        ),
    )
    service.on(SCHEDULE, schedule(solved))


def test_a_job_is_followed_to_its_end(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that 202 leads to the same bytes."""
    follow_replies(service, solved)
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, outcome.out, outcome.err) == (0, solved, "")
    assert service.calls() == [SOLVE, EVENTS, SCHEDULE]


def test_progress_is_shown_while_a_job_runs(
    profile_path: Path, service: FakeService, solved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests the line of who watches: the job is asked for at once, to be told of it."""

    class Listening(Progress):
        told: list[object] = []  # noqa: RUF012

        def __call__(self, doing: object) -> None:
            self.told.append(doing)

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    follow_replies(service, solved)
    profile = read_profile_with(str(profile_path), {})
    progress = Listening()
    found = solve_at(
        Address(service.url), profile, SolveOptions(), progress, source=str(profile_path)
    )
    assert found.text == solved
    assert progress.told == ["running", "greedy 3/36", ""]
    assert service.requests[0].headers["Prefer"] == "respond-async"


def test_a_launcher_makes_one_request(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that where nobody watches, the service may take its time to answer."""
    service.on(SOLVE, schedule(solved))
    run("solve", profile_path, "--server", service.url)
    assert service.calls() == [SOLVE]
    assert "Prefer" not in service.requests[0].headers


def test_a_stream_that_breaks_off_is_taken_up_again(
    profile_path: Path, service: FakeService, solved: str, clock: Clock, run: Run
) -> None:
    """Tests that a service that restarts loses nothing: Last-Event-ID says what has come."""
    follow_replies(service, solved)
    service.on(JOB, answer(job("running")))
    service.on(
        EVENTS,
        stream((7, "progress", {"text": "greedy"}), breaks_off=True),
        Reply(0),
        stream((8, "progress", {"text": "search"})),
        stream((9, "end", job("done", schedule="0" * 64))),
    )
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, outcome.out) == (0, solved)
    asked = [request for request in service.requests if request.call == EVENTS]
    assert [request.headers.get("Last-Event-ID") for request in asked] == [None, "7", "7", "8"]
    assert clock.slept


def test_a_job_is_asked_for_where_no_stream_is_left(
    profile_path: Path, service: FakeService, solved: str, clock: Clock, run: Run
) -> None:
    """Tests that following does without a stream."""
    follow_replies(service, solved)
    service.on(EVENTS, problem("too-busy", 429, "1000 event streams are open", retry_after=5))
    service.on(JOB, answer(job("running")), answer(job("done", schedule="0" * 64)))
    assert run("solve", profile_path, "--server", service.url).out == solved
    assert clock.slept == [1, 2]


def test_a_service_that_goes_away_is_given_up_after_a_while(
    profile_path: Path, service: FakeService, solved: str, clock: Clock, run: Run
) -> None:
    """Tests that following ends when nothing answers any more."""
    follow_replies(service, solved)
    service.on(EVENTS, Reply(0))
    service.on(JOB, Reply(0))
    outcome = run("solve", profile_path, "--server", service.url)
    assert outcome.code == 4
    assert "broke off" in outcome.err
    assert 60 < clock.now <= connection.PATIENCE + 20


SAME_AS_LOCAL = [
    (
        problem("bad-profile", 422, "", errors=[{"pointer": "/profile/ranks", "message": "is 0"}]),
        2,
        "{profile}: /ranks: is 0",
    ),
    (problem("infeasible", 422, "rank 1 binds", rank=1, limit=5, needed=9), 3, "rank 1 binds"),
    (problem("no-schedule", 504, "nothing within 1 s"), 4, "nothing within 1 s"),
    (
        problem("verification-failed", 500, "x", findings=["rank 0: late", "rank 1: late"]),
        5,
        "rank 0: late\nrank 1: late",
    ),
    (problem("bad-method", 422, "zb-h1 is for linear"), 2, "zb-h1 is for linear"),
    (
        problem(
            "bad-request",
            400,
            "x",
            errors=[{"pointer": "/options/time_limit", "message": "is 9 s, but 5 s is the most"}],
        ),
        2,
        "{url}: --time-limit is 9 s, but 5 s is the most",
    ),
    (problem("too-large", 413, "the profile has 9 ops"), 2, "{url}: the profile has 9 ops"),
    (problem("forbidden", 403, "this token may read only"), 2, "{url}: this token may read only"),
    (
        problem("unauthorized", 401, "no token was given"),
        2,
        "{url}: it wants a token; give yours with --token, or in NOBUBBLE_TOKEN",
    ),
    (problem("timeout", 408, "the body was slow"), 4, "{url}: the body was slow"),
    (
        problem("internal", 500, "this is a bug", request_id="ab12"),
        4,
        "{url}: this is a bug (request ab12)",
    ),
    (problem("worker-lost", 500, "it ended its worker"), 4, "{url}: it ended its worker"),
    (
        Reply(404, "<html>", {"Content-Type": "text/html"}),
        2,
        "{url} answered 404 Not Found, and not as nobubble does; is this the address of nobubble?",
    ),
    (
        Reply(500, "oops", {"Content-Type": "application/problem+json"}),
        4,
        "{url} answered 500 Internal Server Error; it may be starting, or a proxy does not reach "
        "it",
    ),
    (
        Reply(307, "", {"Location": "https://x.example/v1/solve"}),
        2,
        "{url} sends on to https://x.example/v1/solve; give the address that it should be",
    ),
    (
        answer({"hello": "world"}, 202),
        2,
        "{url} gave something that is not a job; is this the address of nobubble?",
    ),
    (
        Reply(202, "<html>", {"Content-Type": "text/html"}),
        2,
        "{url} gave an answer that is no JSON object; is this the address of nobubble?",
    ),
]


def told(outcome: Outcome, profile: Path, service: FakeService) -> str:
    """Give what was told, without what differs from run to run."""
    lines = [line.removeprefix("error: ") for line in outcome.err.splitlines()]
    return "\n".join(lines).replace(str(profile), "{profile}").replace(service.url, "{url}")


@pytest.mark.parametrize(("reply", "code", "message"), SAME_AS_LOCAL)
def test_an_error_is_told_as_a_local_one(
    reply: Reply, code: int, message: str, profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests exit code and message, and that nothing is written."""
    service.on(SOLVE, reply)
    output = profile_path.with_name("out.json")
    outcome = run("solve", profile_path, "--server", service.url, "-o", output)
    assert (outcome.code, outcome.out) == (code, "")
    assert told(outcome, profile_path, service) == message
    assert not output.exists()


@pytest.mark.parametrize(("reply", "code", "message"), SAME_AS_LOCAL[:5])
def test_a_job_that_fails_is_told_as_a_local_error(
    reply: Reply, code: int, message: str, profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests the problem that a job records."""
    service.on(SOLVE, answer(job(), 202))
    service.on(EVENTS, stream((3, "end", job("failed", problem=json.loads(reply.body)))))
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, told(outcome, profile_path, service)) == (code, message)


def test_a_job_that_another_cancels(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that the best found is taken, with a word about it, and that none is an error."""
    service.on(SOLVE, answer(job(), 202))
    service.on(EVENTS, stream((3, "end", job("cancelled"))))
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == f"error: job {JOB_ID} was cancelled before it had a schedule\n"
    service.on(EVENTS, stream((3, "end", job("cancelled", schedule="0" * 64))))
    best = solved.replace('"stopped_by": "proof"', '"stopped_by": "stopped"')
    service.on(SCHEDULE, schedule(best))
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, outcome.out) == (0, best)
    assert outcome.err == "note: the job was cancelled; this is the best that it had found\n"


def test_escape_sequences_do_not_reach_the_terminal(
    profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that a service cannot write over what is on the screen."""
    service.on(SOLVE, problem("bad-method", 422, "\x1b[2Jgone\u202e"))
    assert run("solve", profile_path, "--server", service.url).err == "error: [2Jgone\n"


@pytest.mark.parametrize(
    ("busy", "waited"),
    [
        (problem("too-busy", 429, "the queue is full", retry_after=7), 7),
        (problem("unavailable", 503, "the service is stopping", retry_after=3), 3),
        (problem("too-busy", 429, "the queue is full"), 1),
        (problem("too-busy", 429, "x", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"), 1),
        (problem("too-busy", 429, "the queue is full", retry_after="soon"), 1),
        (Reply(502, "<html>Bad gateway</html>"), 1),
        (Reply(504, "<html>Timeout</html>"), 1),
    ],
)
def test_a_busy_service_is_asked_again(
    busy: Reply,
    waited: float,
    profile_path: Path,
    service: FakeService,
    solved: str,
    clock: Clock,
    run: Run,
) -> None:
    """Tests that Retry-After is kept to."""
    service.on(SOLVE, busy, schedule(solved))
    outcome = run("solve", profile_path, "--server", service.url)
    assert (outcome.code, outcome.out) == (0, solved)
    assert clock.slept == [waited]


def test_a_service_that_stays_busy_is_given_up(
    profile_path: Path, service: FakeService, clock: Clock, run: Run
) -> None:
    """Tests that waiting has an end, and that one beyond it is not begun."""
    service.on(SOLVE, problem("too-busy", 429, "the queue is full", retry_after=50))
    outcome = run("solve", profile_path, "--server", service.url)
    assert outcome.code == 4
    assert outcome.err == (
        f"error: {service.url}: the queue is full; it asks to come back in 50 s\n"
    )
    assert clock.slept == [50, 50]
    service.on(SOLVE, problem("too-busy", 429, "the queue is full", retry_after=3600))
    assert run("solve", profile_path, "--server", service.url).code == 4
    assert clock.slept == [50, 50]


def test_a_service_that_is_slow_gives_a_job(
    profile_path: Path,
    service: FakeService,
    solved: str,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    """Tests that a synchronous limit beyond this client's patience loses no work."""
    monkeypatch.setattr(connection, "ANSWERING", 0.2)
    monkeypatch.setattr(connection, "FIRST_PATIENCE", 0.1)
    never = threading.Event()
    follow_replies(service, solved)
    service.on(SOLVE, Reply(200, waits_for=never), answer(job(), 202))
    outcome = run("solve", profile_path, "--server", service.url)
    never.set()
    assert (outcome.code, outcome.out) == (0, solved)
    assert service.requests[1].headers["Prefer"] == "respond-async"


def test_a_service_that_never_answers(
    profile_path: Path, service: FakeService, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that one that hangs is told."""
    monkeypatch.setattr(connection, "ANSWERING", 0.2)
    monkeypatch.setattr(connection, "FIRST_PATIENCE", 0.1)
    never = threading.Event()
    service.on(SOLVE, Reply(200, waits_for=never))
    outcome = run("solve", profile_path, "--server", service.url)
    never.set()
    assert (outcome.code, outcome.err) == (4, f"error: {service.url} did not answer within 0.2 s\n")


def test_one_that_is_no_http_service(
    profile_path: Path, service: FakeService, clock: Clock, run: Run
) -> None:
    """Tests that one that only breaks off is given up soon."""
    service.on(SOLVE, Reply(0))
    outcome = run("solve", profile_path, "--server", service.url)
    assert outcome.code == 4
    assert outcome.err.startswith(f"error: {service.url} broke off: ")
    assert clock.now <= connection.FIRST_PATIENCE


def test_nobody_listens(profile_path: Path, service: FakeService, run: Run) -> None:
    """Tests that a refused connection is told at once."""
    service.close()
    outcome = run("solve", profile_path, "--server", service.url)
    assert outcome.code == 4
    assert outcome.err == (
        f"error: cannot reach {service.url}: connection refused; is the service running there?\n"
    )


def test_no_such_host(profile_path: Path, run: Run) -> None:
    """Tests that a name without an address is told."""
    outcome = run("solve", profile_path, "--server", "http://nobubble.invalid")
    assert outcome.code == 4
    assert outcome.err.startswith(
        "error: cannot reach http://nobubble.invalid: no address for this host ("
    )


def test_https_where_http_is_spoken(profile_path: Path, service: FakeService, run: Run) -> None:
    """Tests that the wrong scheme is told."""
    url = service.url.replace("http:", "https:")
    outcome = run("solve", profile_path, "--server", url)
    assert outcome.code == 4
    assert outcome.err.startswith(f"error: cannot speak TLS with {url}: ")


MISTRUSTED = {
    "changed on its way": "that was changed on its way",
    "no hash": "without its hash (ETag)",
    "another profile": "of another profile than was sent",
    "another name": "of another profile than was sent",
    "another seed": "made with method auto, effort normal, seed 1, not method auto",
    "wrong": "that is wrong:",
    "no schedule": "is not an object",
    "no UTF-8": "that is not UTF-8 text",
}


@pytest.mark.parametrize("case", MISTRUSTED)
def test_no_schedule_is_taken_on_trust(
    case: str, profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that what was not asked for, or is not right, is refused with exit code 5."""
    other = json.loads(profile_path.read_text())
    other["name"] = "other"
    other["microbatches"] -= case == "another profile"
    other_path = profile_path.with_name("other.json")
    other_path.write_text(json.dumps(other))
    first = json.loads(solved)["ranks"][0]["actions"][0]["end"]
    replies = {
        "changed on its way": schedule(solved, schedule(f"{solved} ").headers["ETag"]),
        "no hash": schedule(solved, ""),
        "another profile": schedule(run("solve", other_path).out),
        "another name": schedule(run("solve", other_path).out),
        "another seed": schedule(run("solve", profile_path, "--seed", "1").out),
        "wrong": schedule(solved.replace(f'"end": {first}', f'"end": {first + 1}', 1)),
        "no schedule": schedule("[]"),
        "no UTF-8": Reply(
            200,
            b"\xff",
            {"ETag": '"a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89"'},
        ),
    }
    service.on(SOLVE, replies[case])
    output = profile_path.with_name("out.json")
    outcome = run("solve", profile_path, "--server", service.url, "-o", output)
    assert (outcome.code, outcome.out) == (5, "")
    assert MISTRUSTED[case] in outcome.err
    assert outcome.err.startswith(f"error: {service.url}")
    assert not output.exists()


@pytest.mark.parametrize("form", ['W/"{}"', '"{}-gzip"'])
def test_a_proxy_that_compresses_may_mark_the_hash(
    form: str, profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests the tags as nginx and Apache change them."""
    tag = schedule(solved).headers["ETag"].strip('"')
    service.on(SOLVE, schedule(solved, form.format(tag)))
    assert run("solve", profile_path, "--server", service.url).out == solved


def test_another_version_is_told(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that who compares bytes learns why they may differ."""
    document = json.loads(solved)
    version = document["generator"]["version"]
    service.on(SOLVE, schedule(solved.replace(f'"version": "{version}"', '"version": "99.0"')))
    outcome = run("solve", profile_path, "--server", service.url)
    assert outcome.code == 0
    assert outcome.err.startswith("note: made by nobubble 99.0, here is ")


def test_the_token_is_sent(profile_path: Path, service: FakeService, solved: str, run: Run) -> None:
    """Tests --token, and the environment, in which other users cannot see it."""
    service.on(SOLVE, schedule(solved))
    run("solve", profile_path, "--server", service.url, "--token", "abc")
    run("solve", profile_path, "--server", service.url, NOBUBBLE_TOKEN="def")
    run("solve", profile_path, "--server", service.url, NOBUBBLE_SOLVE_TOKEN="ghi")
    run("solve", profile_path, "--server", service.url)
    sent = [request.headers.get("Authorization") for request in service.requests]
    assert sent == ["Bearer abc", "Bearer def", "Bearer ghi", None]


def test_the_token_goes_to_no_other_service(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that neither a redirect nor the links of a job lead anywhere else."""
    other = FakeService()
    follow_replies(service, solved)
    links = {name: f"{other.url}/{name}" for name in ("self", "events", "schedule")}
    service.on(SOLVE, answer(job(links=links), 202))
    asked = ("solve", profile_path, "--server", service.url, "--token", "abc")
    assert run(*asked).out == solved
    service.on(SOLVE, Reply(307, "", {"Location": f"{other.url}/v1/solve"}))
    assert run(*asked).code == 2
    other.close()
    assert other.requests == []


def test_a_token_that_is_not_known(profile_path: Path, service: FakeService, run: Run) -> None:
    """Tests that the message is about the token that was given, and does not show it."""
    service.on(SOLVE, problem("unauthorized", 401, "the token is not known"))
    outcome = run("solve", profile_path, "--server", service.url, "--token", "s3cret")
    assert outcome.code == 2
    assert outcome.err == (
        f"error: {service.url}: it does not know this token; ask its operator for one\n"
    )


@pytest.mark.parametrize("token", ["two words", "abc\n", "größer"])
def test_a_token_that_cannot_be_sent(
    token: str, profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that it is refused here, unseen."""
    outcome = run("solve", profile_path, "--server", service.url, "--token", token)
    assert outcome.code == 2
    assert outcome.err.startswith("error: --token: it has a character that cannot be sent")
    assert token not in outcome.err
    assert service.requests == []


def test_the_environment_names_the_service_for_all_commands_or_for_one(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests NOBUBBLE_SERVER, the twin of solve before it, and the command line before both."""
    service.on(SOLVE, schedule(solved))
    nowhere = "http://127.0.0.1:1"
    assert run("solve", profile_path, NOBUBBLE_SERVER=service.url).out == solved
    assert (
        run("solve", profile_path, NOBUBBLE_SERVER=nowhere, NOBUBBLE_SOLVE_SERVER=service.url).out
        == solved
    )
    assert (
        run("solve", profile_path, "--server", service.url, NOBUBBLE_SOLVE_SERVER=nowhere).out
        == solved
    )
    assert len(service.requests) == 3
    assert run("solve", profile_path, "--server", "", NOBUBBLE_SERVER=nowhere).out == solved
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("127.0.0.1:8000", "is not the address of a service"),
        ("localhost", "is not the address of a service"),
        ("ftp://x", "is not the address of a service"),
        ("http://", "is not the address of a service"),
        ("http://x:99999", "is not the address of a service"),
        ("http://x:0", "is not the address of a service"),
        ("http://[::1", "is not the address of a service"),
        ("http://a b", "is not the address of a service"),
        ("http://x/?y=1", "is more than an address"),
        ("http://x/#y", "is more than an address"),
        ("http://me:secret@x", "leave user and password out"),
    ],
)
def test_what_is_no_address(url: str, message: str, profile_path: Path, run: Run) -> None:
    """Tests that it is told before anything is sent, without any password in it."""
    outcome = run("solve", profile_path, "--server", url)
    assert outcome.code == 2
    assert message in outcome.err
    assert "secret" not in outcome.err


def test_a_wrong_profile_is_told_before_the_service_is_asked(
    profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that the profile is read and checked here."""
    outcome = run("solve", profile_path, "--server", service.url, "--microbatches", "0")
    local = run("solve", profile_path, "--microbatches", "0")
    assert outcome == local
    assert outcome.code == 2
    assert service.requests == []


def test_ctrl_c_says_how_to_come_back(
    profile_path: Path, service: FakeService, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that the job goes on, and that the commands can be copied."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solving, "follow", interrupt)
    service.on(SOLVE, answer(job(), 202))
    output = profile_path.with_name("out put.json")
    outcome = run("solve", profile_path, "--server", service.url, "-o", output)
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.splitlines() == [
        f"interrupted; job {JOB_ID} goes on",
        f"come back to it: nobubble jobs watch {JOB_ID} --server {service.url} -o '{output}'",
        f"or end it:       nobubble jobs cancel {JOB_ID} --server {service.url}",
    ]


def test_a_local_solve_needs_no_http(profile_path: Path) -> None:
    """Tests that httpx is imported only when used."""
    program = (
        "import sys\n"
        "from nobubble_cli.main import main\n"
        "try: main(['solve', sys.argv[1], '-o', sys.argv[2]])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "sys.exit('httpx' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(profile_path), str(profile_path.with_name("x.json"))],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
