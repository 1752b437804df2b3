import type { Client } from 'pg'

const columns = `namespace_uid, namespace, agent_uid, agent, state, fail_reason, trigger_kind, model, currency, width, start, runs, input_tokens,
  output_tokens, cached_tokens, reasoning_tokens, micros, duration, queue, first_token`

/** The sums of runs of 50 agents and 10,000 subjects in a live namespace, evenly in the 30 days before a time, as `runs_count` makes them. Those of subjects take minutes for a million. */
export async function fillSums(
  client: Client,
  namespace: string,
  runs: number,
  { until, hasSubjects }: { readonly until: Date; readonly hasSubjects: boolean },
): Promise<void> {
  await client.query(
    `insert into object_index (kind, namespace, name, uid, rv, content_hash) values ('Namespace', '', $1, 'uid-' || $1, '1', '')`,
    [namespace],
  )
  await client.query(
    `create temp table made as select date_bin('1 minute', $1::timestamptz - n * interval '30 days' / $2::int, 'epoch'::timestamptz) as minute,
      n % 50 as agent, case when n % 20 = 0 then 'failed' else 'succeeded' end as state,
      case when n % 20 = 0 then 'model_error' else '' end as reason, case n % 3 when 0 then 'api' else 'invoke' end as trigger,
      n % 10000 as subject, runs_histogram((20 + n % 40)::smallint) as duration
    from generate_series(0, $2::int - 1) n`,
    [until, runs],
  )
  await client.query(insertOf('runs_sums', '', '', namespace))
  if (hasSubjects) await client.query(insertOf('runs_subject_sums', ', subject', `, 'user-' || subject`, namespace))
  await client.query('drop table made')
  await client.query('analyze')
}

function insertOf(table: string, column: string, subject: string, namespace: string): string {
  return `insert into ${table} (${columns}${column})
    select 'uid-${namespace}', '${namespace}', 'agent-' || agent, 'agent-' || agent, state, reason, trigger, 'm-' || agent % 5, 'USD', width,
      date_bin(make_interval(secs => width), minute, 'epoch'::timestamptz), count(*), 10 * count(*), 5 * count(*), 0, 0, 100 * count(*),
      sum(duration), sum(duration), sum(duration)${subject}
    from made cross join (values (60), (300), (3600), (86400)) as w(width)
    group by agent, state, reason, trigger, width, 11${subject === '' ? '' : ', subject'}`
}
