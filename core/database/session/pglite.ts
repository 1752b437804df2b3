import { Duplex } from 'node:stream'
import { callbackify } from 'node:util'
import type { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import type { types } from 'pg'
import { Fail } from '#core/errors/domain-error.ts'
import { ClientSession } from './client-session.ts'
import { createStatementNames, PreparedStatements } from './prepared-statements.ts'
import type { ConnectionUsage, SessionSource } from './session.ts'
import { parserOf } from './type-parsers.ts'

const waitForConnectionMs = 30_000
// The engine computes in this thread, and a permit passes without a turn of the event loop: a queue of callers would hold up every socket and timer.
const mostMsWithoutTurn = 20

/**
 * Sessions of PGlite, over the wire protocol by the client of `pg`: its own `query` makes six calls into the engine where one is enough. It has
 * one connection: callers get it in turn, and a transaction keeps it until its end.
 */
export async function pgliteSessions(pglite: PGlite, close: () => Promise<void>): Promise<SessionSource> {
  const turns = createTurns()
  const names = createStatementNames()
  const client = await connect(pglite)
  let prepared = new PreparedStatements(names)
  const end = async (reusable: boolean): Promise<void> => {
    // A single connection cannot be discarded, so its state is.
    if (!reusable) {
      prepared = new PreparedStatements(names)
      await client.query('rollback; deallocate all').catch(() => undefined)
    }
    turns.next()
  }
  return {
    open: async () => {
      await turns.take()
      return new ClientSession(client, prepared, (reusable) => {
        void end(reusable).catch(() => undefined)
      })
    },
    usage: () => turns.usage(),
    renewStatements: () => names.renew(),
    close: async () => {
      await turns.take()
      await client.end()
      await close()
    },
  }
}

async function connect(pglite: PGlite): Promise<Client> {
  const client = new Client({
    stream: () => new EngineStream(pglite),
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

type Done = (error?: Error | null) => void

/** The socket of a client: passes each message to the engine in this process and returns its response. */
class EngineStream extends Duplex {
  readonly #pglite: PGlite
  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(message: Uint8Array, _encoding: string, done: Done): void {
    callbackify(() => this.#pass(message))(done)
  }

  override _writev(chunks: { readonly chunk: Uint8Array }[], done: Done): void {
    callbackify(() => this.#pass(Buffer.concat(chunks.map(({ chunk }) => chunk))))(done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  async #pass(message: Uint8Array): Promise<void> {
    const answers: Uint8Array[] = []
    const onRawData = (bytes: Uint8Array): void => {
      // A view of the engine's memory.
      answers.push(Uint8Array.from(bytes))
    }
    await this.#pglite.execProtocolRawStream(message, { onRawData })
    if (answers.length > 0) this.push(Buffer.concat(answers))
  }
}

/** A queue for one permit: `take` waits at most 30 s; `next` passes the permit on, after a turn of the event loop if one is due. */
function createTurns(): { take(): Promise<void>; next(): void; usage(): ConnectionUsage } {
  const waiting: (() => void)[] = []
  const isTurnDue = watchTurns()
  let taken = false
  const pass = (): void => {
    const next = waiting.shift()
    if (next === undefined) taken = false
    else next()
  }
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
      if (waiting.length > 0 && isTurnDue()) setImmediate(pass)
      else pass()
    },
  }
}

/** Returns whether the event loop has not turned for too long, counted from the first call after its last turn. */
function watchTurns(): () => boolean {
  let since: number | undefined
  return () => {
    if (since !== undefined) return performance.now() - since > mostMsWithoutTurn
    since = performance.now()
    setImmediate(() => (since = undefined))
    return false
  }
}
