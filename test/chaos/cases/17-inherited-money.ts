import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Pool } from 'undici'
import { addRun } from '#plugins/budgets/testing/run-rows.ts'
import { addBudgetedAgent, tokenOf } from '#plugins/budgets/testing/state-role.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startCountingProvider } from '../actors/counting-provider.ts'
import { readCharges, readLedger, watchAccount } from '../actors/ledger-watch.ts'
import type { CaseResult, ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

const namespace = 'chaos-inherited'
// A call costs 1,000 micro-units: only output has a price.
const prices = { inputPerMillion: '0', outputPerMillion: '1000' }
const COST = 1_000n
const callers = 16

/** Calls of children without a limit, whose root has money for a quarter of them, while the gateway and PostgreSQL are killed. */
export const chaosCase: ChaosCase = {
  ids: ['B1', 'B2', 'B5'],
  title:
    'Gateway and PostgreSQL are killed with -9 under calls of child runs without a limit: the budget of the root is not exceeded, and no call is free',
  counts: { short: 2, usual: 6, full: 20 },
  minutes: 3,
  run: async (scope, { count, seed, short, whole }) => {
    const world = await openWorld(scope, whole)
    const random = createRandom(seed)
    const trees: Tree[] = []
    for (let fault = 0; fault < count; fault += 2)
      trees.push(await playTree(scope, world, random, { name: `root-${trees.length}`, calls: short ? 200 : 800 }))
    return judge(world, trees)
  },
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld(scope: Scope, whole: Scope) {
  const stage = await sharedStage(whole)
  const yaml = `${settings}outbound:\n  allow: ['127.0.0.0/8']\n`
  const gateway = await stage.add(scope, 'gateway-inherited', 'gateway', yaml)
  const provider = await startCountingProvider(scope, 20)
  await apply(stage.admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const route = { model: 'm', prices }
  await addRoute(stage.admin, namespace, 'counted', { provider: { type: 'openai', baseUrl: provider.url }, route })
  return { stage, gateway, provider }
}

interface Tree {
  readonly root: string
  readonly child: string
  readonly limit: bigint
  readonly statuses: ReadonlyMap<number, number>
  readonly watched: { readonly samples: number; readonly overspent: number }
  readonly recoveryMs: readonly number[]
}

async function playTree(
  scope: Scope,
  world: World,
  random: Random,
  { name, calls }: { readonly name: string; readonly calls: number },
): Promise<Tree> {
  const { database } = world.stage
  const limit = BigInt(calls / 4) * COST
  const made = await makeTree(world, name, limit)
  const child = createChild(scope, world, made)
  const watch = watchAccount(database, `AgentDeployment/${made.root}`, limit)
  const statuses = new Map<number, number>()
  let left = calls
  const call = async (): Promise<void> => {
    while (left-- > 0) {
      const status = await child.call()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const load = Promise.all(Array.from({ length: callers }, call))
  const recoveryMs: number[] = []
  for (let fault = 0; fault < 2; fault++) {
    await random.instant(0, 400)
    recoveryMs.push(await killOne(world, random))
  }
  await load
  // Whatever is left is spent now: a limit that refused too much would show.
  await until('the money is used up', async () => (await child.call()) === 402, 120_000)
  const watched = await watch.stop()
  return { root: made.root, child: made.child, limit, statuses, watched, recoveryMs }
}

interface MadeTree {
  readonly root: string
  readonly child: string
  readonly run: string
  readonly token: string
}

/** A root with a budget, and a run of a child without one below a run of it. */
async function makeTree({ stage }: World, name: string, limit: bigint): Promise<MadeTree> {
  const { admin, database } = stage
  const budget = { amount: String(Number(limit) / 1e6), window: 'total' }
  const root = await addBudgetedAgent(admin, namespace, name, budget)
  const child = await addBudgetedAgent(admin, namespace, `${name}-child`)
  const [rootRun, run] = [randomUUID(), randomUUID()]
  await addRun(database, { id: rootRun, agent: { namespace, name, uid: root.uid } })
  const agent = { namespace, name: `${name}-child`, uid: child.uid }
  await addRun(database, { id: run, agent, parent: rootRun, root: rootRun })
  return { root: root.uid, child: child.uid, run, token: await tokenOf(admin, namespace, agent.name, 'gateway') }
}

/** Calls the gateway as the pod of the child does. */
function createChild(scope: Scope, { stage }: World, { run, token }: MadeTree) {
  const pool = new Pool(stage.gatewayUrl, { connections: callers, pipelining: 1 })
  scope.after(() => pool.destroy())
  const body = JSON.stringify({ model: 'counted', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-mesh-run-id': run }
  return {
    /** Status of the answer; 0 without one. */
    call: async (): Promise<number> => {
      try {
        const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body })
        await answer.body.dump()
        return answer.statusCode
      } catch {
        return 0
      }
    },
  }
}

// Resolves with the time until it worked again.
async function killOne({ stage, gateway }: World, random: Random): Promise<number> {
  if (random.pick(['gateway', 'postgres'] as const) === 'gateway') {
    await gateway.end('SIGKILL')
    gateway.start()
  } else {
    await stage.postgres.kill9()
    await stage.postgres.restart()
  }
  return timed('the gateway serves again', () => gateway.untilReady().then(() => true))
}

async function judge({ stage, provider }: World, trees: readonly Tree[]): Promise<CaseResult> {
  const { database } = stage
  // In place of the minute after which the leases of a killed gateway end. The job of the worker charges their holds.
  await until('leases end', () => endLeases(stage, trees).then(() => true))
  await until('every hold has ended', async () => {
    const ends = await Promise.all(trees.map(({ root }) => readLedger(database, `AgentDeployment/${root}`)))
    return ends.every(({ held }) => held === 0n)
  })
  let [charged, over] = [0, 0]
  for (const { root, child, limit } of trees) {
    const { spent } = await readLedger(database, `AgentDeployment/${root}`)
    const holds = [...(await readCharges(database, child)).values()]
    charged += holds.filter((hold) => (hold.charged ?? 0n) >= COST).length
    over += spent > limit ? 1 : 0
    assert.equal(spent, limit, 'all of the money is used')
  }
  const sum = (pick: (one: Tree) => number): number => trees.reduce((all, one) => all + pick(one), 0)
  const total = (status: number): number => sum(({ statuses }) => statuses.get(status) ?? 0)
  return {
    faults: trees.length * 2,
    lost: Math.max(0, provider.seen.calls - charged),
    duplicated: over,
    unaccounted: sum(({ watched }) => watched.overspent),
    recoveryMs: trees.flatMap((one) => one.recoveryMs),
    notes: [
      `${provider.seen.calls} calls reached the provider, and ${charged} were charged; ${total(200)} answered, ${total(402)} refused as over budget, ${total(503)} without the store, ${total(0)} cut`,
      `${sum(({ watched }) => watched.samples)} samples of the accounts, each within its limit`,
    ],
  }
}

async function endLeases({ database }: World['stage'], trees: readonly Tree[]): Promise<void> {
  const children = trees.map(({ child }) => child)
  await sql`update budgets_holds set expires_at = clock_timestamp()
    where state = 'open' and agent_uid = any(${children}::text[])`.execute(database.root)
}
