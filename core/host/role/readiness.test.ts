import assert from 'node:assert/strict'
import test from 'node:test'
import { createLogger } from '#core/log/create-logger.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createReadiness } from './readiness.ts'

function probe(check: () => Promise<void>) {
  const lines: string[] = []
  const metrics = createMetrics()
  const process = { reason: undefined as string | undefined }
  const readiness = createReadiness({
    processReason: () => process.reason,
    dependencies: () => new Map([['bus', check]]),
    notes: () => [],
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    metrics,
  })
  return { readiness, lines, metrics, process }
}

test('PODA2: a dependency holds readiness back until its first success, and is only reported afterwards', async () => {
  let away = true
  const { readiness, lines, metrics, process } = probe(async () => {
    if (away) throw new Error('NATS is not connected')
  })
  assert.equal((await readiness.read({ verbose: false })).ready, false)
  away = false
  assert.equal((await readiness.read({ verbose: false })).ready, true)
  away = true
  const { ready, checks } = await readiness.read({ verbose: true })
  assert.equal(ready, true)
  assert.deepEqual(checks.at(-1), { name: 'bus', ok: false, reason: 'NATS is not connected' })
  assert.match(await metrics.render(), /mesh_dependency_available\{dependency="bus"\} 0/)
  await readiness.read({ verbose: true })
  away = false
  await readiness.read({ verbose: true })
  assert.match(await metrics.render(), /mesh_dependency_available\{dependency="bus"\} 1/)
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['dependency unavailable', 'dependency available again'],
  )
  process.reason = 'draining'
  assert.equal((await readiness.read({ verbose: false })).ready, false)
})

test('PODA2: probes share one round of checks, and a ready process answers them without any', async () => {
  let rounds = 0
  const { readiness } = probe(async () => void (rounds += 1))
  await Promise.all(Array.from({ length: 20 }, () => readiness.read({ verbose: true })))
  assert.equal(rounds, 1)
  await readiness.read({ verbose: false })
  assert.equal(rounds, 1)
})
