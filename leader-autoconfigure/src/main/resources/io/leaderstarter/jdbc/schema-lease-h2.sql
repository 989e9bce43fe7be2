-- The leases of all roles. Rows are never deleted: an epoch must never be granted twice.
-- Times are microseconds since 1970, by the clock of the database.
create table if not exists leader_lease (
	namespace      varchar(128) not null,
	role           varchar(128) not null,
	epoch          bigint       not null,
	holder         varchar(190),
	term_id        varchar(36),
	acquired_at_us bigint       not null,
	expires_at_us  bigint       not null,
	ttl_us         bigint       not null,
	primary key (namespace, role)
);
