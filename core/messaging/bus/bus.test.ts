import test from 'node:test'
import assert from 'node:assert/strict'
import { connect } from '@nats-io/transport-node'
import { jetstreamManager } from '@nats-io/jetstream'
import { Fail } from '#core/errors/domain-error.ts'
import { needs } from '#test/harness/find-server.ts'
import { startNats } from '#test/harness/nats.ts'
import { busContract } from './bus.contract.ts'
import { createMemoryBus } from './memory-bus.ts'
import { toNatsOptions } from './nats-url.ts'
import { createNatsBus } from './nats-bus.ts'
import { planOf } from './durable-consumers.ts'
import { streamName } from './nats-streams.ts'
import { matches, toSubject, toSubjects } from '../wire/subjects.ts'

busContract(
  'memory',
  async (t) => {
    const bus = createMemoryBus()
    t.after(() => bus.close())
    return bus
  },
  false,
)

busContract(
  'NATS',
  async (t) => {
    const server = await startNats(t)
    const bus = await createNatsBus({ servers: server.url })
    t.after(() => bus.close())
    await bus.ensure({ durables: [] })
    return bus
  },
  needs('nats-server').skip,
)

test('NATS_URL: addresses, and the credentials that the client does not read from them', () => {
  assert.deepEqual(toNatsOptions('nats://a'), { servers: ['a'] })
  assert.deepEqual(toNatsOptions('a:4222, nats://u:p%40ss@[::1]:4223'), {
    servers: ['a:4222', '[::1]:4223'],
    user: 'u',
    pass: 'p@ss',
  })
  assert.deepEqual(toNatsOptions('tls://s3cret@a.b'), { servers: ['a.b'], token: 's3cret' })
  for (const wrong of ['', 'nats://', 'nats://u:p4ss@', 'nats://u:p4ss@a:b', 'nats://u:p4ss%zz@a'])
    assert.throws(() => toNatsOptions(wrong), /^SettingsError: NATS_URL: must be nats:(?!.*p4ss)/)
})

test('memory: a durable without a member keeps the newest messages only', async () => {
  const bus = createMemoryBus({ maxWaiting: 3 })
  await (await bus.consume('bounded', ['mesh.v1.>'], async () => undefined)).stop()
  for (const id of ['1', '2', '3', '4', '5']) {
    await bus.publish({ subject: 'mesh.v1.a.x.y', id, body: Buffer.alloc(0) })
  }
  const got: string[] = []
  await new Promise<void>((resolve) => {
    void bus.consume('bounded', ['mesh.v1.>'], async (batch) => {
      for (const one of batch) {
        got.push(one.id)
        one.ack()
      }
      resolve()
    })
  })
  assert.deepEqual(got, ['3', '4', '5'])
  await bus.close()
})

test(
  'O3: ensure creates stream and consumers, verify refuses what is missing or differs',
  needs('nats-server'),
  async (t) => {
    const server = await startNats(t)
    const bus = await createNatsBus({ servers: server.url })
    t.after(() => bus.close())
    const plan = { durables: planOf([{ name: 'audit.rows', types: ['dev.mesh.runs.created.v1'] }]) }
    await assert.rejects(bus.verify(plan), /the stream MESH is missing/)
    await bus.ensure(plan)
    await bus.verify(plan)
    const connection = await connect({ servers: server.url })
    const manager = await jetstreamManager(connection)
    await manager.consumers.update(streamName, 'audit-rows', { filter_subjects: ['mesh.v1.*.other.fact'] })
    await assert.rejects(bus.verify(plan), /consumer audit-rows: filter_subjects/)
    await manager.streams.update(streamName, { subjects: ['mesh.v1.>', 'elsewhere.>'] })
    await assert.rejects(bus.verify(plan), /stream MESH: subjects/)
    await bus.ensure(plan)
    await bus.verify(plan)
    await manager.consumers.delete(streamName, 'audit-rows')
    await assert.rejects(bus.verify(plan), /consumer audit-rows is missing/)
    await connection.close()
  },
)

test('NATS: a publish of one id is stored once', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const bus = await createNatsBus({ servers: server.url })
  t.after(() => bus.close())
  await bus.ensure({ durables: [] })
  for (let times = 0; times < 3; times++) {
    await bus.publish({ subject: 'mesh.v1.a.x.y', id: 'same', body: Buffer.from('1') })
  }
  const connection = await connect({ servers: server.url })
  const { state } = await (await jetstreamManager(connection)).streams.info(streamName)
  await connection.close()
  assert.equal(state.messages, 1)
})

test('O7: a member continues when its stream was created again', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const bus = await createNatsBus({ servers: server.url })
  t.after(() => bus.close())
  await bus.ensure({ durables: [] })
  const got = Promise.withResolvers<string>()
  await bus.consume('again', ['mesh.v1.>'], async (batch) => {
    for (const one of batch) one.ack()
    got.resolve(batch[0]?.id ?? '')
  })
  const connection = await connect({ servers: server.url })
  await (await jetstreamManager(connection)).streams.delete(streamName)
  await connection.close()
  await bus.ensure({ durables: [] })
  await bus.publish({ subject: 'mesh.v1.a.x.y', id: 'after', body: Buffer.from('1') })
  assert.equal(await got.promise, 'after')
})

test(
  'PODA20: a NATS that goes away in the middle of a call is bus_unavailable, without its address',
  needs('nats-server'),
  async (t) => {
    const server = await startNats(t)
    const bus = await createNatsBus({ servers: server.url })
    t.after(() => bus.close())
    server.freeze()
    const listening = bus.listen('mesh.live.x', () => undefined)
    await server.kill9()
    const { host } = new URL(server.url)
    const unavailable = (named: boolean) => (error: unknown) =>
      error instanceof Fail && error.code === 'bus_unavailable' && error.message.includes(host) === named
    await assert.rejects(listening, unavailable(false))
    await assert.rejects(
      bus.listen('mesh.live.x', () => undefined),
      unavailable(false),
    )
    // Readiness and startup logs are read by operators.
    await assert.rejects(bus.check(), unavailable(true))
  },
)

test('subjects carry namespace, plugin and fact; a version is no part of them', () => {
  assert.equal(toSubject('dev.mesh.runs.run-created.v1', 'demo'), 'mesh.v1.demo.runs.run-created')
  assert.equal(toSubject('dev.mesh.runs.run-created.v2', undefined), 'mesh.v1._.runs.run-created')
  assert.deepEqual(toSubjects(['dev.mesh.runs.a.v1', 'dev.mesh.runs.a.v2']), ['mesh.v1.*.runs.a'])
  assert.deepEqual(toSubjects('all'), ['mesh.v1.>'])
  assert.deepEqual(toSubjects('all', ['demo']), ['mesh.v1.demo.>'])
  assert.throws(() => toSubject('short', undefined), /plugin/)
  assert.equal(matches('mesh.*.x', 'mesh.a.x'), true)
  assert.equal(matches('mesh.*', 'mesh.a.x'), false)
  assert.equal(matches('mesh.>', 'mesh'), false)
  assert.equal(matches('mesh.a', 'mesh.a.b'), false)
})
