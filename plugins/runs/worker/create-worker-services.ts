import type { Static } from 'typebox'
import { Agent } from 'undici'
import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import { issuerOf } from '#core/signing/launcher-certificate.ts'
import { collect } from '#core/http-client/request.ts'
import { asObject } from '#core/json/is-object.ts'
import { createAttemptSigner, signAttempt } from '../grants/grants.ts'
import { isReason } from '../launchers/judge-readiness.ts'
import { runExecutor } from '../contract/points.ts'
import { queuePrepared } from '../prepared/queue.ts'
import type { RunsServices } from '../services/create-services.ts'
import { runMetrics } from '../contract/metrics.ts'
import type { runsSettings } from '../contract/settings.ts'
import { readFormerKeys } from '../store/former-keys.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { WorkerServices } from './segment/worker-services.ts'
import { StateUnavailable } from './segment/settle-failure.ts'
import { createLauncherClient } from './connections/launcher-client.ts'
import { createLauncherConnections } from './connections/launcher-connections.ts'
import { createLaunchers, launcherService } from './connections/choose-launcher.ts'
import { traceparentBelow } from './run-span.ts'

const busyPatienceMs = 10_000
const retryMs = 5_000

const connecting = { connect: { timeout: 3_000 }, allowH2: false }

/** A question to the state role about a run, proven by an attempt of it. */
interface StateQuestion {
  readonly method: 'GET' | 'POST'
  readonly about: 'recheck' | 'readiness'
  readonly body?: string
  readonly signal?: AbortSignal
}

/** Creates the services of the worker role, with connections to launchers and to the state role. */
export function createWorkerServices(
  parts: Pick<RunsServices, 'core' | 'store' | 'live' | 'writer' | 'settings' | 'refused'>,
  worker: WorkerContext,
  settings: Static<typeof runsSettings>,
): WorkerServices & { close(): Promise<void> } {
  const { core } = parts
  const faults = core.metrics.counter(runMetrics.faults)
  const dispatcher = new Agent(connecting)
  const unproven = core.metrics.counter(runMetrics.unproven)
  const connections = createLauncherConnections({
    issuer: issuerOf(core.keys, core.now),
    formerKeysOf: (agentUid) => readFormerKeys(parts.store.reader<RunsTables>(), agentUid),
    onUnproven: (agentUid, error) => {
      unproven.inc()
      core.log.warn({ agentUid, why: error.message }, 'launcher identity check failed')
    },
  })
  const attemptOf = (run: SelectedRun, epoch: number): Promise<string> =>
    signAttempt(core.keys, { runId: run.id, agentUid: run.agent_uid ?? '', epoch }, core.now())
  const askState = async (run: SelectedRun, epoch: number, { about, signal, ...asked }: StateQuestion) => {
    const request = {
      ...asked,
      origin: core.urls.state,
      path: `/runs/${run.id}/${about}`,
      headers: { 'x-mesh-run-attempt': await attemptOf(run, epoch), 'content-type': 'application/json' },
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    }
    const answer = await collect(dispatcher, { ...request, ...(signal ? { signal } : {}) }).catch((error: unknown) => {
      throw new StateUnavailable(`state role did not answer a ${about}`, { cause: error })
    })
    if (answer.status >= 500 || answer.status === 429)
      throw new StateUnavailable(`state role answered ${answer.status} to a ${about}`)
    if (answer.status !== 200) throw new Error(`state role answered ${answer.status} to a ${about}`)
    return asObject(JSON.parse(answer.body.toString()))
  }
  return {
    ...parts,
    log: core.log,
    tracer: core.tracer,
    executors: core.extensions(runExecutor),
    queueChild: (tx, prepared, parentRunId) => queuePrepared(parts, tx, prepared, { parentRunId }),
    unreachableAfterMs: settings.unreachableAfter * 1000,
    busyPatienceMs,
    cancelPatienceMs: settings.cancelTimeout * 1000,
    agentTimeoutMs: settings.agentTimeout * 1000,
    limits: settings,
    maxAttempts: settings.maxAttempts,
    retryMs,
    faulted: (cause) => faults.inc({ cause }),
    close: async () => {
      await Promise.all([dispatcher.destroy(), connections.close()])
    },
    launchersOf(run, grant, claim) {
      const { namespace, agent_name: name, agent_uid: uid } = run
      const attempt = createAttemptSigner(() => attemptOf(run, claim.epoch))
      const credentials = async () => ({
        grant: grant(),
        attempt: await attempt(),
        traceparent: traceparentBelow(run),
      })
      return createLaunchers({
        list: async () => (name === null || uid === null ? [] : worker.endpoints(launcherService(namespace, name))),
        connect: (at, isGone) =>
          createLauncherClient({ dispatcher: connections.of(uid ?? ''), at, runId: run.id, credentials, isGone }),
        isUnproven: () => connections.isUnproven(uid ?? ''),
        preferred: claim.launcher?.id,
      })
    },
    async recheck(run, epoch) {
      const { allowed, grant } = await askState(run, epoch, { method: 'POST', about: 'recheck', body: '{}' })
      return { allowed: allowed === true, ...(typeof grant === 'string' ? { grant } : {}) }
    },
    async readiness(run, epoch, signal) {
      const { outcome, reason } = await askState(run, epoch, { method: 'GET', about: 'readiness', signal })
      if (typeof reason !== 'string' || !isReason(reason)) throw new Error('state role named no reason of an agent')
      return { outcome: outcome === 'never' ? 'never' : 'waits', reason }
    },
  }
}
