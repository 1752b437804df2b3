import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import type { Scope } from '#test/harness/scope.ts'
import { bundleLauncher } from '../../../scripts/images/bundle.ts'
import { startCountingProvider } from '../actors/counting-provider.ts'
import { readCharges, readLedger, watchAccount } from '../actors/ledger-watch.ts'
import { startTree } from '../actors/tree-of-agents.ts'
import type { AgentTree } from '../actors/tree-of-agents.ts'
import type { CaseResult, ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

const root = fileURLToPath(import.meta.resolve('../../../'))
const namespace = 'chaos-inherited'
// A call costs 1,000 micro-units: only output has a price.
const prices = { inputPerMillion: '0', outputPerMillion: '1000' }
const COST = 1_000n
// The short form has the first three.
const parts = ['launcher', 'state', 'gateway', 'postgres'] as const

type Part = (typeof parts)[number]

/** Calls of children below a root with a budget, while every process that its money depends on is killed once in each tree. */
export const chaosCase: ChaosCase = {
  ids: ['B1', 'B2', 'B5'],
  title:
    'Launcher, state role, gateway and PostgreSQL are killed with -9 under calls of child runs, with a limit of their own and without: the budget of the root is not exceeded, and no call is free',
  counts: { short: 3, usual: 8, full: 40 },
  minutes: 6,
  run: async (scope, { count, seed, short, whole }) => {
    const world = await openWorld(scope, whole)
    const random = createRandom(seed)
    const trees: PlayedTree[] = []
    for (let left = count; left > 0; left -= parts.length) {
      const size = { name: `root-${trees.length}`, callers: short ? 4 : 8, calls: short ? 80 : 400 }
      trees.push(await playTree(scope, world, random, { ...size, faults: shuffled(parts.slice(0, left), random) }))
    }
    return judge(world, trees)
  },
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld(scope: Scope, whole: Scope) {
  const stage = await sharedStage(whole)
  const provider = await startCountingProvider(scope, 20)
  const bundle = join(stage.folder, 'launcher-inherited.mjs')
  await bundleLauncher(root, bundle)
  await apply(stage.admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const route = { model: 'm', prices }
  await addRoute(stage.admin, namespace, 'counted', { provider: { type: 'openai', baseUrl: provider.url }, route })
  const state = await stage.add(scope, 'state-inherited', 'state', settings)
  const yaml = `${settings}outbound:\n  allow: ['127.0.0.0/8']\n`
  const gateway = await stage.add(scope, 'gateway-inherited', 'gateway', yaml)
  return { stage, state, gateway, provider, bundle }
}

interface PlayedTree {
  readonly tree: AgentTree
  readonly limit: bigint
  readonly statuses: ReadonlyMap<number, number>
  readonly watched: { readonly samples: number; readonly overspent: number }
  readonly recoveryMs: readonly number[]
}

interface TreeSize {
  readonly name: string
  /** Of each child, one call after the other. */
  readonly callers: number
  /** Calls that the root has money for. */
  readonly calls: number
  readonly faults: readonly Part[]
}

async function playTree(
  scope: Scope,
  world: World,
  random: Random,
  { name, callers, calls, faults }: TreeSize,
): Promise<PlayedTree> {
  const { stage, provider, bundle } = world
  const limit = BigInt(calls) * COST
  const tree = await startTree(scope, stage, { namespace, name, limit, bundle })
  const watch = watchAccount(stage.database, `AgentDeployment/${tree.root}`, limit)
  const statuses = new Map<number, number>()
  const callUntilRefused = (call: () => Promise<number>): Promise<true> =>
    until(
      'the money is used up',
      async () => {
        const status = await call()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        return status === 402
      },
      300_000,
    )
  const ways = [tree.callGateway, tree.launcher.call]
  const load = Promise.all(ways.flatMap((call) => Array.from({ length: callers }, () => callUntilRefused(call))))
  // Awaited below; a kill may take longer than its failure.
  load.catch(() => undefined)
  const before = provider.calls()
  // A part of the money is left for calls that were cut before the provider, which are charged later.
  const share = Math.floor(calls / (faults.length + 2))
  const recoveryMs: number[] = []
  for (const [nth, part] of faults.entries()) {
    await Promise.race([provider.reached(before + nth * share + random.int(1, share)), load])
    // Calls under way stay so, and money is left for the next fault.
    provider.pause()
    recoveryMs.push(await kill(world, tree, part))
    provider.resume()
  }
  await load
  return { tree, limit, statuses, watched: await watch.stop(), recoveryMs }
}

function shuffled(given: readonly Part[], random: Random): readonly Part[] {
  return given
    .map((part) => ({ part, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ part }) => part)
}

// Resolves with the time until it worked again.
async function kill({ stage, state, gateway }: World, { launcher }: AgentTree, part: Part): Promise<number> {
  if (part === 'launcher') {
    await launcher.kill9()
    return timed('the launcher serves again', () => launcher.start().then(() => true))
  }
  if (part === 'postgres') {
    await stage.postgres.kill9()
    await stage.postgres.restart()
    return timed('both roles serve again', () =>
      Promise.all([state.untilReady(), gateway.untilReady()]).then(() => true),
    )
  }
  const role = part === 'state' ? state : gateway
  await role.end('SIGKILL')
  role.start()
  return timed(`${role.name} serves again`, () => role.untilReady().then(() => true))
}

async function judge({ stage, provider }: World, trees: readonly PlayedTree[]): Promise<CaseResult> {
  const { database } = stage
  // In place of the wait for the leases of what was killed. The job of the worker charges their holds.
  await until('leases end', () => endLeases(stage, trees).then(() => true))
  await until('every hold has ended', async () => {
    const ends = await Promise.all(trees.map(({ tree }) => readLedger(database, `AgentDeployment/${tree.root}`)))
    return ends.every(({ held }) => held === 0n)
  })
  let [charged, over] = [0, 0]
  for (const { tree, limit } of trees) {
    const { spent } = await readLedger(database, `AgentDeployment/${tree.root}`)
    for (const child of tree.children) {
      const holds = [...(await readCharges(database, child)).values()]
      charged += holds.filter((hold) => (hold.charged ?? 0n) >= COST).length
    }
    over += spent > limit ? 1 : 0
    assert.equal(spent, limit, 'all of the money is used')
  }
  const recoveryMs = trees.flatMap((one) => one.recoveryMs)
  const sum = (pick: (one: PlayedTree) => number): number => trees.reduce((all, one) => all + pick(one), 0)
  const total = (status: number): number => sum(({ statuses }) => statuses.get(status) ?? 0)
  return {
    faults: recoveryMs.length,
    lost: Math.max(0, provider.calls() - charged),
    duplicated: over,
    unaccounted: sum(({ watched }) => watched.overspent),
    recoveryMs,
    notes: [
      `${provider.calls()} calls reached the provider, and ${charged} were charged; ${total(200)} answered, ${total(402)} refused as over budget, ${total(503)} without the store, ${total(0)} cut`,
      `${sum(({ watched }) => watched.samples)} samples of the accounts, each within its limit`,
    ],
  }
}

async function endLeases({ database }: World['stage'], trees: readonly PlayedTree[]): Promise<void> {
  const children = trees.flatMap(({ tree }) => tree.children)
  await sql`update budgets_holds set expires_at = clock_timestamp()
    where state = 'open' and agent_uid = any(${children}::text[])`.execute(database.root)
}
