import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { readSettings } from '#core/config/settings.ts'
import type { Role } from '#core/config/profile.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type {
  BffContext,
  ConsumerContext,
  GatewayContext,
  ManagerContext,
  StateContext,
  WorkerContext,
} from '#core/plugin/role-contexts.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import { coreInformers } from '#core/plugin/access-of-plugins.ts'
import { absentStore } from '../load/unconfigured-store.ts'
import type { Platform } from '../platform/platform.ts'
import { createHost } from '../process/host.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'

// Types: the contexts of roles that act for callers have no system reads, those of the others do.
type Has<Context> = 'system' extends keyof Context ? true : false
const has: readonly [Has<BffContext>, Has<GatewayContext>] = [false, false]
const lacks: readonly [Has<WorkerContext>, Has<ConsumerContext>, Has<ManagerContext>, Has<StateContext>] = [
  true,
  true,
  true,
  true,
]

const none = Type.Object({})
// Jobs and reconcilers receive it, none calls it here.
const ownCluster = {} as KubeClient
const ledger = definePlugin({
  contract: 1,
  name: 'ledger',
  settings: Type.Object({ wired: Type.Boolean({ default: true }) }),
  wiring: ({ wired }) => (wired ? 'ready' : 'unwired'),
  create: () => ({ entries: ['one'] }),
  api: () => ({ proofNeeded: true }),
  system: ({ entries }) => ({ all: (): readonly string[] => entries }),
})

test('system: worker, manager and state role read a need without a proof, typed; BFF and gateway cannot', async (t) => {
  assert.deepEqual(
    [has, lacks],
    [
      [false, false],
      [true, true, true, true],
    ],
  )
  const read: string[] = []
  const reader = definePlugin({
    contract: 1,
    name: 'reader',
    settings: none,
    needs: { ledger },
    create: () => ({}),
    jobs: (_services, context) => {
      const entries: readonly string[] = context.system(ledger).all()
      read.push(`${context.role} job ${entries.join()}`)
      return []
    },
    consumers: (_services, context) => {
      read.push(`consumer ${context.system(ledger).all().join()}`)
      return []
    },
    reconcilers: (_services, { system }) => {
      read.push(`reconciler ${system(ledger).all().join()}`)
      return []
    },
    stateRoutes: (_services, state) => {
      read.push(`state ${state.system(ledger).all().join()}`)
      return []
    },
    routes: (_services, bff) => {
      read.push(`bff ${'system' in bff}`)
      return []
    },
    gatewayRoutes: (_services, gateway) => {
      read.push(`gateway ${'system' in gateway}`)
      return []
    },
  })
  await started(t, ['bff', 'gateway', 'state', 'worker', 'manager'], [ledger, reader])
  assert.deepEqual(
    new Set(read),
    new Set([
      'worker job one',
      'manager job one',
      'state job one',
      'consumer one',
      'reconciler one',
      'state one',
      'bff false',
      'gateway false',
    ]),
  )
})

test('system: only needs are readable, and an optional one only while it is available', async (t) => {
  const asking = (needs: AnyPlugin['needs'], jobs: AnyPlugin['jobs']): AnyPlugin =>
    definePlugin({
      contract: 1,
      name: 'reader',
      settings: none,
      needs: needs ?? {},
      create: () => ({}),
      ...(jobs && { jobs }),
    })
  const plain = asking({}, (_services, context) => {
    context.system(ledger)
    return []
  })
  await assert.rejects(
    started(t, ['worker'], [ledger, plain]),
    /plugin reader: system reads of ledger: ledger is not among its needs/,
  )
  const found: unknown[] = []
  const careful = asking({ ledger: optional(ledger) }, (_services, context) => {
    found.push(context.system(optional(ledger))?.all())
    return []
  })
  await started(t, ['worker'], [ledger, careful])
  await started(t, ['worker'], [ledger, careful], 'ledger: {wired: false}')
  await started(t, ['worker'], [careful])
  assert.deepEqual(found, [['one'], undefined, undefined])
  const careless = asking({ ledger: optional(ledger) }, (_services, context) => {
    context.system(ledger)
    return []
  })
  await assert.rejects(
    started(t, ['worker'], [ledger, careless], 'ledger: {wired: false}'),
    /plugin reader: system reads of ledger: ledger is not available; use optional\(ledger\)/,
  )
})

test('R2-C2: the manager follows namespaces with no plugin at all, and once if a plugin declares them, too', async (t) => {
  const watched: (readonly string[])[] = []
  const namespaces = { ...ledger, informers: coreInformers }
  for (const plugins of [[], [namespaces]])
    await started(t, ['manager'], plugins, {
      onInform: (informers) => watched.push(informers.map(({ resourceKind }) => resourceKind)),
    })
  assert.deepEqual(watched, [['Namespace'], ['Namespace']])
})

test('jobs: the role is that of the context, and an invalid expression fails the boot with plugin and job', async (t) => {
  const ran: string[] = []
  const both = definePlugin({
    contract: 1,
    name: 'both',
    settings: none,
    create: () => ({}),
    jobs: (_services, context) => {
      const where = context.role === 'worker' ? 'worker' : `${context.role} ${context.cluster === ownCluster}`
      return [{ name: 'both.job', leaderOnly: false, every: 60_000, run: async () => void ran.push(where) }]
    },
  })
  await started(t, ['worker', 'manager', 'state'], [both])
  assert.deepEqual(ran.toSorted(), ['manager true', 'state true', 'worker'])
  const broken = definePlugin({
    contract: 1,
    name: 'broken',
    settings: none,
    create: () => ({}),
    jobs: () => [{ name: 'broken.report', leaderOnly: true, cron: '61 * * * *', run: async () => undefined }],
  })
  for (const role of ['worker', 'manager', 'state'] as const)
    await assert.rejects(started(t, [role], [broken]), {
      name: 'BootError',
      message: /^plugin broken: jobs failed: job broken\.report: cron "61 \* \* \* \*": .*minute: 61/,
    })
})

async function started(
  t: TestContext,
  roles: readonly Role[],
  plugins: readonly AnyPlugin[],
  given: string | { readonly onInform: (informers: readonly Informer[]) => void } = '',
): Promise<void> {
  const { yaml, onInform } =
    typeof given === 'string' ? { yaml: given, onInform: () => undefined } : { yaml: '', ...given }
  const open = standalonePlatform()
  const identity = { cluster: ownCluster } as unknown as OwnIdentity
  const host = createHost({
    roles,
    plugins,
    settings: readSettings(bareSettings(yaml), {}, plugins),
    openPlatform: async (needs) => {
      const platform = await open(needs)
      const inform: Platform['inform'] = (informers, signal) => {
        onInform(informers)
        return platform.inform(informers, signal)
      }
      return { ...platform, identity, inform, ...(needs.role === 'manager' ? { store: absentStore } : {}) }
    },
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
  })
  t.after(() => host.close())
  await host.start()
}
