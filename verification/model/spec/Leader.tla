------------------------------- MODULE Leader -------------------------------
(***************************************************************************)
(* One role that several members compete for, over a store with leases and *)
(* databases with fences.                                                  *)
(*                                                                         *)
(* Time is what is left: of the lease by the clock of the store, of a term *)
(* by the clock of its member. Tick takes one from all of them. Any member *)
(* may be paused at any point, as no step has to be taken before the next  *)
(* Tick. A clock of a member that is slow by Drift makes its term as long  *)
(* as Margin makes it short.                                               *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Members,    \* processes; one that is started again is another member
  Databases,  \* with a fence each
  Ttl,        \* of a lease
  Margin,     \* by which a term ends before its lease
  Drift,      \* by which the clock of a member may be slow within a ttl
  MaxTerms,   \* how many terms the store grants
  MaxFaults,  \* how much goes wrong
  Timely,     \* whether messages and members are slow only while things go wrong
  Mutant      \* what the protocol gets wrong, "none" for nothing

VARIABLES
  lease,   \* the row in the store
  fence,   \* the row in each database
  member,  \* what each member knows of its own term
  seen,    \* how long each member still has to watch the lease before it may take it
  rpc,     \* the request that each member waits for
  late,    \* a request that was given up, and that the network still delivers
  work,    \* the transaction that each member is in
  begun,   \* all terms that have begun
  terms,   \* how many were granted
  faults,  \* how much may still go wrong
  lost     \* whether the store has lost data

vars == <<lease, fence, member, seen, rpc, late, work, begun, terms, faults, lost>>

Nobody == "nobody"
NotSeen == Ttl + 1
Free(epoch) == [epoch |-> epoch, term |-> 0, holder |-> Nobody, left |-> 0]
Follower == [phase |-> "follower", epoch |-> 0, term |-> 0, left |-> 0, raised |-> {}]
Silence == [from |-> Nobody, kind |-> "none", state |-> "none", epoch |-> 0, term |-> 0, valid |-> FALSE, age |-> 0]
NoWork == [stage |-> "none", database |-> "none", epoch |-> 0, term |-> 0]

Init ==
  /\ lease = Free(0)
  /\ fence = [d \in Databases |-> [epoch |-> 0, term |-> 0]]
  /\ member = [m \in Members |-> Follower]
  /\ seen = [m \in Members |-> NotSeen]
  /\ rpc = [m \in Members |-> Silence]
  /\ late = Silence
  /\ work = [m \in Members |-> NoWork]
  /\ begun = {}
  /\ terms = 0
  /\ faults = MaxFaults
  /\ lost = FALSE

Max(a, b) == IF a > b THEN a ELSE b
Minus(a, b) == IF a > b THEN a - b ELSE 0

\* A term lasts from when its request was sent, by a clock that is slow.
TermLeft(age) ==
  LET counted == IF Mutant = "deadline from the answer" THEN 0 ELSE age
      margin == IF Mutant = "no margin" THEN 0 ELSE Margin
  IN Minus(Ttl + Drift, margin + counted)

\* A call may run on after its term was resigned, but not longer than the term.
Leads(m) ==
  /\ member[m].left > 0
  /\ \/ member[m].phase = "leading"
     \/ work[m].stage /= "none" /\ work[m].term = member[m].term

-----------------------------------------------------------------------------
(* Requests to the store *)

Send(m, kind, epoch, term) ==
  /\ rpc[m] = Silence
  /\ rpc' = [rpc EXCEPT ![m] =
       [from |-> m, kind |-> kind, state |-> "sent", epoch |-> epoch, term |-> term, valid |-> TRUE, age |-> 0]]

