import test from 'node:test'
import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import type { Bus, BusMessage, Delivery } from './bus.ts'
import { insideTransaction } from '#core/async/transaction-guard.ts'

const text = (body: Uint8Array): string => Buffer.from(body).toString()
const message = (subject: string, id: string): BusMessage => ({ subject, id, body: Buffer.from(id) })

/** Behaviour shared by both adapters of the bus. `open` returns a new bus; the test closes it. */
// oxlint-disable-next-line max-params -- a bundle has a guard of its own
export function busContract(
  adapter: string,
  open: (t: test.TestContext) => Promise<Bus>,
  skip: string | false,
  guard = insideTransaction,
): void {
  const check = (name: string, fn: (bus: Bus, t: test.TestContext) => Promise<void>): void => {
    test(`${adapter}: ${name}`, { skip, timeout: 20_000 }, async (t) => fn(await open(t), t))
  }

  check('delivers what matches, with id and body', async (bus) => {
    const got = collector()
    await bus.consume('one', ['mesh.v1.*.runs.created', 'mesh.v1.*.audit.>'], got.handle)
    await bus.publish(message('mesh.v1.a.runs.created', 'e1'))
    await bus.publish(message('mesh.v1.a.runs.deleted', 'e2'))
    await bus.publish(message('mesh.v1._.audit.row.more', 'e3'))
    await got.until(2)
    assert.deepEqual(got.ids(), ['e1', 'e3'])
    assert.equal(text(got.all[0]?.body ?? Buffer.alloc(0)), 'e1')
    assert.equal(got.all[0]?.redelivered, false)
  })

  check('what was published while a durable had no member is delivered to the next', async (bus) => {
    const first = await bus.consume('two', ['mesh.v1.>'], async () => undefined)
    await first.stop()
    await bus.publish(message('mesh.v1.a.x.y', 'late'))
    const got = collector()
    await bus.consume('two', ['mesh.v1.>'], got.handle)
    await got.until(1)
    assert.deepEqual(got.ids(), ['late'])
  })

  check('A5: unacknowledged and refused messages come again, acknowledged ones do not', async (bus) => {
    const seen: string[] = []
    const events = new EventEmitter()
    await bus.consume('three', ['mesh.v1.>'], async (batch) => {
      for (const one of batch) {
        seen.push(`${one.id}${one.redelivered ? '+' : ''}`)
        if (one.id === 'fine' || one.redelivered) one.ack()
        else if (one.id === 'refused') one.nak(10)
      }
      events.emit('batch')
    })
    for (const id of ['fine', 'refused', 'forgotten']) await bus.publish(message('mesh.v1.a.x.y', id))
    while (!(seen.includes('refused+') && seen.includes('forgotten+'))) await once(events, 'batch')
    assert.deepEqual(seen.toSorted(), ['fine', 'forgotten', 'forgotten+', 'refused', 'refused+'])
  })

  check('a handler that throws gets its batch again', async (bus) => {
    let failures = 0
    const got = collector()
    await bus.consume('four', ['mesh.v1.>'], async (batch) => {
      if (failures++ === 0) throw new Error('not yet')
      await got.handle(batch)
    })
    await bus.publish(message('mesh.v1.a.x.y', 'again'))
    await got.until(1)
    assert.equal(got.all[0]?.redelivered, true)
  })

  check('members of one durable share the messages, two durables each get all', async (bus) => {
    const [a, b, c] = [collector(), collector(), collector()]
    await bus.consume('five', ['mesh.v1.>'], a.handle)
    await bus.consume('five', ['mesh.v1.>'], b.handle)
    await bus.consume('six', ['mesh.v1.>'], c.handle)
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
    await Promise.all(ids.map((id) => bus.publish(message('mesh.v1.a.x.y', id))))
    await c.until(50)
    while (a.all.length + b.all.length < 50) await Promise.race([a.more(), b.more()])
    assert.deepEqual([...a.ids(), ...b.ids()].toSorted(), ids.toSorted())
    assert.deepEqual(c.ids().toSorted(), ids.toSorted())
  })

  check('stop waits for the handler under way', async (bus) => {
    const events = new EventEmitter()
    let finished = false
    const release = Promise.withResolvers<void>()
    const member = await bus.consume('seven', ['mesh.v1.>'], async (batch) => {
      events.emit('started')
      await release.promise
      finished = true
      for (const one of batch) one.ack()
    })
    const started = once(events, 'started')
    await bus.publish(message('mesh.v1.a.x.y', 'slow'))
    await started
    const stopping = member.stop()
    release.resolve()
    await stopping
    assert.equal(finished, true)
  })

  check('live frames reach listeners of a matching subject only, with wildcards', async (bus) => {
    const events = new EventEmitter()
    const got: string[] = []
    const listening = await bus.listen('mesh.live.*', (body, subject) => {
      got.push(`${subject} ${text(body)}`)
      events.emit('frame')
    })
    bus.emit('mesh.other.1', Buffer.from('no'))
    const first = once(events, 'frame')
    bus.emit('mesh.live.r1', Buffer.from('yes'))
    await first
    assert.deepEqual(got, ['mesh.live.r1 yes'])
    await listening.stop()
  })

  check('PODA1: a live frame that its listener cannot read ends neither process nor connection', async (bus) => {
    const got = Promise.withResolvers<string>()
    const listening = await bus.listen('mesh.live.*', (body) => {
      const { text: sent } = JSON.parse(text(body)) as { text: string }
      got.resolve(sent)
    })
    bus.emit('mesh.live.r1', Buffer.from('no JSON'))
    bus.emit('mesh.live.r1', Buffer.from('{"text":"next"}'))
    assert.equal(await got.promise, 'next')
    await bus.check()
    await listening.stop()
  })

  check('publish, emit, consume and listen throw inside a transaction', async (bus) => {
    await guard(async () => {
      await assert.rejects(bus.publish(message('mesh.v1.a.x.y', 'no')), /inside a transaction/)
      await assert.rejects(
        bus.consume('eight', ['mesh.v1.>'], async () => undefined),
        /inside a transaction/,
      )
      await assert.rejects(
        bus.listen('mesh.live.*', () => undefined),
        /inside a transaction/,
      )
      assert.throws(() => bus.emit('mesh.live.r1', Buffer.from('no')), /inside a transaction/)
    })
  })

  check('check says whether the transport is there', async (bus) => {
    await bus.check()
    await bus.close()
    await assert.rejects(bus.check())
  })
}

/** Collects and acknowledges deliveries. */
function collector() {
  const events = new EventEmitter()
  const all: Delivery[] = []
  const more = async (): Promise<void> => void (await once(events, 'batch'))
  return {
    all,
    more,
    ids: () => all.map((one) => one.id),
    handle: async (batch: readonly Delivery[]): Promise<void> => {
      for (const one of batch) {
        all.push(one)
        one.ack()
      }
      events.emit('batch')
    },
    until: async (count: number): Promise<void> => {
      while (all.length < count) await more()
    },
  }
}
