import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createTracer } from '#core/telemetry/tracer.ts'
import { streamEvents } from '../listeners/invoke/event-stream.ts'
import { createRegistry } from './run-registry.ts'
import type { RegistryOptions } from './run-registry.ts'
import { stopped } from './run-context.ts'
import { noUsage } from '../contract/runs/usage.ts'
import type { Agent, RunContext } from './run-context.ts'

/** An agent that emits as many entries of 1 KiB as its input says. */
const talker: Agent = {
  async run(context) {
    for (let left = Number(context.request.input); left > 0 && !context.signal.aborted; left--) talk(context)
    return context.signal.aborted
      ? stopped(context.signal, noUsage)
      : { state: 'succeeded', output: 'said', usage: noUsage }
  },
}

/** An agent that works until the test ends it. */
function createPatient() {
  const { promise: end, resolve: finish } = Promise.withResolvers<void>()
  const { promise: context, resolve: began } = Promise.withResolvers<RunContext>()
  const agent: Agent = {
    async run(given) {
      if (given.request.input === 'wait') {
        began(given)
        await end
      }
      return { state: 'succeeded', output: null, usage: noUsage }
    },
  }
  return { agent, context, finish }
}

function talk(context: RunContext): void {
  context.emit('step.started', { text: 'x'.repeat(1024) })
}

function registryOf(options: Partial<RegistryOptions>) {
  const tracer = createTracer(() => undefined)
  return createRegistry({ agentName: 'robot', agent: talker, tracer, concurrency: 4, timeoutMs: 60_000, ...options })
}

function isKnown(attach: () => unknown): boolean {
  try {
    attach()
    return true
  } catch {
    return false
  }
}

const start = (runId: string, input: unknown) => ({ runId, epoch: 0, request: { input }, parent: undefined })

test('a run past the limit of its agent says so, however slowly it starts', async () => {
  // Each reading of the clock is a millisecond later than the one before.
  let ms = 0
  const waiting: Agent = {
    async run({ signal }) {
      if (!signal.aborted) await once(signal, 'abort')
      return stopped(signal, noUsage)
    },
  }
  const registry = registryOf({ agent: waiting, timeoutMs: 20, now: () => new Date((ms += 1)) })
  const outcome = await registry.start(start('r1', 'x')).done
  assert.deepEqual(
    [outcome.state, outcome.state === 'timed_out' && outcome.message],
    ['timed_out', 'longer than limits.timeout (20ms)'],
  )
})

test('journal: above the limit the oldest results are dropped first, then the growing run is stopped', async () => {
  const registry = registryOf({ maxBytes: 64 * 1024 })
  for (const id of ['r1', 'r2', 'r3']) assert.equal((await registry.start(start(id, 20)).done).state, 'succeeded')
  assert.throws(() => registry.attach('r1', 0), { code: 'unknown_run' })
  assert.throws(() => registry.start(start('r1', 1)), { code: 'run_acknowledged' }, 'never invoked again')
  assert.equal(registry.attach('r2', 0).result()?.state, 'succeeded')
  const outcome = await registry.start(start('r4', 100_000)).done
  assert.deepEqual(
    [outcome.state, outcome.state === 'failed' && outcome.message],
    ['failed', 'the run exceeded the limit of its journal'],
  )
  assert.ok(registry.attach('r4', 0).journal.bytes < 66 * 1024, 'it was stopped at the bound')
  assert.throws(() => registry.attach('r2', 0), { code: 'unknown_run' })
})

test('journal: all runs together keep 64 MiB, to the last frame', async () => {
  const big: Agent = {
    async run({ emit, signal, request }) {
      for (let left = Number(request.input); left > 0 && !signal.aborted; left--)
        emit('step.started', { text: 'x'.repeat(1024 * 1024) })
      return signal.aborted ? stopped(signal, noUsage) : { state: 'succeeded', output: null, usage: noUsage }
    },
  }
  const registry = registryOf({ agent: big })
  assert.equal((await registry.start(start('r1', 40)).done).state, 'succeeded')
  assert.equal((await registry.start(start('r2', 20)).done).state, 'succeeded')
  assert.ok(
    isKnown(() => registry.attach('r1', 0)),
    '60 MiB are kept',
  )
  assert.equal((await registry.start(start('r3', 5)).done).state, 'succeeded')
  assert.throws(() => registry.attach('r1', 0), { code: 'unknown_run' }, 'the oldest went')
  assert.ok(isKnown(() => registry.attach('r2', 0)))
  const outcome = await registry.start(start('r4', 70)).done
  assert.equal(outcome.state === 'failed' && outcome.failReason, 'agent_error')
  const kept = registry.attach('r4', 0).journal.bytes
  assert.ok(kept > 63 * 1024 * 1024 && kept < 66 * 1024 * 1024, `${kept} bytes`)
})

test('journal: a result counts too, and is never dropped for its own size', async () => {
  const agent: Agent = {
    run: ({ request }) =>
      Promise.resolve({ state: 'succeeded', output: 'x'.repeat(Number(request.input)), usage: noUsage }),
  }
  const registry = registryOf({ agent, maxBytes: 64 * 1024 })
  await registry.start(start('r1', 40 * 1024)).done
  await registry.start(start('r2', 40 * 1024)).done
  assert.throws(() => registry.attach('r1', 0), { code: 'unknown_run' }, 'the oldest went')
  await registry.start(start('r3', 80 * 1024)).done
  assert.equal(registry.attach('r3', 0).result()?.state, 'succeeded', 'its worker has not read it yet')
})

