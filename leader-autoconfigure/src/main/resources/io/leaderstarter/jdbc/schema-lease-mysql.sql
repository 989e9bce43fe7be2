-- The leases of all roles. Rows are never deleted: an epoch must never be granted twice.
-- Times are microseconds since 1970, by the clock of the database.
-- Binary collations: roles that differ in case are different roles.
create table if not exists leader_lease (
	namespace      varchar(128) character set utf8mb4 collate utf8mb4_bin not null,
	role           varchar(128) character set ascii collate ascii_bin not null,
	epoch          bigint       not null,
	holder         varchar(190) character set utf8mb4 collate utf8mb4_bin,
	term_id        varchar(36)  character set ascii collate ascii_bin,
	acquired_at_us bigint       not null,
	expires_at_us  bigint       not null,
	ttl_us         bigint       not null,
	primary key (namespace, role)
) engine = InnoDB;
