-- The last run of each method of a role with atMostEvery, on any member. Rows are never deleted.
-- begun_at_us is in microseconds since 1970, by the clock of the database.
create table if not exists leader_last_run (
	namespace   varchar(128) character set utf8mb4 collate utf8mb4_bin not null,
	role        varchar(128) character set ascii collate ascii_bin not null,
	task        varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
	epoch       bigint       not null,
	begun_at_us bigint       not null,
	primary key (namespace, role, task)
) engine = InnoDB;
