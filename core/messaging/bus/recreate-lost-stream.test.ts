import assert from 'node:assert/strict'
import test from 'node:test'
import { createLogger } from '#core/log/create-logger.ts'
import { needs } from '#test/harness/find-server.ts'
import { startNats } from '#test/harness/nats.ts'
import { keepStreams } from './recreate-lost-stream.ts'
import { createNatsBus } from './nats-bus.ts'

test(
  'PODA14: a missing stream is created again only if the installation has published before',
  { ...needs('nats-server'), timeout: 20_000 },
  async (t) => {
    const server = await startNats(t)
    const bus = await createNatsBus({ servers: server.url })
    t.after(() => bus.close())
    const stop = new AbortController()
    const log = createLogger({ destination: { write: () => undefined } })
    let checks = 0
    const check = async (): Promise<boolean> => {
      checks += 1
      await assert.rejects(bus.verify({ durables: [] }), /the stream MESH is missing/, 'nothing has created it')
      if (checks === 3) stop.abort()
      return false
    }
    await keepStreams({ bus, durables: [], published: check, log, everyMs: 1 }, stop.signal)
    assert.equal(checks, 3)
    await assert.rejects(bus.verify({ durables: [] }), /the stream MESH is missing/)

    const found = new AbortController()
    const published = async (): Promise<boolean> => {
      found.abort()
      return true
    }
    await keepStreams({ bus, durables: [], published, log, everyMs: 1 }, found.signal)
    await bus.verify({ durables: [] })
  },
)
