import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Store } from '#core/event-store/store.ts'
import { createOutcomes } from '#plugins/audit/outcomes/outcomes.ts'
import { openSpool } from '#plugins/audit/spool/spool.ts'
import type { AuditTables } from '#plugins/audit/contract/tables.ts'
import { writeRows } from '#plugins/audit/store/write-rows.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Client } from 'pg'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { makeRows, openAuditStore } from './rows.ts'

const batch = 500
const batches = 20
const outcomes = 10_000
const passes = 4

const rest =
  'Claiming the keys and inserting the rows takes the server about as long as COPY does; the rest is the client: arrays of twelve columns made and sent, and four round trips a batch, where COPY reads a file of the server.'

/** Cost of an audit row: in the store against COPY into the same indexes, and on the path of a request. */
export const bench: Bench = {
  title: `${batch * batches} audit rows in batches of ${batch} (rows/s), and an outcome on the path of a request (us of CPU)`,
  database: 'fresh',
  measure: () =>
    withScope(async (t) => {
      const { store, client } = await openAuditStore(t)
      // A manager that has written for a while: compiled code and prepared plans.
      await write(store)
      const candidates = [writer(store), copier(client), recorder()]
      return { ...(await interleave(candidates, { rounds: 7, most: 10 })), notes: [rest] }
    }),
  goals: (figureOf) => [
    {
      number: 8,
      text: 'audit write against COPY into the same indexes, ratio',
      value: figureOf('audit', 'rows/s') / figureOf('COPY', 'rows/s'),
      limit: 0.55,
      atLeast: true,
      peer: { candidate: 'COPY', figure: 'rows/s' },
    },
    { number: 8, text: 'an outcome on the path of a request, us', value: figureOf('outcome', 'us'), limit: 5 },
  ],
}

function writer(store: Store): Candidate {
  return {
    name: 'audit',
    run: async () => ({ 'rows/s': (batch * batches * 1000) / (await write(store)) }),
  }
}

async function write(store: Store): Promise<number> {
  const all = Array.from({ length: batches }, () => makeRows(batch, new Date()))
  const from = performance.now()
  for (const rows of all) await store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
  return performance.now() - from
}

// The same rows and keys by COPY from a file on the server, one batch per transaction: the cost of the indexes alone.
function copier(client: Client): Candidate {
  const copy = async (table: string): Promise<void> => {
    await client.query(`copy ${table} from '/tmp/mesh-bench-${process.pid}-${table}'`)
  }
  return {
    name: 'COPY',
    run: async () => {
      let spent = 0
      for (let n = 0; n < batches; n++) {
        await client.query('truncate staged_rows, staged_keys').catch(() => stage(client))
        await fillStage(client)
        const from = performance.now()
        await client.query('begin')
        await copy('audit_log')
        await copy('audit_keys')
        await client.query('commit')
        spent += performance.now() - from
      }
      return { 'rows/s': (batch * batches * 1000) / spent }
    },
  }
}

async function stage(client: Client): Promise<void> {
  await client.query('create unlogged table staged_rows (like audit_log)')
  await client.query('create unlogged table staged_keys (like audit_keys)')
}

async function fillStage(client: Client): Promise<void> {
  const rows = makeRows(batch, new Date())
  const json = JSON.stringify(rows.map((row) => ({ ...row, generation: 1 })))
  await client.query('insert into staged_rows select * from jsonb_populate_recordset(null::staged_rows, $1)', [json])
  await client.query('insert into staged_keys select * from jsonb_populate_recordset(null::staged_keys, $1)', [json])
  await client.query(`copy staged_rows to '/tmp/mesh-bench-${process.pid}-audit_log'`)
  await client.query(`copy staged_keys to '/tmp/mesh-bench-${process.pid}-audit_keys'`)
}

// The store never responds: this measures what a request waits for, spool included. Each pass fills the memory of one outage.
function recorder(): Candidate {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const act = {
    actor: 'dave@example.com',
    action: 'update',
    resourceKind: 'AgentTemplate',
    namespace: 'demo',
    traceparent,
  }
  const pass = (): number => {
    const folder = tempFolder('bench-spool')
    const spool = openSpool({ folder: folder.path, maxBytes: 1e9 })
    const sink = createOutcomes({ ...silent, store: unanswering }, spool)
    // CPU time instead of wall-clock time, which excludes other processes.
    const from = process.cpuUsage()
    for (let n = 0; n < outcomes; n++) sink.record({ ...act, name: `one-${n}`, outcome: 'denied', code: 'forbidden' })
    const { user, system } = process.cpuUsage(from)
    spool.close()
    folder.remove()
    return user + system
  }
  return {
    name: 'outcome',
    run: async () => {
      // A started BFF with compiled code.
      pass()
      const spent = Array.from({ length: passes }, pass)
      return { us: spent.reduce((sum, one) => sum + one, 0) / passes / outcomes }
    },
  }
}

const silent = { log: createLogger({ level: 'error' }), metrics: createMetrics(), now: () => new Date() }
const unanswering = { transact: () => new Promise(() => undefined) } as Pick<Store, 'transact'> as Store
