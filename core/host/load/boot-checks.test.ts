import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { Role } from '#core/config/profile.ts'
import { readSettings } from '#core/config/settings.ts'
import { defineErrors } from '#core/errors/define-errors.ts'
import type { ErrorTable } from '#core/errors/define-errors.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { contribute, definePoint } from '#core/jobs/extension-point.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { relayName } from '#core/messaging/relay-cursor.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { createHost } from '../process/host.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'
import { checkPlugins } from './check-plugins.ts'

const added = defineEvent({ plugin: 'one', fact: 'added', summary: 'x', data: Type.Object({}) })

function plugin(name: string, more: Partial<AnyPlugin> = {}): AnyPlugin {
  return { contract: 1, name, settings: Type.Object({}), create: () => ({}), ...more }
}

function projection(name: string, table: string): Projection {
  return { name, version: 1, tables: [table], types: [added], apply: async () => undefined }
}

const consumer = (name: string) => on(name, [added], { order: 'none', from: 'now' }, async () => undefined)
const job = (name: string): Job => ({
  name,
  leaderOnly: true,
  run: async () => undefined,
})

async function refused(
  t: TestContext,
  message: RegExp | string,
  plugins: readonly AnyPlugin[],
  { role = 'bff', thirdParty = [] }: { readonly role?: Role; readonly thirdParty?: readonly string[] } = {},
): Promise<void> {
  const host = createHost({
    roles: [role],
    plugins,
    settings: readSettings(bareSettings(), {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
    thirdParty: new Set(thirdParty),
  })
  t.after(() => host.close())
  await assert.rejects(host.start(), { name: 'BootError', message })
}

test('CON5: two projections of one table or of one name end the start, naming both plugins', async (t) => {
  const one = plugin('one', { events: [added], projections: () => [projection('one.list', 'one_list')] })
  const claims = (claimed: Projection): AnyPlugin => plugin('two', { projections: () => [claimed] })
  await refused(t, 'plugin one and plugin two both declare the table of a projection one_list', [
    one,
    claims(projection('two.list', 'one_list')),
  ])
  await refused(t, 'plugin one and plugin two both declare the projection one.list', [
    one,
    claims(projection('one.list', 'two_list')),
  ])
  await refused(
    t,
    'plugin two: the table audit_log of its projection two.list must be named x_two_...',
    [one, claims(projection('two.list', 'audit_log'))],
    { thirdParty: ['two'] },
  )
})

test('CON6: two consumers or two jobs of one name end the start, naming both plugins or core', async (t) => {
  const one = plugin('one', {
    events: [added],
    consumers: () => [consumer('one.count')],
    jobs: () => [job('one.tidy')],
  })
  const both = async (message: string, more: Partial<AnyPlugin>): Promise<void> =>
    refused(t, message, [one, plugin('two', more)], { role: 'worker' })
  await both('plugin one and plugin two both declare the consumer one.count', {
    consumers: () => [consumer('one.count')],
  })
  await both('plugin two declares the consumer two.a twice', {
    consumers: () => [consumer('two.a'), consumer('two.a')],
  })
  await both('core and plugin two both declare the consumer cluster.reported-objects', {
    consumers: () => [consumer('cluster.reported-objects')],
  })
  await both(`core and plugin two both declare the consumer ${relayName}`, { consumers: () => [consumer(relayName)] })
  await both('plugin one and plugin two both declare the job one.tidy', { jobs: () => [job('one.tidy')] })
  await both(`core and plugin two both declare the job ${relayName}`, { jobs: () => [job(relayName)] })
})

test('CON6: a contribution to a point that no plugin declares ends the start, naming plugin and point', async (t) => {
  const gates = definePoint<string>('one.gates')
  const one = plugin('one', { points: [gates] })
  const giving = (name: string) => plugin('two', { contributions: () => [contribute(definePoint(name), 'x')] })
  await refused(t, 'plugin two contributes to the point one.gate, which no plugin declares; did you mean one.gates?', [
    one,
    giving('one.gate'),
  ])
  await refused(t, /^plugin two contributes to the point one\.gates, which no plugin declares$/, [giving('one.gates')])
  assert.throws(() => checkPlugins([plugin('two', { points: [gates] })], []), {
    message: 'plugin two: the name of its point one.gates must begin with its own',
  })
  assert.throws(() => checkPlugins([plugin('one', { points: [gates, gates] })], []), {
    message: 'plugin one declares the point one.gates twice',
  })
})

test('CON6: two values of one key at a point with keys end the start, naming both plugins', async (t) => {
  const kinds = definePoint<{ readonly kind: string }>('one.kinds', ({ kind }) => kind)
  const giving = (name: string, kind: string) => plugin(name, { contributions: () => [contribute(kinds, { kind })] })
  await refused(t, 'plugin two and plugin three both declare the one.kinds export', [
    plugin('one', { points: [kinds] }),
    giving('two', 'export'),
    giving('other', 'import'),
    giving('three', 'export'),
  ])
})

test('CON6: a plugin with the name of a core setting ends the start', () => {
  for (const name of ['listen', 'limits', 'cluster', 'plugins'])
    assert.throws(() => checkPlugins([plugin(name)], []), {
      name: 'BootError',
      message: `plugin ${name} has the name of the core setting ${name}; it needs another one`,
    })
  checkPlugins([plugin('one'), plugin('constructor')], [])
})

test('an error code of two plugins, one of core, and an invalid error end the start', () => {
  const errors = defineErrors({ too_cold: { status: 409, title: 'It is too cold.' } })
  const one = plugin('one', { errors })
  assert.throws(() => checkPlugins([one, plugin('two', { errors })], []), {
    name: 'BootError',
    message: 'plugin one and plugin two both declare the error too_cold',
  })
  const forbidden = defineErrors({ forbidden: { status: 400, title: 'x' } })
  assert.throws(() => checkPlugins([one, plugin('two', { errors: forbidden })], []), {
    message: 'core and plugin two both declare the error forbidden',
  })
  const definition = errors.too_cold
  const wrong: readonly (readonly [ErrorTable, RegExp])[] = [
    [{ warm: { ...definition, code: 'warm', status: 200 } }, /^plugin two: its error warm: the status must be/],
    [{ warm: definition }, /^plugin two: its error warm: it must be created by defineErrors$/],
    [{ warm: undefined } as object as ErrorTable, /must be created by defineErrors/],
  ]
  for (const [table, message] of wrong)
    assert.throws(() => checkPlugins([one, plugin('two', { errors: table })], []), { message })
})

test('CON7: an event that feeds a projection or a consumer, and that no plugin declares, ends the start', async (t) => {
  await refused(
    t,
    'plugin one: the event dev.mesh.one.added.v1, which feeds its projection one.list, is declared by no plugin; list it in `events`',
    [plugin('one', { projections: () => [projection('one.list', 'one_list')] })],
  )
  await refused(
    t,
    'plugin one: the event dev.mesh.one.added.v1, which its consumer one.count reads, is declared by no plugin; list it in `events`',
    [plugin('one', { consumers: () => [consumer('one.count')] })],
    { role: 'worker' },
  )
  assert.throws(() => checkPlugins([plugin('one', { events: [added] }), plugin('two', { events: [added] })], []), {
    message: 'plugin one and plugin two both declare the event dev.mesh.one.added.v1',
  })
})

test('CON15: a slot that throws or returns no list names plugin and slot', async (t) => {
  const thrown = (): never => {
    throw new Error('boom')
  }
  // As untyped plugins do.
  const wrong = (slot: string, value: unknown): Partial<AnyPlugin> => ({ [slot]: () => value }) as Partial<AnyPlugin>
  const cases: readonly (readonly [string | RegExp, Partial<AnyPlugin>, Role?])[] = [
    ['plugin one: contributions failed: boom', { contributions: thrown }],
    ['plugin one: projections failed: boom', { projections: thrown }],
    ['plugin one: consumers failed: boom', { consumers: thrown }, 'worker'],
    ['plugin one: jobs failed: boom', { jobs: thrown }, 'worker'],
    ['plugin one: jobs must return a list', wrong('jobs', 5), 'worker'],
    ['plugin one: jobs returned a value that is not an object (at 0)', wrong('jobs', [undefined]), 'worker'],
    [/^plugin one: jobs failed: job a: run must be a function/, wrong('jobs', [{ name: 'a' }]), 'worker'],
    ['plugin one: consumers returned a value without name (at 1)', wrong('consumers', [consumer('a'), {}]), 'worker'],
    ['plugin one: projections returned a value without name (at 0)', wrong('projections', [undefined])],
    ['plugin one: contributions returned a value without point (at 0)', wrong('contributions', [null])],
    [
      'plugin one: projections returned a promise; it must return a list',
      wrong('projections', Promise.reject(new Error('x'))),
    ],
    ['plugin one: create returned no object; it must return the services of the plugin', wrong('create', undefined)],
  ]
  for (const [message, more, role = 'bff'] of cases)
    await refused(t, message, [plugin('one', { events: [added], ...more })], { role })
  const needed = plugin('one', { api: thrown })
  await refused(t, 'plugin one: api failed: boom', [needed, plugin('two', { needs: { one: needed } })])
})
