import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addBudgetedAgent } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { bundleLauncher } from '../../../scripts/images/bundle.ts'
import { findServer } from '#test/harness/find-server.ts'
import { startRedis } from '#test/harness/redis.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startCountingGateway } from '../actors/counting-gateway.ts'
import { readCharges, readLedger, watchAccount } from '../actors/ledger-watch.ts'
import { startMoneyLauncher } from '../actors/money-launchers.ts'
import type { MoneyLauncher } from '../actors/money-launchers.ts'
import type { CaseResult, ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { NotHere } from '../run-case.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

const root = fileURLToPath(import.meta.resolve('../../../'))
const namespace = 'chaos-money'
// A call costs 1,000 micro-units: only output has a price.
const prices = { inputPerMillion: '0', outputPerMillion: '1000' }
const COST = 1_000n

/** Calls with money for a twentieth of them, while every process that money depends on is killed. */
export const chaosCase: ChaosCase = {
  ids: ['B1', 'B2', 'B5', 'B6'],
  title:
    'Launchers, state role, Redis and PostgreSQL are killed with -9 under concurrent calls: no budget is exceeded, no call is free, no place stays taken',
  counts: { short: 2, usual: 8, full: 40 },
  minutes: 2.5,
  run: async (scope, { count, seed, short, whole }) => {
    const world = await openWorld(scope, whole)
    const random = createRandom(seed)
    const rounds: Round[] = []
    // The first round has the extent of the requirement; the others put more kills into the moment while money is left.
    for (let fault = 0; fault < count; fault += 2)
      rounds.push(
        await playRound(scope, world, random, {
          name: `payer-${rounds.length}`,
          ...(fault === 0 && !short
            ? { launchers: 20, calls: 10_000 }
            : { launchers: short ? 2 : 4, calls: short ? 200 : 1_000 }),
        }),
      )
    return judge(world, rounds)
  },
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld(scope: Scope, whole: Scope) {
  if (findServer('redis-server') === undefined) throw new NotHere('redis-server is not installed')
  const stage = await sharedStage(whole)
  const redis = await startRedis(scope)
  const yaml = `${settings}budgets:\n  holdLease: 5\nredisUrl: ${redis.url}\n`
  const state = await stage.add(scope, 'state-money', 'state', yaml)
  const gateway = await startCountingGateway(scope, 30)
  const bundle = join(stage.folder, 'launcher.mjs')
  await bundleLauncher(root, bundle)
  await apply(stage.admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await apply(stage.admin, {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelRoute',
    metadata: { name: 'counted', namespace },
    spec: { providerRef: { name: 'mock' }, model: 'm', prices },
  })
  // Its limits are never reached, but each call takes a place.
  await apply(stage.admin, {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'Tenant',
    metadata: { name: namespace },
    spec: { namespaces: [namespace], quota: { concurrency: 100_000 } },
  })
  return { stage, redis, state, gateway, bundle }
}

interface Round {
  readonly uid: string
  readonly limit: bigint
  readonly statuses: ReadonlyMap<number, number>
  readonly watched: { readonly samples: number; readonly overspent: number }
  readonly recoveryMs: readonly number[]
}

async function playRound(
  scope: Scope,
  world: World,
  random: Random,
  { name, launchers: many, calls }: { readonly name: string; readonly launchers: number; readonly calls: number },
): Promise<Round> {
  const { stage, gateway, bundle } = world
  const limit = (BigInt(calls) / 20n) * COST
  const budget = { amount: String(Number(limit) / 1e6), window: 'total' }
  const { uid, token } = await addBudgetedAgent(stage.admin, namespace, name, budget)
  const agent = { namespace, name, uid, token }
  const place = { folder: stage.folder, bundle, stateUrl: stage.stateUrl, gatewayUrl: gateway.url, agent }
  const launchers = await Promise.all(
    Array.from({ length: many }, (_, index) => startMoneyLauncher(scope, place, index)),
  )
  const watch = watchAccount(stage.database, `AgentDeployment/${uid}`, limit)
  const statuses = new Map<number, number>()
  const load = Promise.all(launchers.map((one) => callMany(one, calls / many, statuses)))
  const recoveryMs: number[] = []
  for (let fault = 0; fault < 2; fault++) {
    await random.instant(0, 400)
    recoveryMs.push(await killOne(world, launchers, random))
  }
  await load
  // Whatever is left is spent now: a limit that refused too much would show.
  await until('the money is used up', async () => {
    const answers = await Promise.all(launchers.map((one) => one.call()))
    return answers.every((status) => status === 402)
  })
  for (const one of launchers) await one.kill9()
  return { uid, limit, statuses, watched: await watch.stop(), recoveryMs }
}

async function callMany(launcher: MoneyLauncher, calls: number, statuses: Map<number, number>): Promise<void> {
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const status = await launcher.call()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
  )
}

// Resolves with the time until it worked again.
async function killOne(
  { stage, redis, state }: World,
  launchers: readonly MoneyLauncher[],
  random: Random,
): Promise<number> {
  const part = random.pick(['launcher', 'state', 'redis', 'postgres'] as const)
  const launcher = random.pick(launchers)
  if (part === 'launcher') {
    await launcher.kill9()
    return timed('a launcher serves again', () => launcher.start().then(() => true))
  }
  if (part === 'redis') {
    await redis.kill9()
    return timed('Redis serves again', () => redis.restart().then(() => true))
  }
  if (part === 'state') {
    await state.end('SIGKILL')
    state.start()
    return timed('the state role serves again', () => state.untilReady().then(() => true))
  }
  await stage.postgres.kill9()
  await stage.postgres.restart()
  return timed('the state role serves again', () => state.untilReady().then(() => true))
}

async function judge({ stage, gateway }: World, rounds: readonly Round[]): Promise<CaseResult> {
  const { database } = stage
  // Holds of killed launchers end with their lease, by the job of the worker.
  await until('every hold has ended', async () => {
    const ends = await Promise.all(rounds.map(({ uid }) => readLedger(database, `AgentDeployment/${uid}`)))
    return ends.every(({ held, inFlight }) => held === 0n && inFlight === 0)
  })
  let [free, over, used] = [0, 0, 0]
  for (const { uid, limit } of rounds) {
    const charges = await readCharges(database, uid)
    const { spent } = await readLedger(database, `AgentDeployment/${uid}`)
    const calls = [...charges.keys()].filter((id) => gateway.calls.has(id))
    free += calls.filter((id) => (charges.get(id)?.charged ?? 0n) < COST).length
    over += Math.max(0, calls.length - Number(limit / COST))
    over += spent > limit ? 1 : 0
    assert.equal(spent, limit, 'all of the money is used')
    used += calls.length
  }
  const twice = [...gateway.calls.values()].filter((times) => times > 1).length
  const sum = (pick: (one: Round) => number): number => rounds.reduce((all, one) => all + pick(one), 0)
  const total = (status: number): number => sum(({ statuses }) => statuses.get(status) ?? 0)
  return {
    faults: rounds.length * 2,
    lost: free + (gateway.calls.get('') ?? 0),
    duplicated: over + twice,
    unaccounted: sum(({ watched }) => watched.overspent),
    recoveryMs: rounds.flatMap(({ recoveryMs }) => recoveryMs),
    notes: [
      `${sum(({ statuses }) => [...statuses.values()].reduce((all, one) => all + one, 0))} calls with money for ${sum(({ limit }) => Number(limit / COST))}: ${used} reached the gateway; ${total(200)} answered, ${total(402)} refused as over budget, ${total(503)} without the store, ${total(429)} above the launcher's own bound, ${total(0)} cut`,
      `${sum(({ watched }) => watched.samples)} samples of the accounts, each within its limit`,
    ],
  }
}
