import { createStatementCounter } from '#test/harness/statement-count.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'

// `node --import observe-process.ts main.ts ...`: counts the statements that reach PGlite, and answers its parent by IPC.

/** The answer to a message of the parent. */
export interface Observed {
  /** Empty if the process has no PGlite. */
  readonly statements: StatementCounts
  readonly memory: NodeJS.MemoryUsage
  /** Size of PGlite's linear memory. */
  readonly wasmBytes: number
}

const counter = createStatementCounter()
let wasmBytes = (): number => 0

if (process.env['BENCH_COUNT_PGLITE'] !== undefined) {
  const { PGlite } = await import('@electric-sql/pglite')
  // Every query passes through this method, whatever API of PGlite sent it.
  const send = counter.connection()
  const { execProtocolRawSync } = PGlite.prototype
  PGlite.prototype.execProtocolRawSync = function (this: InstanceType<typeof PGlite>, message) {
    send(message)
    wasmBytes = () => this.Module.HEAPU8.length
    return execProtocolRawSync.call(this, message)
  }
}

process.on('message', () => {
  const observed: Observed = { statements: counter.counts(), memory: process.memoryUsage(), wasmBytes: wasmBytes() }
  process.send?.(observed)
})
process.channel?.unref()
// A killed bench leaves no platform behind.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
