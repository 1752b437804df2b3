import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createMetering } from '../metering/metering.ts'
import { meteredCall } from './metered-call.ts'

// Meters the number of calls in each message and confirms it, until it is killed.
const database = await openDatabase({ url: process.argv[2] ?? '' })
const log = { error: () => undefined, warn: () => undefined } as never
const store = createStore(database, { projections: [] })
const metering = createMetering({ store, log, metrics: createMetrics(), now: () => new Date() })
let next = 0
process.on('message', (count: number) => {
  for (let n = 0; n < count; n++) metering.answered(meteredCall(next++))
  process.send?.('metered')
})
