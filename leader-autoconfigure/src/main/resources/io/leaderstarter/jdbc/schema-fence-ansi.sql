-- The highest epoch of each role that may write in this database. Epochs never decrease; rows are never deleted.
-- raised_at_us is in microseconds since 1970, by the clock of the database.
create table leader_fence (
	namespace    varchar(128) not null,
	role         varchar(128) not null,
	epoch        bigint       not null,
	term_id      varchar(36)  not null,
	store_id     varchar(190) not null,
	raised_at_us bigint       not null,
	primary key (namespace, role)
);
