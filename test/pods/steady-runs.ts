import { setTimeout as sleep } from 'node:timers/promises'
import { terminalStates } from '#schemas/runs/run.ts'
import type { Scope } from '#test/harness/scope.ts'
import { at, until } from './api.ts'
import type { Api } from './api.ts'

/** Runs started one after another while the installation changes. */
export interface SteadyRuns {
  /** Ids of the accepted runs. */
  readonly accepted: readonly string[]
  /** Stops starting runs. Resolves with the state of each when all have ended. */
  ended(): Promise<ReadonlyMap<string, string>>
}

const retried: ReadonlySet<number> = new Set([429, 503])
const over: ReadonlySet<unknown> = new Set(terminalStates)

/** The agent of the runs, and the pause between them. */
interface Pace {
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly input: unknown
  readonly everyMs: number
}

const ofTeam: Pace = { agent: { namespace: 'team-a', name: 'hello' }, input: 'Hi', everyMs: 1_000 }

/** Starts runs of an agent, by default one of team-a's agent `hello` every second. */
export function startSteadyRuns(t: Scope, api: Api, { agent, input, everyMs }: Pace = ofTeam): SteadyRuns {
  const stopped = new AbortController()
  const accepted: string[] = []
  const one = async (): Promise<void> => {
    const { status, body } = await api('POST', '/api/runs', { agent, input })
    if (retried.has(status)) return
    const id = at(body, 'id')
    if (typeof id !== 'string') throw new Error(`a run was refused with ${status}: ${JSON.stringify(body)}`)
    accepted.push(id)
  }
  const loop = async (): Promise<void> => {
    for (; !stopped.signal.aborted; await sleep(everyMs)) await one()
  }
  const running = loop()
  // `ended` reports the failure.
  running.catch(() => undefined)
  t.after(() => stopped.abort())
  const stateOf = async (id: string): Promise<[string, string]> => {
    const read = () => api('GET', `/api/runs/${id}`)
    const run = await until(`run ${id} has ended`, read, (body) => over.has(at(body, 'state')))
    return [id, String(at(run, 'state'))]
  }
  return {
    accepted,
    ended: async () => {
      stopped.abort()
      await running
      return new Map(await Promise.all(accepted.map(stateOf)))
    },
  }
}
