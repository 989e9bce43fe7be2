-- Which store this is. Made once; fences refuse epochs of another one.
create table if not exists leader_store (
	id   int         not null primary key,
	uuid varchar(36) not null
);