\* The lease is watched for as long as it is shown to last. One that is first seen
\* when it has run out is watched for a ttl, as the clock may have been set.
Observe(m) ==
  /\ member[m].phase = "follower"
  /\ seen[m] = NotSeen
  /\ lease.holder /= m
  /\ seen' = [seen EXCEPT ![m] =
       IF lease.holder = Nobody \/ Mutant = "trust the clock of the store" THEN lease.left
       ELSE IF lease.left = 0 THEN Ttl ELSE lease.left]
  /\ UNCHANGED <<lease, fence, member, rpc, late, work, begun, terms, faults, lost>>

\* A store whose epoch is behind a fence has lost data.
RequestRole(m) ==
  /\ member[m].phase = "follower"
  /\ work[m] = NoWork
  /\ seen[m] = 0
  /\ terms < MaxTerms
  /\ \A d \in Databases : fence[d].epoch <= lease.epoch
  /\ Send(m, "acquire", lease.epoch, 0)
  /\ UNCHANGED <<lease, fence, member, seen, late, work, begun, terms, faults, lost>>

Renew(m) ==
  /\ member[m].phase \in {"acquired", "leading", "draining"}
  /\ member[m].left > 0
  /\ Timely => member[m].left < Ttl
  /\ Send(m, "renew", 0, member[m].term)
  /\ UNCHANGED <<lease, fence, member, seen, late, work, begun, terms, faults, lost>>

\* The term ends with the request: it is not known when the store frees the role.
Release(m) ==
  /\ member[m].phase = "draining"
  /\ work[m] = NoWork \/ Mutant = "release before the work has ended"
  /\ Send(m, "release", 0, member[m].term)
  /\ member' = [member EXCEPT ![m] = IF work[m] = NoWork THEN Follower ELSE [@ EXCEPT !.phase = "follower"]]
  /\ UNCHANGED <<lease, fence, seen, late, work, begun, terms, faults, lost>>

\* A lease that this member holds and has no term for, as when an answer was lost.
ReleaseOrphan(m) ==
  /\ member[m].phase = "follower"
  /\ lease.holder = m
  /\ Mutant /= "keep what is held"
  /\ Send(m, "release", 0, lease.term)
  /\ UNCHANGED <<lease, fence, member, seen, late, work, begun, terms, faults, lost>>

\* What a mutant does instead.
RenewOrphan(m) ==
  /\ Mutant = "keep what is held"
  /\ member[m].phase = "follower"
  /\ lease.holder = m
  /\ lease.left < Ttl
  /\ Send(m, "renew", 0, lease.term)
  /\ UNCHANGED <<lease, fence, member, seen, late, work, begun, terms, faults, lost>>

-----------------------------------------------------------------------------
(* The store *)

\* Whatever was seen of the lease does not hold any more.
Write(new) ==
  /\ lease' = new
  /\ seen' = [m \in Members |-> NotSeen]

Outdated(request) ==
  IF request.kind = "acquire" /\ request.state = "sent" THEN [request EXCEPT !.valid = FALSE] ELSE request

Takes(request) == request.kind = "acquire" /\ request.valid /\ lease.epoch = request.epoch
Keeps(request) ==
  /\ request.kind = "renew"
  /\ lease.holder = request.from
  /\ lease.term = request.term
  /\ lease.left > 0
Frees(request) == request.kind = "release" /\ lease.holder = request.from /\ lease.term = request.term
Changes(request) == Takes(request) \/ Keeps(request) \/ Frees(request)

Effect(request) ==
  CASE Takes(request) -> /\ terms < MaxTerms
                         /\ Write([epoch |-> lease.epoch + 1, term |-> terms + 1, holder |-> request.from, left |-> Ttl])
                         /\ terms' = terms + 1
    [] Keeps(request) -> Write([lease EXCEPT !.left = Ttl]) /\ UNCHANGED terms
    [] Frees(request) -> Write(Free(lease.epoch)) /\ UNCHANGED terms
    [] OTHER -> UNCHANGED <<lease, seen, terms>>

