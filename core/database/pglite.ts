import type { PGlite } from '@electric-sql/pglite'
import { lastWithRows } from './driver.ts'
import type { ConnectionUsage, Session, SessionSource, StatementResult } from './driver.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { valueParsers } from './type-parsers.ts'

const waitForConnectionMs = 30_000

/** Options of every PGlite. Parsers given with each query are merged with PGlite's own each time, which doubles its CPU time. */
export const pgliteOptions = { parsers: { ...valueParsers } }

/** PGlite has one connection: callers get it in turn, and a transaction keeps it until its end. */
export function pgliteSessions(pglite: PGlite, close: () => Promise<void>): SessionSource {
  const turns = createTurns()
  const session: Session = {
    run: (sql, parameters) => run(pglite, sql, parameters),
    release: () => turns.next(),
  }
  return {
    open: async () => {
      await turns.take()
      return session
    },
    usage: () => turns.usage(),
    close: async () => {
      await turns.take()
      await close()
    },
  }
}

async function run(pglite: PGlite, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  // Without parameters the simple protocol accepts several statements in one exchange, as `pg` does.
  const result =
    parameters.length === 0 ? lastWithRows(await pglite.exec(sql)) : await pglite.query<unknown>(sql, [...parameters])
  const changed = result.command !== undefined && /^(INSERT|UPDATE|DELETE|MERGE)$/.test(result.command)
  return { rows: result.rows, affected: changed ? BigInt(result.rowCount ?? 0) : undefined }
}

/** A queue for one permit: `take` waits at most 30 s; `next` passes the permit on. */
function createTurns(): { take(): Promise<void>; next(): void; usage(): ConnectionUsage } {
  const waiting: (() => void)[] = []
  let taken = false
  return {
    take: async () => {
      if (!taken) {
        taken = true
        return
      }
      await new Promise<void>((resolve, reject) => {
        const mine = (): void => {
          clearTimeout(deadline)
          resolve()
        }
        const deadline = setTimeout(() => {
          waiting.splice(waiting.indexOf(mine), 1)
          reject(new Fail('store_unavailable', 'The embedded store is busy.'))
        }, waitForConnectionMs)
        waiting.push(mine)
      })
    },
    usage: () => ({ inUse: taken ? 1 : 0, idle: taken ? 0 : 1, waiting: waiting.length }),
    next: () => {
      const next = waiting.shift()
      if (next === undefined) taken = false
      else next()
    },
  }
}
