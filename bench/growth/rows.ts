import type { Client } from 'pg'

/** A namespace with few runs, all older than the others. */
export const quiet = 'quiet'

const namespaces = 50

/** Fills the store with finished runs of fifty namespaces, one event each, on the server. A million takes some minutes. */
export async function fillRuns(client: Client, count: number): Promise<void> {
  await client.query(`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    select 'uid-' || name, 'Namespace', '', name, '1', ''
    from (select 'team-' || n as name from generate_series(0, ${namespaces - 1}) n union select '${quiet}') names`)
  await client.query(made, [count])
  for (const statement of statements) await client.query(statement)
  await client.query('drop table made')
  await client.query('vacuum analyze')
  await client.query('checkpoint')
}

// Ids ordered by time, as the platform creates them, so that indexes grow at one end.
const made = `create temporary table made as
  select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid as id,
    case when n <= 20 then '${quiet}' else 'team-' || n % ${namespaces} end as namespace,
    'agent-' || n % 1000 as agent, case when n % 10 = 0 then 'failed' else 'succeeded' end as state
  from generate_series(1, $1::int) n, lateral (select now() - ($1 - n) * interval '1 second' as at) times`

const statements = [
  `insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, agent_revision, conversation_id,
      root_run_id, trigger_kind, trigger_by, state, fail_reason, segment, trace_id, created_at, started_at, finished_at)
    select id, 1, namespace, 'uid-' || namespace, agent, 'uid-' || namespace || agent, 1, 'talk-' || n % 5000,
      id, 'api', 'user@example.com', state, case when state = 'failed' then 'agent_error' end, 1, md5(n::text), at, at, at
    from made order by n`,
  `insert into runs_content (run_id, input, output, grant_token)
    select id, jsonb_build_object('text', repeat('word ', 40)), jsonb_build_object('text', repeat('word ', 80)), repeat('g', 400)
    from made order by n`,
  `insert into runs_lease (run_id, state, epoch, wake_at, idle_since, journal_seq)
    select id, 'done', 1, at, at, 1 from made order by n`,
  `insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
    select id, 1, at, 'run.queued', jsonb_build_array(agent), '', '{"trigger": {"kind": "api", "by": "user@example.com"}}'
    from made order by n`,
  `insert into events (id, stream, version, type, time, namespace, kind, name, namespace_uid, uid, actor_name, actor_kind, data, correlation_id)
    select md5(n::text)::uuid::text, 'runs/' || id, 1, 'runs.created', at, namespace, 'Run', id::text, 'uid-' || namespace, id::text,
      'user@example.com', 'user', jsonb_build_object('runId', id, 'namespaceUid', 'uid-' || namespace, 'conversationId', 'talk-' || n % 5000,
        'agent', jsonb_build_object('namespace', namespace, 'name', agent, 'uid', 'uid-' || agent, 'revision', null),
        'rootRunId', id, 'parentRunId', null, 'trigger', jsonb_build_object('kind', 'api', 'by', 'user@example.com'),
        'traceId', md5(n::text), 'labels', '{}'::jsonb), id::text
    from made order by n`,
  `insert into streams (stream, version, last_position) select stream, version, position from events order by position`,
  `insert into cursor (name, stream, position) select 'relay', '*', max(position) from events`,
]
