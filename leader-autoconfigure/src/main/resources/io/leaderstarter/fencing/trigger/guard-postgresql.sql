-- Guards a table: the database refuses writes without an epoch, or with a stale one, from any client.
-- Write the names in the two lines below as in SQL. Run it again after partitions were added or attached.
-- It creates only what is missing, and does not lock the table if nothing is.
do $leader$
declare
	fence    regclass := 'leader_fence';
	guarded  regclass := 'guarded_table';
	home     name;
	guard    name;
	body     text;
	by_row   boolean;
	wanted   record;
	present  "char";
begin
	-- Otherwise replicas of the application that start together run into conflicts.
	perform pg_advisory_xact_lock(hashtext('leader_fence'));

	select n.nspname, left(c.relname, 40) || '_guard' into home, guard
		from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = fence;

	body := replace($guard$
declare
	terms  text := current_setting('leader.terms', true);
	term   text;
	part   text[];
	raised record;
begin
	-- After a commit a setting of the transaction is '' and not null.
	if coalesce(terms, '') = '' then
		raise exception 'Table %.% is guarded, and this write has no epoch', tg_table_schema, tg_table_name
			using errcode = 'LF001', hint = 'Write in a transaction of a @LeaderOnly call.';
	end if;
	foreach term in array string_to_array(terms, E'\n') loop
		part := string_to_array(term, E'\t');
		-- The lock is held until the transaction ends, and a raise has to wait for it.
		select f.epoch, f.term_id into raised from FENCE f
			where f.namespace = part[3] and f.role = part[4] for share;
		if not found or raised.epoch::text is distinct from part[1] or raised.term_id is distinct from part[2] then
			raise exception 'Table %.% is guarded, and epoch % of role % is not that of the leader',
				tg_table_schema, tg_table_name, part[1], part[4]
				using errcode = 'LF002';
		end if;
	end loop;
	if tg_level = 'STATEMENT' then
		return null;
	elsif tg_op = 'DELETE' then
		return old;
	end if;
	return new;
end
$guard$, 'FENCE', (select format('%I.%I', home, relname) from pg_class where oid = fence));

	if not exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
			where n.nspname = home and p.proname = guard and p.prosrc = body) then
		-- With the rights of its owner, so that writers need none on the fence.
		execute format('create or replace function %I.%I() returns trigger language plpgsql
			security definer set search_path = pg_catalog, pg_temp as %L', home, guard, body);
	end if;

	-- Writes to the parent do not fire statement triggers of a partition,
	-- and a trigger for rows is given to partitions that come later. It leaves a partition
	-- that is detached; the one for statements stays.
	select c.relkind = 'p' or c.relispartition into by_row from pg_class c where c.oid = guarded;
	for wanted in
		with recursive family as (
			select guarded::oid as member
			union
			select i.inhrelid from family join pg_inherits i on i.inhparent = family.member
		)
		select c.oid::regclass as member, t.trigger, t.events
			from family join pg_class c on c.oid = family.member
			cross join lateral (values
				(guard, 'before insert or update or delete on %s for each statement'),
				(guard || '_row', 'before insert or update or delete on %s for each row'),
				(guard || '_truncate', 'before truncate on %s for each statement')) as t(trigger, events)
			where case t.trigger when guard then true when guard || '_row' then by_row and c.oid = guarded
				else c.relkind in ('r', 'p') end
			order by c.oid <> guarded, c.oid
	loop
		select t.tgenabled into present from pg_trigger t where t.tgrelid = wanted.member and t.tgname = wanted.trigger;
		if not found then
			execute format('create trigger %I %s execute function %I.%I()', wanted.trigger,
				format(wanted.events, wanted.member), home, guard);
		end if;
		if present is distinct from 'A' then
			-- Also where triggers are off, as for session_replication_role = replica.
			execute format('alter table %s enable always trigger %I', wanted.member, wanted.trigger);
		end if;
	end loop;
end
$leader$;
