create procedure leader_fence_guard()
	sql security definer
	reads sql data
	comment 'Refuses writes that carry no epoch or one that is over.'
begin
	declare terms mediumtext character set utf8mb4 default @leader_terms;
	declare term text character set utf8mb4;
	declare sent_epoch varchar(32);
	declare sent_term_id varchar(36) character set ascii collate ascii_bin;
	declare sent_namespace varchar(128) character set utf8mb4 collate utf8mb4_bin;
	declare sent_role varchar(128) character set ascii collate ascii_bin;
	declare raised_epoch bigint;
	declare raised_term_id varchar(36) character set ascii collate ascii_bin;
	if coalesce(terms, '') = '' then
		signal sqlstate 'LF001' set message_text = 'This table is guarded, and the write has no epoch';
	end if;
	while terms <> '' do
		set term = substring_index(terms, char(10 using utf8mb4), 1);
		set terms = substring(terms, char_length(term) + 2);
		set sent_epoch = substring_index(term, char(9 using utf8mb4), 1);
		set sent_term_id = substring_index(substring_index(term, char(9 using utf8mb4), 2), char(9 using utf8mb4), -1);
		set sent_namespace = substring_index(substring_index(term, char(9 using utf8mb4), 3), char(9 using utf8mb4), -1);
		set sent_role = substring_index(term, char(9 using utf8mb4), -1);
		set raised_epoch = null;
		-- The lock is held until the transaction ends, and a raise has to wait for it.
		select epoch, term_id into raised_epoch, raised_term_id from leader_fence
			where namespace = sent_namespace and role = sent_role lock in share mode;
		if raised_epoch is null or cast(raised_epoch as char) <> sent_epoch or raised_term_id <> sent_term_id then
			signal sqlstate 'LF002' set message_text = 'This table is guarded, and the epoch of the write is not that of the leader';
		end if;
	end while;
end
