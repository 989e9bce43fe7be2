------------------------------- MODULE Session -------------------------------
(***************************************************************************)
(* How long a session of ZooKeeper lasts, and what its client may believe. *)
(*                                                                         *)
(* The client talks to one server. The leader of the ensemble ends         *)
(* sessions, and knows of requests only by what this server answers to its *)
(* pings, of which it sends two in a tick. What is answered to a request,  *)
(* and to a ping, goes the same way and in order.                          *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Timeout,   \* of the session
  PingEvery, \* half a tick
  Requests,  \* how many the client makes
  MaxTime,
  Freezes,   \* whether the leader may be frozen
  Crashes,   \* whether the server may crash
  Mutant     \* what the client gets wrong, "none" for nothing

VARIABLES
  now,
  touched,   \* whether the server has a request to report
  heard,     \* when the leader heard of the session last
  pinged,    \* when the leader sent its last ping
  frozen,    \* whether the leader is frozen
  crashed,   \* whether the server is gone, and the client without a connection
  sent,      \* when each request was sent
  answered,  \* when each was answered
  deadline,  \* until when the client relies on the session
  ended      \* whether the leader has ended the session

vars == <<now, touched, heard, pinged, frozen, crashed, sent, answered, deadline, ended>>

Init ==
  /\ now = 0
  /\ touched = FALSE
  /\ heard = 0
  /\ pinged = 0
  /\ frozen = FALSE
  /\ crashed = FALSE
  /\ sent = <<0>>
  /\ answered = <<0>>
  /\ deadline = Timeout
  /\ ended = FALSE

Max(S) == CHOOSE x \in S : \A y \in S : y <= x

\* A request counts once another one that was sent a tick after its answer was answered.
Counts(i, answers) ==
  IF Mutant = "count from the last request" THEN i <= Len(answers)
  ELSE \E j \in 1..Len(answers) : i < j /\ sent[j] >= answers[i] + 2 * PingEvery

Proved(answers) ==
  LET times == {sent[i] : i \in {i \in 1..Len(answers) : Counts(i, answers)}}
  IN IF times = {} THEN 0 ELSE Max(times)

Send ==
  /\ ~crashed
  /\ Len(sent) = Len(answered)
  /\ Len(sent) <= Requests
  /\ sent' = Append(sent, now)
  /\ touched' = TRUE
  /\ UNCHANGED <<now, heard, pinged, frozen, crashed, answered, deadline, ended>>

\* A majority agrees. An answer that comes after the deadline changes nothing.
Answer ==
  /\ ~crashed /\ ~frozen /\ ~ended
  /\ Len(sent) > Len(answered)
  /\ answered' = Append(answered, now)
  /\ deadline' = IF now < deadline THEN Max({deadline, Proved(answered') + Timeout}) ELSE deadline
  /\ UNCHANGED <<now, touched, heard, pinged, frozen, crashed, sent, ended>>

Ping ==
  /\ ~frozen /\ ~crashed
  /\ pinged < now
  /\ pinged' = now
  /\ heard' = IF touched THEN now ELSE heard
  /\ touched' = FALSE
  /\ UNCHANGED <<now, frozen, crashed, sent, answered, deadline, ended>>

\* At a full tick, so later than this allows. That only helps the client.
End ==
  /\ ~frozen /\ ~ended
  /\ now >= heard + Timeout
  /\ ended' = TRUE
  /\ UNCHANGED <<now, touched, heard, pinged, frozen, crashed, sent, answered, deadline>>

\* A leader that works sends its pings in time.
Tick ==
  /\ now < MaxTime
  /\ frozen \/ crashed \/ now < pinged + PingEvery
  /\ now' = now + 1
  /\ UNCHANGED <<touched, heard, pinged, frozen, crashed, sent, answered, deadline, ended>>

Freeze ==
  /\ Freezes
  /\ frozen' = ~frozen
  /\ UNCHANGED <<now, touched, heard, pinged, crashed, sent, answered, deadline, ended>>

\* What it did not report is lost.
Crash ==
  /\ Crashes
  /\ crashed' = TRUE
  /\ UNCHANGED <<now, touched, heard, pinged, frozen, sent, answered, deadline, ended>>

Next == Send \/ Answer \/ Ping \/ End \/ Tick \/ Freeze \/ Crash

Spec == Init /\ [][Next]_vars

\* The session lasts for as long as the client relies on it.
NotBeforeTheDeadline == ended => now >= deadline

=============================================================================
