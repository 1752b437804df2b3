import type { Access } from '#core/cluster/caller.ts'
import type { Call } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { RunDetail, RunsOfCallers } from '#plugins/runs/contract/api.ts'
import type { AgentPath } from '../card/read-agent.ts'
import { a2aErrors } from '../contract/errors.ts'
import type { A2aServices } from '../services/create-services.ts'
import type { StreamItem, A2aTask } from '../tasks/task.ts'

/** The HTTP call of a method. */
export type HttpCall = Call<AgentPath, unknown, unknown, Access<'create', 'agentdeployments/invoke'>>

/** Message formats of a version of the protocol. */
export interface Dialect {
  /** Response of `SendMessage`. */
  sent(task: A2aTask): unknown
  task(task: A2aTask): unknown
  item(item: StreamItem): unknown
  /** The agent card. */
  readonly isLegacy: boolean
}

/** A request of a method. */
export interface MethodCall {
  readonly services: A2aServices
  readonly runs: RunsOfCallers
  readonly http: HttpCall
  readonly rpcId: string | number
  readonly params: unknown
  readonly dialect: Dialect
}

/** Returns the result of a request; undefined if the response was a stream. */
export type Method = (call: MethodCall) => Promise<unknown>

/** The run of a task of the agent in the path. Tasks of other agents, and invalid ids, are not found. */
export async function readTaskRun({ runs, http }: MethodCall, id: string): Promise<RunDetail> {
  const { caller, params } = http
  const run = await runs.get(caller, id).catch((error: unknown) => {
    throw error instanceof Fail && error.code === 'not_found' ? taskNotFound() : error
  })
  if (run.agent?.namespace !== params.ns || run.agent.name !== params.name) throw taskNotFound()
  return run
}

function taskNotFound(): Fail {
  return new Fail(a2aErrors.a2a_task_not_found)
}
