import { Agent } from 'undici'
import type { WorkerContext } from '#core/host/contexts.ts'
import type { Core } from '#core/host/core.ts'
import { collect } from '#core/sse/exchange.ts'
import type { Store } from '#core/store/store.ts'
import { signAttempt } from '../grants.ts'
import type { Live } from '../live.ts'
import type { SelectedRun } from '../store/tables.ts'
import type { RunWriter } from '../write.ts'
import type { DriveServices } from './drive-services.ts'
import { createLauncherClient } from './launcher-client.ts'
import { traceparentBelow } from './run-span.ts'

// A place may come free at any moment.
const busyPatienceMs = 10_000

// One connection per event stream: the pool's cap would be the cap on runs, so there is none.
const connections = { connections: null, pipelining: 1, keepAliveTimeout: 30_000 }

/** What driving runs stands on in the worker role: the network to launchers and to the state role. */
export function createDriveServices(
  parts: { readonly core: Core; readonly store: Store; readonly live: Live; readonly writer: RunWriter },
  worker: WorkerContext,
  unreachableAfterMs: number,
): DriveServices & { close(): Promise<void> } {
  const { core } = parts
  const dispatcher = new Agent(connections)
  const attemptOf = (run: SelectedRun, epoch: number): string =>
    signAttempt(core.keys, { runId: run.id, agentUid: run.agent_uid ?? '', epoch }, core.now())
  return {
    ...parts,
    log: core.log,
    tracer: core.tracer,
    unreachableAfterMs,
    busyPatienceMs,
    close: () => dispatcher.destroy(),
    async launcherOf(run, grant, epoch) {
      if (run.agent_name === null || run.agent_uid === null) return undefined
      const origin = await worker.agentEndpoint({ namespace: run.namespace, name: run.agent_name, uid: run.agent_uid })
      const credentials = () => ({ grant, attempt: attemptOf(run, epoch), traceparent: traceparentBelow(run) })
      return origin === undefined ? undefined : createLauncherClient(dispatcher, origin, run.id, credentials)
    },
    async recheck(run, epoch) {
      const answer = await collect(dispatcher, {
        origin: core.urls.state,
        path: `/runs/${run.id}/recheck`,
        method: 'POST',
        headers: { 'x-mesh-run-attempt': attemptOf(run, epoch), 'content-type': 'application/json' },
        body: '{}',
        headersTimeout: 10_000,
        bodyTimeout: 10_000,
      })
      if (answer.status !== 200) throw new Error(`the state role answered ${answer.status} to a recheck`)
      return (JSON.parse(answer.body.toString()) as { allowed?: unknown }).allowed === true
    },
  }
}
