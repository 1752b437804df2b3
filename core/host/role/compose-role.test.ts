import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import { Type } from 'typebox'
import { readSettings } from '#core/config/settings.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'
import { composeRole } from './compose-role.ts'
import { buildRole } from './role.ts'
import type { RoleInput } from './role-cradle.ts'

const plugin = (name: string, create: AnyPlugin['create'] = () => ({})) =>
  definePlugin({ contract: 1, name, settings: Type.Object({}), create })

function inputOf(ordered: readonly AnyPlugin[], opened: { closed: number } = { closed: 0 }): RoleInput {
  const open = standalonePlatform()
  const key = { id: 'a', key: createSecretKey(randomBytes(32)) }
  return {
    ordered,
    settings: readSettings(bareSettings(), {}, ordered),
    openPlatform: async (needs) => ({ ...(await open(needs)), close: async () => void (opened.closed += 1) }),
    log: createLogger({ level: 'error' }),
    metrics: createMetrics(),
    keys: { current: () => key, all: () => [key] } as never,
    now: () => new Date(),
    version: '1.2.3',
    urls: { bff: 'http://bff', gateway: 'http://gateway', state: 'http://state' },
    outbound: { allow: [] },
    coreEventTypes: [],
    thirdParty: new Set(),
    checkResponses: true,
  }
}

test('R2-HO-3: a role has these values, each made once, and no other; nothing of a request is among them', async () => {
  const cradle = await composeRole('worker', inputOf([plugin('one')]))
  assert.deepEqual(Object.keys(cradle).toSorted(), [
    'built',
    'calls',
    'checkResponses',
    'container',
    'core',
    'coreEventTypes',
    'declared',
    'eventTypes',
    'handlers',
    'hosts',
    'keys',
    'log',
    'metrics',
    'needs',
    'now',
    'openPlatform',
    'ordered',
    'outbound',
    'platform',
    'rebuild',
    'role',
    'settings',
    'signIn',
    'stop',
    'stores',
    'thirdParty',
    'tracer',
    'urls',
    'version',
    'wired',
  ])
  for (const name of ['core', 'handlers', 'stop', 'calls', 'needs', 'declared'] as const)
    assert.equal(cradle[name], cradle[name], name)
  assert.equal(cradle.tracer, undefined)
  assert.throws(() => (cradle as never as { readonly caller: unknown }).caller, /caller/)
})

test('R2-HO-3: two roles of a process share what they are given, and nothing that they make', async () => {
  const input = inputOf([plugin('one')])
  const [worker, bff] = [await composeRole('worker', input), await composeRole('bff', input)]
  assert.equal(worker.metrics, bff.metrics)
  for (const name of ['core', 'handlers', 'stop', 'calls', 'platform', 'container'] as const)
    assert.notEqual(worker[name], bff[name], name)
  assert.deepEqual([worker.core.role, bff.core.role], ['worker', 'bff'])
  assert.equal(bff.declared, undefined)
})

test('R2-HO-3: what is known later is refused before, by what it waits for', async () => {
  const early: string[] = []
  const note = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      early.push(String(error))
    }
  }
  const input = inputOf([plugin('one', (core) => (note(() => core.extensions({ name: 'x.y' } as never)), {}))])
  const cradle = await composeRole('worker', {
    ...input,
    openPlatform: async (needs) => {
      note(() => needs.projections())
      return input.openPlatform(needs)
    },
  })
  assert.deepEqual(early, [
    'Error: extensions are readable once every plugin is created',
    'Error: extensions are readable once every plugin is created',
  ])
  assert.deepEqual(cradle.needs.projections(), [])
  assert.deepEqual([...cradle.core.plugins().keys()], ['one'])
})

test('R2-HO-3: a role that cannot be composed closes its plugins in reverse order, then its platform', async () => {
  const closed: string[] = []
  const opened = {
    get closed() {
      return closed.filter((name) => name === 'platform').length
    },
    set closed(_: number) {
      closed.push('platform')
    },
  }
  const closing = (name: string) =>
    definePlugin({
      contract: 1,
      name,
      settings: Type.Object({}),
      create: () => ({}),
      close: async () => void closed.push(name),
    })
  const broken = plugin('broken', () => {
    throw new Error('no')
  })
  const plugins = [closing('one'), closing('two')]
  await assert.rejects(buildRole('worker', inputOf([...plugins, broken], opened)), /plugin broken: /)
  assert.deepEqual(closed.splice(0), ['two', 'one', 'platform'])
  const role = await buildRole('worker', inputOf(plugins, opened))
  await Promise.all([role.close(), role.close()])
  assert.deepEqual(closed, ['two', 'one', 'platform'])
})

test('R26-GW1: the gateway follows the kinds that plugins keep in its memory, and no other role does', async () => {
  const widgets = { group: 'acme.example', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true }
  const input = inputOf([{ ...plugin('one'), gatewayStores: [widgets] }])
  const followed: string[] = []
  const openPlatform: RoleInput['openPlatform'] = async (needs) => ({
    ...(await input.openPlatform(needs)),
    identity: { cluster: {} } as never,
    follow: ({ kinds }) => {
      followed.push(`${needs.role}: ${kinds.map(({ resource }) => resource.kind).join()}`)
      return { done: Promise.resolve() }
    },
  })
  for (const role of ['gateway', 'bff', 'state'] as const) {
    const built = await buildRole(role, { ...input, openPlatform })
    await built.start()
    await built.close()
  }
  assert.deepEqual(followed, ['gateway: Widget'])
})
