import assert from 'node:assert/strict'
import test from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Store } from '#core/event-store/store.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createOutcomes } from './outcomes.ts'
import { auditRoutes } from '../routes.ts'

import { check, denial, trace } from '../testing/rig.ts'

check('A1: outcomes wait while the store is away; each has a row, or a counted drop with a log line', async (rig) => {
  let away = true
  const flaky: Store = {
    ...rig.store,
    transact: async (fn) => {
      if (away) throw new Fail('store_unavailable')
      return rig.store.transact(fn)
    },
  }
  const outcomes = createOutcomes({ ...rig.core, store: flaky })
  const reported = 10_020
  for (let n = 0; n < reported; n++)
    outcomes.record(denial('dave', { name: `n${n}`, outcome: 'error', code: 'conflict' }))
  await new Promise((resolve) => setTimeout(resolve, 80))
  away = false
  await outcomes.close()
  await rig.settle()
  const rows = (await rig.rows()).length
  const drops = Number(/^mesh_audit_dropped_rows_total (\d+)$/m.exec(await rig.core.metrics.render())?.[1])
  assert.deepEqual([rows + drops, drops], [reported, 20])
  const lines = rig.lines
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
    .filter((msg) => msg.startsWith('mesh_audit {'))
  const ids = lines.map((line) => (JSON.parse(line.slice('mesh_audit '.length)) as { event_id: string }).event_id)
  assert.equal(new Set(ids).size, 20)
  away = true
  outcomes.record(denial('erin'))
  await outcomes.close()
  assert.match(await rig.core.metrics.render(), /^mesh_audit_dropped_rows_total 21$/m)
})

check('an outcome that the store rejects is dropped alone', async (rig) => {
  const outcomes = createOutcomes(rig.core)
  outcomes.record(denial('dave'))
  outcomes.record(denial('nul\0nul'))
  outcomes.record(denial('erin'))
  await outcomes.close()
  await rig.settle()
  assert.deepEqual((await rig.rows()).map(({ actor }) => actor).toSorted(), ['dave', 'erin'])
  assert.match(await rig.core.metrics.render(), /^mesh_audit_dropped_rows_total 1$/m)
})

test('R2-M1: without a store GET /api/audit is 501, and a denial is a log line without secrets', async (t) => {
  const { app } = await buildServer(t, [
    { endpoints: [auditRoutes(undefined, { namespaceUid: async () => undefined })] },
  ])
  const get = (url: string, headers: object = { authorization: 'Bearer good-token' }) =>
    app.inject({ url, headers: { ...headers } })
  const answer = await get('/api/audit?limit=-1')
  assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [501, 'not_wired'])
  assert.equal((await get('/api/audit', {})).statusCode, 401)
  const lines: string[] = []
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  const outcomes = createOutcomes({ store: undefined, log, metrics: createMetrics(), now: () => new Date(0) })
  outcomes.record(denial('dave', { name: 'bad name sk-canary' }))
  await outcomes.close()
  const { msg } = JSON.parse(lines[0] ?? '') as { msg: string }
  assert.match(msg, /^mesh_audit \{/)
  const { event_id: id, ...row } = JSON.parse(msg.slice('mesh_audit '.length)) as Record<string, unknown>
  assert.match(String(id), /^[0-9a-f-]{36}$/)
  assert.deepEqual(row, {
    actor: 'dave',
    action: 'create',
    resource_kind: 'AgentTemplate',
    resource_name: 'redacted',
    namespace: 'demo',
    trace_id: trace,
    detail: { code: 'forbidden', count: 1 },
    occurred_at: '1970-01-01T00:00:00.000Z',
    actor_kind: 'user',
    actor_exact: true,
    source: 'bff',
    outcome: 'denied',
  })
  assert.equal(lines.length, 1)
})
