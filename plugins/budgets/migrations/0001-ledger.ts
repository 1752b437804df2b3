import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The ledger of spend limits: accounts, rates and holds, and the functions that change them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const accounts = `create table budgets_accounts (
  id bigint generated always as identity primary key,
  owner text not null, currency text not null, spend_window text not null, window_start timestamptz not null,
  spent bigint not null default 0 check (spent >= 0),
  held bigint not null default 0 check (held >= 0),
  overrun bigint not null default 0 check (overrun >= 0),
  exceeded_at timestamptz,
  unique (owner, currency, spend_window, window_start)
) with (fillfactor = 50)`

const rates = `create table budgets_rates (
  owner text primary key,
  in_flight integer not null default 0 check (in_flight >= 0),
  minute timestamptz not null default 'epoch',
  calls integer not null default 0,
  calls_before integer not null default 0
) with (fillfactor = 50)`

const holds = `create table budgets_holds (
  id uuid primary key,
  holder text not null, request_key uuid not null,
  agent_uid text not null, run_id uuid, route text not null,
  amount bigint not null check (amount >= 0), currency text, max_output bigint not null, prices jsonb not null,
  accounts bigint[] not null, limits bigint[] not null, rates text[] not null,
  state text not null default 'open' check (state in ('open', 'settled', 'released', 'expired')),
  charged bigint, outcome text, estimated boolean,
  created_at timestamptz not null default clock_timestamp(), expires_at timestamptz not null, ended_at timestamptz,
  unique (holder, request_key),
  check ((state = 'open') = (charged is null)), check ((state = 'open') = (ended_at is null))
)`

const windowStart = `create function budgets_window_start(spend_window text, at timestamptz) returns timestamptz
  language sql stable as $$
  select case spend_window when 'total' then timestamptz 'epoch' else date_trunc(spend_window, at, 'UTC') end $$`

/**
 * Decides on holds in order and inserts those that fit. The rows of their accounts and rates are locked first, in one order, so that no other
 * decision on the same money is made meanwhile.
 */
