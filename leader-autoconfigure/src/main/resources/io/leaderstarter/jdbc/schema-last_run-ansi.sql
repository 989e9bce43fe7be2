-- The last run of each method of a role with atMostEvery, on any member. Rows are never deleted.
-- begun_at_us is in microseconds since 1970, by the clock of the database.
create table leader_last_run (
	namespace   varchar(128) not null,
	role        varchar(128) not null,
	task        varchar(255) not null,
	epoch       bigint       not null,
	begun_at_us bigint       not null,
	primary key (namespace, role, task)
);
