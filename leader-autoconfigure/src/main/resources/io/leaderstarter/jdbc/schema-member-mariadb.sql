-- The members that take part, and what each says of itself. A member writes its row again and again while it lives.
-- Rows may be deleted: who lives writes its own anew. Times are microseconds, by the clock of the database.
create table if not exists leader_member (
	namespace  varchar(128) character set utf8mb4 collate utf8mb4_bin not null,
	member_id  varchar(190) character set utf8mb4 collate utf8mb4_bin not null,
	version    bigint       not null,
	ttl_us     bigint       not null,
	seen_at_us bigint       not null,
	presence   mediumtext   character set ascii collate ascii_bin not null,
	primary key (namespace, member_id)
) engine = InnoDB;