const reserve = `create function budgets_reserve(given jsonb) returns table (
  n integer, outcome text, place integer, first boolean, retry_after double precision,
  hold uuid, amount bigint, max_output bigint, expires_at timestamptz, remaining bigint)
language plpgsql as $$
#variable_conflict use_variable
declare
  started timestamptz := clock_timestamp();
  -- By position in given.accounts.
  account_ids bigint[]; used bigint[]; taken bigint[]; exceeded boolean[]; newly boolean[];
  -- By position in given.rates.
  owners text[]; busy integer[]; calls integer[]; calls_before integer[]; elapsed double precision[]; entered integer[];
  asked record; found record; l record; r record;
  weighted double precision; i integer;
begin
  perform from budgets_lock_accounts(given -> 'accounts', started);
  select array_agg(a.id order by g.n), array_agg(a.spent + a.held order by g.n), array_agg(a.exceeded_at is not null order by g.n)
    into account_ids, used, exceeded
    from jsonb_to_recordset(given -> 'accounts') as g(n integer, owner text, currency text, spend_window text)
    join budgets_accounts a on a.owner = g.owner and a.currency = g.currency and a.spend_window = g.spend_window
      and a.window_start = budgets_window_start(g.spend_window, started);
  taken := array_fill(0::bigint, array[coalesce(cardinality(account_ids), 0)]);
  newly := array_fill(false, array[coalesce(cardinality(account_ids), 0)]);
  perform from budgets_lock_rates(given -> 'rates');
  -- Read after the lock: another decision may have waited for it in an earlier minute.
  started := clock_timestamp();
  select array_agg(b.owner order by g.n), array_agg(b.in_flight order by g.n),
      array_agg(case when b.minute >= date_trunc('minute', started) then b.calls else 0 end order by g.n),
      array_agg(case when b.minute >= date_trunc('minute', started) then b.calls_before
        when b.minute = date_trunc('minute', started) - interval '1 minute' then b.calls else 0 end order by g.n),
      array_agg(least(greatest(extract(epoch from started - greatest(b.minute, date_trunc('minute', started))), 0), 60)::float8 order by g.n)
    into owners, busy, calls, calls_before, elapsed
    from jsonb_to_recordset(given -> 'rates') as g(n integer, owner text) join budgets_rates b on b.owner = g.owner;
  entered := array_fill(0, array[coalesce(cardinality(owners), 0)]);

  for asked in select * from jsonb_to_recordset(given -> 'holds') as h(n integer, id uuid, holder text, request_key uuid, agent_uid text,
      run_id uuid, route text, amount bigint, currency text, max_output bigint, prices jsonb, lease double precision, limits jsonb, rates jsonb)
      order by h.n loop
    n := asked.n; outcome := null; place := null; first := false; retry_after := null;
    hold := null; amount := null; max_output := null; expires_at := null; remaining := null;
    select b.* into found from budgets_holds b where b.holder = asked.holder and b.request_key = asked.request_key;
    if found.id is not null then
      outcome := 'repeated'; hold := found.id; amount := found.amount; max_output := found.max_output; expires_at := found.expires_at;
      return next; continue;
    end if;
    for l in select * from jsonb_to_recordset(asked.limits) as x(account integer, most bigint, place integer) loop
      if outcome is null and used[l.account] + asked.amount > l.most then
        outcome := 'spend'; place := l.place;
        first := not exceeded[l.account];
        newly[l.account] := newly[l.account] or first; exceeded[l.account] := true;
      end if;
      remaining := least(remaining, l.most - used[l.account] - asked.amount);
    end loop;
    for r in select * from jsonb_to_recordset(asked.rates) as x(rate integer, per_minute integer, concurrency integer, place integer) loop
      exit when outcome is not null;
      weighted := calls_before[r.rate] * (60 - elapsed[r.rate]) / 60 + calls[r.rate];
      if weighted + 1 > r.per_minute then
        outcome := 'rate'; place := r.place;
        retry_after := case when calls[r.rate] + 1 > r.per_minute
          then 120 - elapsed[r.rate] - 60 * (r.per_minute - 1)::float8 / calls[r.rate]
          else 60 - elapsed[r.rate] - 60 * (r.per_minute - calls[r.rate] - 1)::float8 / calls_before[r.rate] end;
      elsif busy[r.rate] + 1 > r.concurrency then
        outcome := 'concurrency'; place := r.place;
      end if;
    end loop;
    if outcome is not null then return next; continue; end if;
    for l in select * from jsonb_to_recordset(asked.limits) as x(account integer, most bigint) loop
      used[l.account] := used[l.account] + asked.amount; taken[l.account] := taken[l.account] + asked.amount;
    end loop;
    for r in select * from jsonb_to_recordset(asked.rates) as x(rate integer) loop
      busy[r.rate] := busy[r.rate] + 1; calls[r.rate] := calls[r.rate] + 1; entered[r.rate] := entered[r.rate] + 1;
    end loop;
    expires_at := clock_timestamp() + make_interval(secs => asked.lease);
    insert into budgets_holds (id, holder, request_key, agent_uid, run_id, route, amount, currency, max_output, prices,
        accounts, limits, rates, expires_at)
      values (asked.id, asked.holder, asked.request_key, asked.agent_uid, asked.run_id, asked.route, asked.amount, asked.currency,
        asked.max_output, asked.prices,
        coalesce((select array_agg(account_ids[x.account]) from jsonb_to_recordset(asked.limits) as x(account integer)), '{}'),
        coalesce((select array_agg(x.most) from jsonb_to_recordset(asked.limits) as x(most bigint)), '{}'),
        coalesce((select array_agg(owners[x.rate]) from jsonb_to_recordset(asked.rates) as x(rate integer)), '{}'), expires_at);
    outcome := 'held'; hold := asked.id; amount := asked.amount; max_output := asked.max_output;
    return next;
  end loop;

  for i in 1 .. coalesce(cardinality(account_ids), 0) loop
    if taken[i] > 0 or newly[i] then
      update budgets_accounts a set held = a.held + taken[i], exceeded_at = case when newly[i] then started else a.exceeded_at end
        where a.id = account_ids[i];
    end if;
  end loop;
  for i in 1 .. coalesce(cardinality(owners), 0) loop
    if entered[i] > 0 then
      update budgets_rates b set in_flight = busy[i], calls = calls[i], calls_before = calls_before[i],
          minute = greatest(b.minute, date_trunc('minute', started)) where b.owner = owners[i];
    end if;
  end loop;
end $$`

