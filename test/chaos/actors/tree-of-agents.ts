import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { addRun } from '#plugins/budgets/testing/run-rows.ts'
import { addBudgetedAgent } from '#plugins/budgets/testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Stage } from '../stage/stage.ts'
import { startMoneyLauncher } from './money-launchers.ts'
import type { MoneyLauncher } from './money-launchers.ts'

/** A root with a budget, and runs of two other agents below a run of it. */
export interface AgentTree {
  /** Uids. */
  readonly root: string
  readonly children: readonly string[]
  /** Calls the gateway as the pod of a child without a limit does; the status of the answer, or 0 without one. */
  callGateway(): Promise<number>
  /** Of the child with its own limit, which is never reached. */
  readonly launcher: MoneyLauncher
}

/** What the tree is made of. */
export interface TreeOptions {
  readonly namespace: string
  readonly name: string
  /** Budget of the root in micro-units. */
  readonly limit: bigint
  /** File of the launcher. */
  readonly bundle: string
}

/** Creates agents and runs, and starts the launcher. The children call the route `counted`. */
export async function startTree(scope: Scope, stage: Stage, options: TreeOptions): Promise<AgentTree> {
  const { namespace, name, limit, bundle } = options
  const { admin, database } = stage
  const window = 'total'
  const root = await addBudgetedAgent(admin, namespace, name, { amount: String(Number(limit) / 1e6), window })
  const rootRun = randomUUID()
  await addRun(database, { id: rootRun, agent: { namespace, name, uid: root.uid } })
  const addChild = async (own: string, budget?: object) => {
    const { uid, token } = await addBudgetedAgent(admin, namespace, own, budget as never)
    const agent = { namespace, name: own, uid, token }
    const run = randomUUID()
    await addRun(database, { id: run, agent, parent: rootRun, root: rootRun })
    return { agent, run, gatewayToken: await tokenOf(admin, namespace, own, 'gateway') }
  }
  const direct = await addChild(`${name}-direct`)
  const limited = await addChild(`${name}-limited`, { amount: '1000', window })
  const { folder, stateUrl, gatewayUrl } = stage
  const place = { folder, bundle, stateUrl, gatewayUrl, agent: limited.agent, gatewayToken: limited.gatewayToken }
  return {
    root: root.uid,
    children: [direct.agent.uid, limited.agent.uid],
    callGateway: createCaller(scope, gatewayUrl, { run: direct.run, token: direct.gatewayToken }),
    launcher: await startMoneyLauncher(scope, place, 0),
  }
}

function createCaller(scope: Scope, url: string, { run, token }: { readonly run: string; readonly token: string }) {
  const pool = new Pool(url, { connections: 16, pipelining: 1 })
  scope.after(() => pool.destroy())
  const body = JSON.stringify({ model: 'counted', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-mesh-run-id': run }
  return async (): Promise<number> => {
    try {
      const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body })
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return 0
    }
  }
}
