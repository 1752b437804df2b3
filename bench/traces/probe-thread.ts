// Sends a request each 5 ms that the launcher answers itself, in a thread: what sends spans delays no probe. Answers `stop` with its times.
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import { quantile } from '../tools/statistics.ts'

const pool = new Pool(String(workerData), { connections: 1 })
const times: number[] = []
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
while (!stop.signal.aborted) {
  const started = performance.now()
  const { body } = await pool.request({ path: '/healthz', method: 'GET' })
  await body.dump()
  times.push(performance.now() - started)
  await sleep(5)
}
await pool.close()
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) })