Answer(request) ==
  IF request.kind = "release" THEN Silence
  ELSE [request EXCEPT !.state = "answered", !.valid = Changes(request),
                       !.epoch = IF Takes(request) THEN lease.epoch + 1 ELSE @,
                       !.term = IF Takes(request) THEN terms + 1 ELSE @]

Serve(m) ==
  /\ rpc[m].state = "sent"
  /\ Effect(rpc[m])
  /\ LET outdated == IF Changes(rpc[m]) THEN [n \in Members |-> Outdated(rpc[n])] ELSE rpc
     IN rpc' = [outdated EXCEPT ![m] = Answer(rpc[m])]
  /\ late' = IF Changes(rpc[m]) THEN Outdated(late) ELSE late
  /\ UNCHANGED <<fence, member, work, begun, faults, lost>>

ServeLate ==
  /\ late /= Silence
  /\ Effect(late)
  /\ rpc' = IF Changes(late) THEN [n \in Members |-> Outdated(rpc[n])] ELSE rpc
  /\ late' = Silence
  /\ UNCHANGED <<fence, member, work, begun, faults, lost>>

-----------------------------------------------------------------------------
(* Answers *)

Granted(m) ==
  /\ rpc[m].state = "answered" /\ rpc[m].kind = "acquire"
  /\ member' = [member EXCEPT ![m] =
       IF rpc[m].valid /\ @.phase = "follower" /\ TermLeft(rpc[m].age) > 0
       THEN [phase |-> "acquired", epoch |-> rpc[m].epoch, term |-> rpc[m].term,
             left |-> TermLeft(rpc[m].age), raised |-> {}]
       ELSE @]
  /\ rpc' = [rpc EXCEPT ![m] = Silence]
  /\ UNCHANGED <<lease, fence, seen, late, work, begun, terms, faults, lost>>

\* An answer that comes after the deadline changes nothing. One that says no ends the term.
Renewed(m) ==
  /\ rpc[m].state = "answered" /\ rpc[m].kind = "renew"
  /\ LET mine == member[m].term = rpc[m].term /\ member[m].phase \in {"acquired", "leading", "draining"}
         counts == mine /\ (member[m].left > 0 \/ Mutant = "extend after the deadline")
     IN member' = [member EXCEPT ![m] =
          IF ~counts THEN @
          ELSE IF ~rpc[m].valid THEN Follower
          ELSE [@ EXCEPT !.left = Max(@, TermLeft(rpc[m].age))]]
  /\ rpc' = [rpc EXCEPT ![m] = Silence]
  /\ UNCHANGED <<lease, fence, seen, late, work, begun, terms, faults, lost>>

-----------------------------------------------------------------------------
(* Terms and their work *)

\* A raise waits for transactions that have passed their check.
Raise(m, d) ==
  /\ member[m].phase = "acquired" \/ (Mutant = "raise after the term has begun" /\ member[m].phase = "leading")
  /\ d \notin member[m].raised
  /\ \A n \in Members : work[n].stage = "checked" /\ work[n].database = d => Mutant = "check without a lock"
  /\ LET raised == \/ fence[d].epoch < member[m].epoch
                   \/ Mutant = "raise without comparing terms" /\ fence[d].epoch = member[m].epoch
     IN IF raised
        THEN /\ fence' = [fence EXCEPT ![d] = [epoch |-> member[m].epoch, term |-> member[m].term]]
             /\ member' = [member EXCEPT ![m].raised = @ \union {d}]
        ELSE /\ member' = [member EXCEPT ![m].phase = "draining", ![m].raised = {}]
             /\ UNCHANGED fence
  /\ UNCHANGED <<lease, seen, rpc, late, work, begun, terms, faults, lost>>

RaisedEnough(m) ==
  CASE Mutant = "raise after the term has begun" -> TRUE
    [] Mutant = "raise one fence only" -> member[m].raised /= {}
    [] OTHER -> member[m].raised = Databases

