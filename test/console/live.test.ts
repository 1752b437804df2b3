import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { plugins } from '#plugins/index.ts'
import { allStale, followedTypes, isStale, staleKeysOf } from '../../ui/api/live/event-keys.ts'
import type { StaleKey } from '../../ui/api/live/event-keys.ts'
import { followLive } from '../../ui/api/live/event-stream.ts'
import { toLiveEvent } from '../../ui/api/live/live-event.ts'
import { isSettled } from '../../ui/kinds/kind-object.ts'
import { createStaleQueue } from '../../ui/api/live/stale-queue.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const frame = (position: number, type = 'runs.created', epoch = 1): string => {
  const id = `${String(epoch).padStart(6, '0')}-${String(position).padStart(20, '0')}`
  const event = { type: `dev.mesh.${type}.v1`, subject: `demo/Run/run-${position}`, data: { any: '<b>' } }
  return `event: x\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`
}
const streamOf = (...chunks: readonly string[]): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      },
    }),
  )

/** Follows responses in their order, and returns what was said and after which positions was asked. */
async function follow(responses: readonly (Response | Error)[], from?: string) {
  const said: string[] = []
  const asked: (string | undefined)[] = []
  const stop = new AbortController()
  await followLive(
    {
      random: () => 0,
      open: async (after) => {
        asked.push(after)
        const response = responses[asked.length - 1]
        if (asked.length >= responses.length) stop.abort()
        if (response === undefined || response instanceof Error) throw response ?? new Error('stopped')
        return response
      },
      listener: {
        onOpen: (isResumed) => said.push(isResumed ? 'resumed' : 'open'),
        onBatch: ({ events }) => said.push(events.map(({ name }) => name).join(' ')),
        onBroken: () => said.push('broken'),
        onDenied: () => said.push('denied'),
        onSignedOut: () => said.push('signed out'),
        onGap: () => said.push('gap'),
      },
    },
    from,
    stop.signal,
  )
  return { said, asked: asked.map((one) => one?.slice(-2)) }
}

test('a stream that ends is opened after the last event, with nothing lost and nothing twice', async () => {
  const cut = frame(3)
  const { said, asked } = await follow([
    streamOf(frame(1), frame(2) + cut.slice(0, 40)),
    new Error('no connection'),
    streamOf(frame(3)),
    new Error('stopped'),
  ])
  assert.deepEqual(asked, [undefined, '02', '02', '03'])
  assert.deepEqual(said.slice(0, 7), ['open', 'run-1', 'run-2', 'broken', 'broken', 'resumed', 'run-3'])
})

test('a position of another log, and a restored log, are gaps', async () => {
  const refused = await follow([new Response('', { status: 400 }), streamOf(frame(1)), new Error('stopped')], 'x')
  assert.deepEqual(refused.said.slice(0, 3), ['gap', 'open', 'run-1'])
  assert.deepEqual(refused.asked.slice(0, 2), ['x', undefined])
  const restored = await follow([streamOf(frame(9), frame(1, 'runs.created', 2)), new Error('stopped')])
  assert.deepEqual(restored.said.slice(0, 4), ['open', 'run-9', 'gap', 'run-1'])
})

test('frames that are no events are passed over', async () => {
  const { said } = await follow([
    streamOf(': \n\n', 'id: 1\ndata: {\n\n', 'data: null\n\n', `id: 2\ndata: ${'9'.repeat(70_000)}\n\n`, frame(5)),
    new Error('stopped'),
  ])
  assert.deepEqual(said.slice(0, 2), ['open', 'run-5'])
})

test('an event is read as type and object; anything else is none', () => {
  const event = { type: 'dev.mesh.runs.timed-out.v1', subject: '_/Tenant/a/b' }
  const read = { type: 'runs.timed-out', namespace: undefined, kind: 'Tenant', name: 'a/b' }
  assert.deepEqual(toLiveEvent(JSON.stringify(event)), read)
  for (const other of [
    '',
    '{',
    'null',
    '7',
    '{"type":7}',
    '{"type":"dev.mesh.runs.created.v1"}',
    '{"type":"com.acme.x.y.v1"}',
  ])
    assert.equal(toLiveEvent(other), undefined, other)
})

test('the console follows types that plugins declare and callers may see', () => {
  const declared = new Map(plugins.flatMap(({ events = [] }) => events.map((one) => [one.type, one] as const)))
  const own = followedTypes.filter((type) => !type.startsWith('dev.mesh.cluster.'))
  assert.ok(own.length > 20)
  for (const type of own) assert.ok(declared.get(type) !== undefined && declared.get(type)?.seenBy !== 'none', type)
  // The limit of the parameter.
  assert.ok(followedTypes.join(',').length <= 2_048)
})