test('results: an unacknowledged result is kept for 15 minutes, its id for 15 more; an active run does not expire', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const minute = 60_000
  const { agent, finish } = createPatient()
  const registry = registryOf({ agent, timeoutMs: 60 * minute })
  const waiting = registry.start(start('r1', 'wait'))
  await registry.start(start('r2', 0)).done
  await Promise.resolve() // the expiry begins a turn after the result
  t.mock.timers.tick(15 * minute - 1)
  assert.equal(registry.attach('r2', 0).result()?.state, 'succeeded')
  t.mock.timers.tick(1)
  assert.throws(() => registry.attach('r2', 0), { code: 'unknown_run' })
  assert.throws(() => registry.start(start('r2', 0)), { code: 'run_acknowledged' }, 'never invoked again')
  t.mock.timers.tick(15 * minute)
  assert.equal(registry.attach('r1', 0), waiting)
  finish()
  await waiting.done
  await Promise.resolve()
  t.mock.timers.tick(15 * minute)
  assert.throws(() => registry.attach('r1', 0), { code: 'unknown_run' })
  await registry.idle()
})

test('O6: a ticket starts a run in its own process for a third of the retention; a known run accepts any', async () => {
  let now = 1000.5
  const options = { keepMs: 900, monotonic: () => now }
  const [registry, other] = [registryOf(options), registryOf(options)]
  const ticket = registry.ticket(true)
  for (const wrong of [other.ticket(true), 'x', '', `${ticket}0`, ticket.split('.')[0]])
    assert.throws(() => registry.start({ ...start('r1', 0), ticket: wrong }), { code: 'stale_ticket' }, wrong)
  now += 299
  const attempt = registry.start({ ...start('r1', 0), ticket })
  now += 2
  assert.equal(registry.start({ ...start('r1', 0), ticket }), attempt, 'a repeat, however late')
  assert.equal(registry.start({ ...start('r1', 0), ticket: other.ticket(true) }), attempt)
  assert.throws(() => registry.start({ ...start('r2', 0), ticket }), { code: 'stale_ticket' })
  await registry.start({ ...start('r2', 0), ticket: registry.ticket(true) }).done
})

test('O6: a run that was reported as unknown to a newer worker is not started by an older one', async () => {
  const { agent, context, finish } = createPatient()
  const registry = registryOf({ agent, concurrency: 1 })
  const busy = registry.start(start('busy', 'wait'))
  await context
  const ticket = registry.ticket(true)
  const begin = (runId: string, epoch: number, ready?: boolean) => () =>
    registry.start({ ...start(runId, 0), epoch, ticket, ...(ready === undefined ? {} : { ready }) })
  const without = (code: string) => (error: { code: string; headers: Record<string, string> }) =>
    error.code === code && typeof error.headers['x-mesh-ticket'] === 'string'
  assert.throws(begin('r1', 2), without('too_many_runs'))
  assert.throws(begin('r2', 2, false), without('agent_not_ready'))
  assert.throws(() => registry.attach('r3', 2), { code: 'unknown_run' })
  finish()
  await busy.done
  for (const runId of ['r1', 'r2', 'r3']) {
    assert.throws(begin(runId, 1), { code: 'stale_epoch' })
    assert.equal((await begin(runId, 2)().done).state, 'succeeded')
  }
  registry.refuseNew()
  assert.throws(begin('r4', 1), without('draining'))
})

test('O6: a repeat after the run has expired starts nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const registry = registryOf({ keepMs: 900, monotonic: () => now })
  const ticket = registry.ticket(true)
  await registry.start({ ...start('r1', 0), ticket }).done
  await Promise.resolve() // the expiry begins a turn after the result
  registry.acknowledge('r1', 0)
  assert.throws(() => registry.start({ ...start('r1', 0), ticket }), { code: 'run_acknowledged' })
  now += 900
  t.mock.timers.tick(900)
  assert.throws(() => registry.acknowledge('r1', 0), { code: 'unknown_run' })
  assert.throws(() => registry.start({ ...start('r1', 0), ticket }), { code: 'stale_ticket' })
})

test('events: a reader that does not read is disconnected at its limit, and reconnects without a loss', async (t) => {
  const patient = createPatient()
  const attempt = registryOf({ agent: patient.agent }).start(start('r1', 'wait'))
  const context = await patient.context
  const maxBehind = 256 * 1024
  let most = 0
  let cut = false
  const server = createServer((_, response) => {
    const write = response.write.bind(response) as (chunk: Buffer) => boolean
    response.write = (chunk: Buffer) => {
      const more = write(chunk)
      most = Math.max(most, response.writableLength)
      return more
    }
    response.on('close', () => (cut = true))
    streamEvents(response, attempt, 0, { maxBehind })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  let entries = 0
  while (entries < 40_000) {
    if (cut) break
    for (let burst = 0; burst < 20; burst++) talk(context)
    entries += 20
    await new Promise(setImmediate)
  }
  assert.ok(cut, `still connected after ${entries} entries`)
  assert.ok(most < maxBehind + 64 * 1024, `${most} bytes were buffered`)
  patient.finish()
  await attempt.done
  let replayed = 0
  attempt.follow(0, { write: () => void replayed++, end: () => undefined, cut: () => undefined })
  assert.equal(replayed, entries + 1)
})
