create table if not exists invoice (
	id        varchar(36) primary key,
	customer  varchar(100) not null,
	amount    decimal(10, 2) not null,
	due       timestamp(3) default current_timestamp(3) not null,
	-- The epoch that closed it. Nothing needs it; it lets one see who did what.
	closed_by bigint,
	closed_at timestamp(3) null
);

create table if not exists outbox (
	id        varchar(36) primary key,
	invoice   varchar(36) not null,
	recipient varchar(100) not null,
	letter    varchar(1000) not null,
	sent_by   bigint,
	sent_at   timestamp(3) null
);

create table if not exists account_statement (
	customer   varchar(100) not null,
	written_on date not null,
	written_by bigint not null,
	primary key (customer, written_on)
);

create table if not exists tenant (
	name      varchar(50) primary key,
	served_by bigint
);

create table if not exists leadership (
	term_id   varchar(36) primary key,
	role_name varchar(128) not null,
	epoch     bigint not null,
	member    varchar(200) not null,
	began_at  timestamp(3) default current_timestamp(3) not null,
	ended_at  timestamp(3) null,
	reason    varchar(20)
);
