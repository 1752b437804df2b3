import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import type { RawAnswer, Send } from '#test/flows/platform/send.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'

const kinds = kindsOf(plugins)

/** State that requests can change: objects as users write them, the number of runs, and row count and digest per table. */
export interface Snapshot {
  readonly objects: unknown
  readonly runs: number
  readonly tables: Readonly<Record<string, string>>
}

/** Reads what a request could change: the spec of our objects, namespaces, and runs. */
export async function snapshot({ kube, send, tokens, servers }: Platform): Promise<Snapshot> {
  const paths = [
    ...kinds.map(({ plural }) => `/apis/mesh.dev/v1alpha1/${plural}`),
    '/api/v1/namespaces',
    '/api/v1/secrets',
  ]
  const lists = await Promise.all(paths.map((path) => listAll(kube, path, tokens.admin)))
  const objects = lists.flatMap((one) => one.json<{ items: Written[] }>().items.map(writtenPart))
  let runs = 0
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await send({ path: `/api/runs?limit=200${query}`, bearer: tokens.admin })
    const { items, nextCursor } = page.json<{ items: unknown[]; nextCursor: string | null }>()
    runs += items.length
    cursor = nextCursor
  }
  return { objects, runs, tables: servers === undefined ? {} : await tablesOf(servers.postgres.url) }
}

// The first request for a kind creates its storage in a real API server, which answers 429 until it is ready.
async function listAll(kube: Send, path: string, bearer: string): Promise<RawAnswer> {
  for (;;) {
    const answer = await kube({ path, bearer })
    if (answer.status === 200) return answer
    assert.equal(answer.status, 429, answer.text)
    await pause(50)
  }
}

interface Written {
  readonly metadata: { uid: string; labels?: unknown; annotations?: unknown; deletionTimestamp?: string }
  readonly spec?: unknown
  readonly data?: unknown
}

function writtenPart({ metadata, spec: wanted, data }: Written) {
  const { uid, labels, annotations, deletionTimestamp } = metadata
  return { uid, labels, annotations, deletionTimestamp, spec: wanted, data }
}

// Tables that change while the platform is idle: an erasure that runs notes how far it is. A denial writes only an audit event and its row.
const bookkeeping =
  /^(?:audit_.*|cursor|dead_letter|event_.*|events_.*|inbox|leader|memory_subject_erasures|mesh_migrations|(?:namespace_)?resume_versions|streams)$/

async function tablesOf(url: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
    )
    const names = rows.map(({ name }) => name).filter((name) => !bookkeeping.test(name))
    const tables: Record<string, string> = {}
    for (const name of names) {
      const where = name === 'events' ? `where stream not like 'audit/%'` : ''
      const digest = await client.query<{ text: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' order by t::text)), '') as text from "${name}" t ${where}`,
      )
      tables[name] = digest.rows[0]?.text ?? ''
    }
    return tables
  } finally {
    await client.end()
  }
}
