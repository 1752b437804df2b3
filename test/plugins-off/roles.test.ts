import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { Role } from '#core/config/profile.ts'
import { readSettings } from '#core/config/settings.ts'
import { clusterEvents } from '#core/controllers/objects/object-events.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { absentStore } from '#core/host/load/unconfigured-store.ts'
import type { OpenPlatform } from '#core/host/platform/platform.ts'
import { createHost } from '#core/host/process/host.ts'
import type { Host } from '#core/host/process/host.ts'
import { bareSettings, standalonePlatform } from '#core/host/testing/standalone-platform.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { plugins } from '#plugins/index.ts'

const names = plugins.map(({ name }) => name)
const serving: readonly Role[] = ['state', 'manager', 'worker', 'gateway', 'bff']
const headers = { authorization: 'Bearer good-token' }

const identity: OwnIdentity = {
  cluster: new Proxy({} as OwnIdentity['cluster'], {
    get: () => async () => Promise.reject(new Error('the cluster is unreachable')),
  }),
  authenticate: async () => undefined,
  knows: () => false,
  excludes: () => false,
  subjectMay: async () => false,
}

interface Case {
  readonly roles: readonly Role[]
  readonly disabled?: readonly string[]
  readonly store?: boolean
  readonly profile?: string
}

/** A platform whose background work never begins: what starts is the role itself. */
function inertPlatform(hasStore: boolean): OpenPlatform {
  const open = standalonePlatform()
  return async (needs) => {
    const platform = await open(needs)
    const store = hasStore ? absentStore : undefined
    return { ...platform, identity, store, lead: (_name, _work, signal) => platform.inform([], signal).done }
  }
}

async function start(t: TestContext, { roles, disabled = [], store = true, profile = 'open' }: Case): Promise<Host> {
  const host = createHost({
    roles,
    plugins,
    settings: readSettings(bareSettings(`profile: ${profile}\ndisable: [${disabled.join(', ')}]`), {}, plugins),
    openPlatform: inertPlatform(store),
    keys: createKeyring({ generate: declareKeys(plugins, new Set()).types }),
    version: '0.0.0',
    coreEventTypes: clusterEvents,
    log: createLogger({ destination: { write: () => undefined } }),
  })
  t.after(() => host.close())
  await host.start()
  return host
}

test('R2-C2, R2-C4, R2-M2: each role starts with every plugin off alone, with all of them off, and without a store', async (t) => {
  const failed: string[] = []
  const tryIt = async (one: Case): Promise<void> => {
    const host = await start(t, one).catch((error: unknown) => void failed.push(`${JSON.stringify(one)}: ${error}`))
    await host?.close()
  }
  for (const role of serving) {
    for (const disabled of [...names.map((name) => [name]), names]) await tryIt({ roles: [role], disabled })
    for (const disabled of [[], names]) await tryIt({ roles: [role], disabled, store: false })
  }
  assert.deepEqual(failed, [])
})

test('R2-C4: with every plugin off each route is 501 and names the reason, and health is served', async (t) => {
  const host = await start(t, { roles: ['bff'], disabled: names })
  const ask = async (url: string) => host.app('bff')?.inject({ url, headers })
  assert.equal((await ask('/api/health'))?.statusCode, 200)
  for (const url of ['/api/agents', '/api/runs', '/api/namespaces', '/api/whoami', '/api/audit', '/api/events']) {
    const response = await ask(url)
    assert.equal(response?.statusCode, 501, url)
    assert.match(response?.json<{ detail: string }>().detail ?? '', /^The plugin [a-z0-9]+.* is disabled/, url)
  }
})

test('R2-M2: without a store what needs one is 501, and what does not is served', async (t) => {
  const host = await start(t, { roles: ['bff'], store: false })
  const ask = async (url: string) => (await host.app('bff')?.inject({ url, headers }))?.statusCode
  for (const url of ['/api/runs', '/api/feedback', '/api/cost', '/api/my/shares', '/api/audit'])
    assert.equal(await ask(url), 501, url)
  for (const url of ['/api/health', '/api/capabilities', '/api/recipes']) assert.equal(await ask(url), 200, url)
})

test('R2-C4: hardened starts with none of its plugins off, and without no store', async (t) => {
  const required = ['audit', 'budgets', 'guardrails', 'identity']
  for (const name of names) {
    const refused = start(t, { roles: ['worker'], disabled: [name], profile: 'hardened' })
    if (!required.includes(name)) await refused.then((host) => host.close())
    else
      await assert.rejects(refused, {
        name: 'SettingsError',
        message: `mesh.yaml:3:11: disable: the profile hardened does not start without the plugin ${name} (it needs ${required.join(', ')})`,
      })
  }
  await assert.rejects(start(t, { roles: ['gateway'], store: false, profile: 'hardened' }), {
    name: 'BootError',
    message: 'plugin budgets: the profile hardened does not start without it; it is unwired: no DATABASE_URL',
  })
  const none = (yaml: string, env = {}) => readSettings(bareSettings(yaml), env, plugins)
  assert.throws(() => none('profile: hardened\nstore: none'), {
    message: 'mesh.yaml:3:1: store: must not be none in the profile hardened',
  })
  assert.throws(() => none('profile: hardened', { MESH_STORE: 'none' }), {
    message: 'MESH_STORE: must not be none in the profile hardened',
  })
})
