import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createOutcomes } from '#plugins/audit/outcomes.ts'
import { openSpool } from '#plugins/audit/spool/spool.ts'
for (const withSpool of [true, false, true, false, true, false]) {
const spool = withSpool ? openSpool({ folder: '/tmp/zz-spool', maxBytes: 1e9 }) : undefined
const sink = createOutcomes({ store: { transact: () => new Promise(() => undefined) } as never, log: createLogger({ level: 'error' }), metrics: createMetrics(), now: () => new Date() }, spool)
const act = { actor: 'dave@example.com', action: 'update', resourceKind: 'AgentTemplate', namespace: 'demo', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
const from = process.cpuUsage()
for (let n = 0; n < 9000; n++) sink.record({ ...act, name: `one-${n}`, outcome: 'denied', code: 'forbidden' })
const { user, system } = process.cpuUsage(from)
console.log(withSpool, (user + system) / 9000, 'us', user/9000, system/9000)
spool?.close()
}
process.exit(0)
