import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countedUrl } from '#core/database/testing/counted-database.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { countsSince, createStatementCounter, describeCounts, statementsIn } from '#test/harness/statement-count.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from './platform/embedded.ts'
import type { AllProcess } from './platform/embedded.ts'
import { createSend } from './platform/send.ts'
import { untilObserved } from './platform/until-observed.ts'
import { withoutPolls } from './platform/without-polls.ts'

/**
 * Bounds of one run of a declarative agent in one process: request, worker, launcher, gateway, relay, consumers, audit log, budgets and cost.
 * Statements include `begin` and `commit`. They are those of three of four runs; a batch of consumers counts once. A change that needs fewer
 * lowers them.
 */
const bounds = {
  PGlite: { statements: 52, transactions: 7 },
  // With notifications of commits.
  PostgreSQL: { statements: 53, transactions: 7 },
} as const

// What the run causes after its answer: the relay's cursor (250 ms) and batches of consumers (up to 100 ms).
const quietMs = 350
const idleMs = 6_000
const countedRuns = 7
// The one agent is created below.
const flags = ['--no-demo']

type Form = keyof typeof bounds
type ReadCounts = () => Promise<StatementCounts>

test('a run on PGlite takes no more statements and transactions than its bound', { timeout: 480_000 }, async (t) => {
  const folder = folderOf(t)
  const socket = join(folder, 'counts')
  const preload = import.meta.resolve('./platform/serve-statement-counts.ts')
  const env = { STATEMENT_COUNTS: socket }
  const all = await startAll(t, join(folder, 'data'), { flags, env, nodeFlags: ['--import', preload] })
  await isBounded(t, 'PGlite', all, () => countsOf(socket))
})

test(
  'a run on PostgreSQL takes no more statements and transactions than its bound',
  { ...needs('postgres', 'initdb'), timeout: 480_000 },
  async (t) => {
    const counter = createStatementCounter()
    const url = await countedUrl(t, await createDatabase(t), counter)
    const folder = folderOf(t)
    // JSON is YAML.
    writeFileSync(join(folder, 'mesh.yaml'), JSON.stringify({ databaseUrl: url }))
    const all = await startAll(t, join(folder, 'data'), { flags, env: { MESH_CONFIG: join(folder, 'mesh.yaml') } })
    await isBounded(t, 'PostgreSQL', all, async () => counter.transactions())
  },
)

async function isBounded(t: TestContext, form: Form, { ready }: AllProcess, read: ReadCounts): Promise<void> {
  const send = untilObserved(createSend(t, ready.url))
  const post = async (path: string, body: unknown): Promise<string> => {
    const answer = await send({ method: 'POST', path, bearer: ready.tokens.developer, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.text
  }
  await post('/api/agents', { namespace: 'default', config: { name: 'counted', model: { route: 'mock' } } })
  const countRun = async (): Promise<StatementCounts> => {
    const before = await untilQuiet(read)
    const answer = await post('/api/invoke', { agent: { namespace: 'default', name: 'counted' }, input: 'Hi' })
    assert.match(answer, /"succeeded"/)
    return countsSince(before, await untilQuiet(read))
  }
  // Fills caches.
  await countRun()
  const before = await untilQuiet(read)
  await pause(idleMs)
  const idle = countsSince(before, await read())
  const counted: StatementCounts[] = []
  while (counted.length < countedRuns) counted.push(await countRun())
  const { statements, transactions, found } = withoutPolls(counted, idle)
  const details = `${statements} statements, ${transactions} transactions:\n${describeCounts(found, 1)}`
  const seen = counted.flatMap((counts) => Object.keys(counts))
  for (const part of parts)
    assert.ok(
      seen.some((one) => part.test(one)),
      `no ${part} in ${details}`,
    )
  assert.ok(statements <= bounds[form].statements && transactions <= bounds[form].transactions, details)
}

// Claim, appends, inbox of a consumer, audit log, cursor of the relay: what is missing was not counted, or comes late.
const parts = [/runs_lease where state/, /append_to_log/, /claim_events/, /audit_insert/, /insert into "cursor"/]

async function untilQuiet(read: ReadCounts): Promise<StatementCounts> {
  for (let [counts, since] = [await read(), performance.now()]; ;) {
    await pause(50)
    const now = await read()
    if (statementsIn(now) !== statementsIn(counts)) [counts, since] = [now, performance.now()]
    else if (performance.now() - since > quietMs) return now
  }
}

function countsOf(socketPath: string): Promise<StatementCounts> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath }, (response) => {
      text(response).then((body) => resolve(JSON.parse(body) as StatementCounts), reject)
    })
    asked.on('error', reject).end()
  })
}

function folderOf(t: TestContext): string {
  const folder = tempFolder('statements')
  t.after(folder.remove)
  return folder.path
}
