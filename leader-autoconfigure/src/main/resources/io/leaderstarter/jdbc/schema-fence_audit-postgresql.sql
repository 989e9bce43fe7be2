-- Assignments of fences to other stores: who decided them, and why. Rows are only ever added.
-- adopted_at_us is in microseconds since 1970, by the clock of the database.
create table if not exists leader_fence_audit (
	namespace        varchar(128) not null,
	role             varchar(128) not null,
	epoch            bigint not null,
	store_id_before varchar(190) not null,
	store_id_after  varchar(190) not null,
	adopted_by       varchar(128) not null,
	reason           varchar(500) not null,
	adopted_at_us    bigint not null,
	primary key (namespace, role, adopted_at_us)
);
