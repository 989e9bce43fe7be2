-- Removes the triggers of a table. The function that checks is kept, as other tables may need it.
do $leader$
declare
	fence   regclass := 'leader_fence';
	guarded regclass := 'guarded_table';
	guard   name;
	known   record;
begin
	select left(c.relname, 40) || '_guard' into guard from pg_class c where c.oid = fence;
	for known in
		with recursive family as (
			select guarded::oid as member
			union
			select i.inhrelid from family join pg_inherits i on i.inhparent = family.member
		)
		select t.tgrelid::regclass as member, t.tgname
			from family join pg_trigger t on t.tgrelid = family.member
			where t.tgname in (guard, guard || '_row', guard || '_truncate') and t.tgparentid = 0
	loop
		execute format('drop trigger %I on %s', known.tgname, known.member);
	end loop;
end
$leader$;