BeginTerm(m) ==
  /\ member[m].phase = "acquired"
  /\ member[m].left > 0
  /\ RaisedEnough(m)
  /\ member' = [member EXCEPT ![m].phase = "leading", ![m].raised =
       IF Mutant \in {"raise after the term has begun", "raise one fence only"} THEN @ ELSE {}]
  /\ begun' = begun \union {[epoch |-> member[m].epoch, term |-> member[m].term]}
  /\ UNCHANGED <<lease, fence, seen, rpc, late, work, terms, faults, lost>>

EndTerm(m) ==
  /\ member[m].phase \in {"acquired", "leading", "draining"}
  /\ member[m].left = 0
  /\ member' = [member EXCEPT ![m] = Follower]
  /\ UNCHANGED <<lease, fence, seen, rpc, late, work, begun, terms, faults, lost>>

BeginWork(m, d) ==
  /\ member[m].phase = "leading"
  /\ member[m].left > 0
  /\ work[m] = NoWork
  /\ work' = [work EXCEPT ![m] =
       [stage |-> "open", database |-> d, epoch |-> member[m].epoch, term |-> member[m].term]]
  /\ UNCHANGED <<lease, fence, member, seen, rpc, late, begun, terms, faults, lost>>

\* The transaction is checked before it commits, and the row stays locked until then.
Check(m) ==
  /\ work[m].stage = "open"
  /\ LET row == fence[work[m].database]
         passes == row.epoch = work[m].epoch /\ row.term = work[m].term
         one == Mutant = "raise one fence only" /\ row.epoch < work[m].epoch
     IN work' = [work EXCEPT ![m] = IF passes \/ one THEN [@ EXCEPT !.stage = "checked"] ELSE NoWork]
  /\ UNCHANGED <<lease, fence, member, seen, rpc, late, begun, terms, faults, lost>>

Commit(m) ==
  /\ work[m].stage = "checked"
  /\ work' = [work EXCEPT ![m] = NoWork]
  /\ UNCHANGED <<lease, fence, member, seen, rpc, late, begun, terms, faults, lost>>

-----------------------------------------------------------------------------
(* Time, and what goes wrong *)

\* What a member that is not slow has done before time goes on.
Urgent(m) ==
  /\ member[m].phase /= "crashed"
  /\ \/ rpc[m] /= Silence
     \/ work[m] /= NoWork
     \/ ENABLED (Observe(m) \/ RequestRole(m) \/ Renew(m) \/ Release(m) \/ ReleaseOrphan(m) \/ EndTerm(m)
                 \/ RenewOrphan(m) \/ BeginTerm(m) \/ \E d \in Databases : Raise(m, d))

Older(request) ==
  IF request.kind \in {"acquire", "renew"} /\ request.age < Ttl + Drift - Margin
  THEN [request EXCEPT !.age = @ + 1] ELSE request

Tick ==
  /\ Timely /\ faults = 0 => \A m \in Members : ~Urgent(m)
  /\ lease' = [lease EXCEPT !.left = Minus(@, 1)]
  /\ member' = [m \in Members |-> [member[m] EXCEPT !.left = Minus(@, 1)]]
  /\ seen' = [m \in Members |-> IF seen[m] = NotSeen THEN NotSeen ELSE Minus(seen[m], 1)]
  /\ rpc' = [m \in Members |-> Older(rpc[m])]
  /\ UNCHANGED <<fence, late, work, begun, terms, faults, lost>>

Fault == faults > 0 /\ faults' = faults - 1

\* From now on nothing goes wrong.
EndFaults == faults > 0 /\ faults' = 0 /\ UNCHANGED <<lease, fence, member, seen, rpc, late, work, begun, terms, lost>>

\* The member waits no longer. The network may still deliver the request.
GiveUp(m) ==
  /\ rpc[m] /= Silence
  /\ IF Timely THEN Fault ELSE UNCHANGED faults
  /\ late' \in {late} \union (IF rpc[m].state = "sent" THEN {[rpc[m] EXCEPT !.age = 0]} ELSE {})
  /\ rpc' = [rpc EXCEPT ![m] = Silence]
  /\ UNCHANGED <<lease, fence, member, seen, work, begun, terms, lost>>

