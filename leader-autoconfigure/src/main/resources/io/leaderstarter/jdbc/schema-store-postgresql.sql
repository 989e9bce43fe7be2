-- The id of this store. Created once; fences refuse epochs of another store.
create table if not exists leader_store (
	id   int         not null primary key,
	uuid varchar(36) not null
);