// Existing rows are locked in the order of their ids. Missing ones are inserted first; two of such transactions may deadlock, and are retried.
const lockAccounts = `create function budgets_lock_accounts(given jsonb, at timestamptz) returns void language plpgsql as $$
begin
  insert into budgets_accounts (owner, currency, spend_window, window_start)
    select g.owner, g.currency, g.spend_window, budgets_window_start(g.spend_window, at)
      from jsonb_to_recordset(given) as g(owner text, currency text, spend_window text)
      where not exists (select from budgets_accounts a where a.owner = g.owner and a.currency = g.currency
        and a.spend_window = g.spend_window and a.window_start = budgets_window_start(g.spend_window, at))
      order by 1, 2, 3 on conflict do nothing;
  perform from budgets_accounts a join jsonb_to_recordset(given) as g(owner text, currency text, spend_window text)
    on a.owner = g.owner and a.currency = g.currency and a.spend_window = g.spend_window
      and a.window_start = budgets_window_start(g.spend_window, at)
    order by a.id for update of a;
end $$`

const lockRates = `create function budgets_lock_rates(given jsonb) returns void language plpgsql as $$
begin
  insert into budgets_rates (owner) select g.owner from jsonb_to_recordset(given) as g(owner text)
    where not exists (select from budgets_rates b where b.owner = g.owner) order by 1 on conflict do nothing;
  perform from budgets_rates b join jsonb_to_recordset(given) as g(owner text) on b.owner = g.owner order by b.owner for update of b;
end $$`

/** Ends open holds once: settled or released by their holder, or expired. A hold that has ended keeps its state and its charge. */
const end = `create function budgets_end(given jsonb) returns table (n integer, state text, charged bigint, remaining bigint)
language plpgsql as $$
#variable_conflict use_variable
declare
  asked record; found record; ended uuid[] := '{}';
begin
  perform from budgets_holds h join jsonb_to_recordset(given) as g(id uuid) on h.id = g.id order by h.id for update of h;
  for asked in select * from jsonb_to_recordset(given) as g(n integer, id uuid, holder text, state text, charge bigint, outcome text,
      estimated boolean) order by g.n loop
    select h.* into found from budgets_holds h where h.id = asked.id and (asked.state = 'expired' or h.holder = asked.holder);
    continue when found.id is null or found.state <> 'open' or (asked.state = 'expired' and found.expires_at > clock_timestamp());
    update budgets_holds h set state = asked.state, charged = coalesce(asked.charge, h.amount), outcome = asked.outcome,
        estimated = asked.estimated, ended_at = clock_timestamp() where h.id = asked.id;
    ended := ended || asked.id;
  end loop;
  perform from budgets_accounts a where a.id in (select unnest(h.accounts) from budgets_holds h where h.id = any (ended))
    order by a.id for update;
  update budgets_accounts a set held = a.held - s.amount, spent = least(a.spent + s.charged, 4000000000000000000),
      overrun = least(a.overrun + s.overrun, 4000000000000000000)
    from (select x.account, sum(h.amount)::bigint as amount, least(sum(h.charged), 4000000000000000000)::bigint as charged,
        least(sum(greatest(h.charged - h.amount, 0)), 4000000000000000000)::bigint as overrun
      from budgets_holds h cross join lateral unnest(h.accounts) as x(account) where h.id = any (ended) group by 1) s
    where a.id = s.account;
  perform from budgets_rates b where b.owner in (select unnest(h.rates) from budgets_holds h where h.id = any (ended))
    order by b.owner for update;
  update budgets_rates b set in_flight = b.in_flight - s.places
    from (select x.owner, count(*)::integer as places from budgets_holds h cross join lateral unnest(h.rates) as x(owner)
      where h.id = any (ended) group by 1) s
    where b.owner = s.owner;
  return query select g.n, h.state, h.charged,
      (select min(x.most - a.spent - a.held)::bigint from unnest(h.accounts, h.limits) as x(account, most)
        join budgets_accounts a on a.id = x.account)
    from jsonb_to_recordset(given) as g(n integer, id uuid, holder text, state text)
    join budgets_holds h on h.id = g.id and (g.state = 'expired' or h.holder = g.holder);
end $$`

const statements = [
  accounts,
  rates,
  holds,
  `create index budgets_holds_open on budgets_holds (expires_at) where state = 'open'`,
  `create index budgets_holds_ended on budgets_holds (ended_at) where ended_at is not null`,
  windowStart,
  lockAccounts,
  lockRates,
  reserve,
  end,
]
