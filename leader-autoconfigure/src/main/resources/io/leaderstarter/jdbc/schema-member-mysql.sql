-- The announcements of all members. A live member updates its row regularly.
-- Rows may be deleted: a live member inserts its row again. Times are microseconds, by the clock of the database.
create table if not exists leader_member (
	namespace  varchar(128) character set utf8mb4 collate utf8mb4_bin not null,
	member_id  varchar(190) character set utf8mb4 collate utf8mb4_bin not null,
	version    bigint       not null,
	ttl_us     bigint       not null,
	seen_at_us bigint       not null,
	presence   mediumtext   character set ascii collate ascii_bin not null,
	primary key (namespace, member_id)
) engine = InnoDB;