const event = (type: string, kind: string, name: string) => ({ type, namespace: 'demo', kind, name })
const staleOf = (one: ReturnType<typeof event>, queryKey: readonly unknown[]): boolean =>
  staleKeysOf(one).some((key) => isStale(queryKey, key))

test('what a page of a kind shows is read again after a gap', () => {
  const entries = globSync('plugins/*/console/**/page.ts', { cwd: root })
  const paths = entries.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/^ +api: \['(\w+)'\]/gm)])
  assert.ok(paths.length > 4)
  for (const [, path = ''] of paths)
    assert.ok(
      allStale.some((key) => isStale([path, {}], key)),
      path,
    )
})

test('a status is asked for often until it is settled', () => {
  const now = Date.parse('2026-11-24T08:10:00Z')
  const of = (status: string | undefined, more: object = {}) => {
    const conditions = status === undefined ? [] : [{ type: 'Ready', status, observedGeneration: 2 }]
    const metadata = { name: 'a', creationTimestamp: '2026-11-24T08:00:00Z', generation: 2, ...more }
    return isSettled({ metadata, status: { conditions } } as never, now)
  }
  assert.deepEqual([of('True'), of(undefined)], [true, true])
  assert.deepEqual([of('False'), of('Unknown'), of('True', { generation: 3 })], [false, false, false])
  assert.equal(of(undefined, { creationTimestamp: '2026-11-24T08:09:30Z' }), false, 'it was just created')
  assert.equal(of(undefined, { creationTimestamp: 'x' }), false)
  assert.equal(of('True', { deletionTimestamp: '2026-11-24T08:09:30Z' }), false)
})

test('an event makes its object and the lists with it stale, and no other object', () => {
  const run = event('runs.succeeded', 'Run', 'a')
  for (const key of [
    ['runs', {}],
    ['runs', 'stats', {}],
    ['runs', 'a', {}],
    ['runs', 'a', 'tree', {}],
    ['summary', {}],
  ])
    assert.ok(staleOf(run, key), JSON.stringify(key))
  for (const key of [['runs', 'b', {}], ['cost', {}], ['capabilities', {}], [{}], []])
    assert.ok(!staleOf(run, key), JSON.stringify(key))
  assert.ok(staleOf(event('cluster.updated', 'GuardrailPolicy', 'pii'), ['guardrailpolicies', 'demo', 'pii', {}]))
  assert.ok(staleOf(event('cluster.created', 'ModelProvider', 'x'), ['providers', {}]))
  assert.ok(staleOf(event('cluster.updated', 'McpServer', 'x'), ['topology', {}]))
  const call = event('providers.model-call-metered', 'Run', 'x')
  assert.ok(staleOf(call, ['providers', {}]))
  assert.ok(!staleOf(call, ['providers', 'x', 'models', {}]), 'the provider is not asked for its models')
  // As the subject of an event names the kind.
  const agent = event('cluster.updated', 'AgentDeployment', 'a')
  for (const key of [
    ['agents', {}],
    ['agents', 'demo', 'a', 'versions', {}],
    ['summary', {}],
  ])
    assert.ok(staleOf(agent, key), JSON.stringify(key))
  assert.ok(!staleOf(agent, ['agents', 'demo', 'b', {}]))
  assert.ok(staleOf(run, ['agents', 'demo', 'b', 'runs', {}]))
  assert.deepEqual(staleKeysOf(event('__proto__', 'Run', 'a')), [])
  assert.ok(allStale.some((key) => isStale(['agents', 'demo', 'b', 'versions', {}], key)))
})

test('a thousand events refresh a list at once, and then once in its time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reported: string[] = []
  const queue = createStaleQueue(({ path }) => reported.push(path.join('/')))
  const key = (name: string): StaleKey => ({ path: [name], isList: true, everyMs: 30 })
  for (let index = 0; index < 1_000; index += 1) queue.add([key('runs'), key('agents')])
  assert.deepEqual(reported, ['runs', 'agents'])
  for (let ticks = 0; ticks < 5; ticks += 1) t.mock.timers.tick(30)
  assert.deepEqual(reported, ['runs', 'agents', 'runs', 'agents'])
  queue.add([key('runs')])
  queue.add([key('runs')])
  queue.stop()
  t.mock.timers.tick(60)
  assert.equal(reported.length, 5)
})
