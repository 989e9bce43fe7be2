create table if not exists invoice (
	id        varchar(36) primary key,
	due       timestamp not null,
	closed_by bigint
);