Resign(m) ==
  /\ member[m].phase = "leading"
  /\ Fault
  /\ member' = [member EXCEPT ![m].phase = "draining"]
  /\ UNCHANGED <<lease, fence, seen, rpc, late, work, begun, terms, lost>>

\* Its transaction is rolled back.
Crash(m) ==
  /\ member[m].phase /= "crashed"
  /\ \E n \in Members \ {m} : member[n].phase /= "crashed"
  /\ Fault
  /\ member' = [member EXCEPT ![m] = [Follower EXCEPT !.phase = "crashed"]]
  /\ work' = [work EXCEPT ![m] = NoWork]
  /\ seen' = [seen EXCEPT ![m] = NotSeen]
  /\ late' = IF rpc[m].state = "sent" THEN [rpc[m] EXCEPT !.age = 0] ELSE late
  /\ rpc' = [rpc EXCEPT ![m] = Silence]
  /\ UNCHANGED <<lease, fence, begun, terms, lost>>

SetClockOfStore ==
  /\ lease.left > 0
  /\ Fault
  /\ lease' = [lease EXCEPT !.left = 0]
  /\ UNCHANGED <<fence, member, seen, rpc, late, work, begun, terms, lost>>

\* An earlier state comes back, as from a backup. What was asked then may hold again.
RestoreStore ==
  /\ Fault
  /\ \E epoch \in 0..lease.epoch :
       /\ Write(Free(epoch))
       /\ LET again(request) ==
                IF request.kind = "acquire" /\ request.state = "sent" /\ request.epoch = epoch
                THEN [request EXCEPT !.valid = TRUE] ELSE request
          IN rpc' = [m \in Members |-> again(rpc[m])] /\ late' = again(late)
  /\ lost' = TRUE
  /\ UNCHANGED <<fence, member, work, begun, terms>>

Step(m) ==
  \/ Observe(m) \/ RequestRole(m) \/ Renew(m) \/ Release(m) \/ ReleaseOrphan(m) \/ RenewOrphan(m)
  \/ Serve(m) \/ Granted(m) \/ Renewed(m)
  \/ BeginTerm(m) \/ EndTerm(m) \/ Check(m) \/ Commit(m)
  \/ \E d \in Databases : Raise(m, d)

Next ==
  \/ Tick \/ EndFaults \/ ServeLate \/ SetClockOfStore \/ RestoreStore
  \/ \E m \in Members : Step(m) \/ GiveUp(m) \/ Resign(m) \/ Crash(m) \/ \E d \in Databases : BeginWork(m, d)

Spec == Init /\ [][Next]_vars /\ WF_vars(Tick) /\ WF_vars(EndFaults) /\ \A m \in Members : WF_vars(member[m].phase /= "crashed" /\ Step(m))

-----------------------------------------------------------------------------
(* What must hold *)

\* A transaction that may commit now is not of a term that a later one has followed.
NoStaleCommit ==
  \A m \in Members : work[m].stage = "checked" => \A term \in begun : term.epoch <= work[m].epoch

\* The clock of the store may be set, but a store that lost data may grant a role twice.
OneLeader == ~lost => \A m, n \in Members : Leads(m) /\ Leads(n) => m = n

OneTermPerEpoch == \A s, t \in begun : s.epoch = t.epoch => s.term = t.term

OverForGood ==
  [][\A m \in Members : member[m].phase = "leading" /\ member[m].left = 0 /\ member'[m].term = member[m].term
     => member'[m].left = 0]_vars

SomebodyLeads == []<>(terms = MaxTerms \/ lost \/ \E m \in Members : Leads(m))

Symmetry == Permutations(Members) \union Permutations(Databases)

=============================================================================
