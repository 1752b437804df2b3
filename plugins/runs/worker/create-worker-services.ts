import type { Static } from 'typebox'
import { Agent } from 'undici'
import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import { issuerOf } from '#core/signing/launcher-certificate.ts'
import { prepareChildRun, recheckRun, runReadiness } from '../contract/wire.ts'
import { createAttemptSigner, signAttempt } from '../grants/grants.ts'
import { isReason } from '../launchers/judge-readiness.ts'
import { runExecutor } from '../contract/points.ts'
import { queuePrepared } from '../prepared/queue.ts'
import { listSealed } from '../read/sealed-access.ts'
import { sealedSnapshot } from '../read/snapshot-run.ts'
import { checkRequest } from '../prepared/request.ts'
import { createStateQuestions } from './ask-state.ts'
import type { RunsServices } from '../services/create-services.ts'
import { runMetrics } from '../contract/metrics.ts'
import type { runsSettings } from '../contract/settings.ts'
import { readFormerKeys } from '../store/former-keys.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { WorkerServices } from './segment/worker-services.ts'
import { createLauncherClient } from './connections/launcher-client.ts'
import { createLauncherConnections } from './connections/launcher-connections.ts'
import { createLaunchers, launcherService, launchersOfRevision } from './connections/choose-launcher.ts'
import { traceparentBelow } from './run-span.ts'

const busyPatienceMs = 10_000
const retryMs = 5_000

const connecting = { connect: { timeout: 3_000 }, allowH2: false }

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
  const askState = createStateQuestions({ dispatcher, origin: () => core.urls.state, attemptOf })
  return {
    ...parts,
    log: core.log,
    tracer: core.tracer,
    executors: core.extensions(runExecutor),
    forExecutors: {
      embeddings: worker.embeddings,
      models: worker.models,
      objects: worker.objects,
      snapshot: (access, runId, most) => sealedSnapshot(parts, access, runId, most),
      list: (access, filter, page) => listSealed(parts, access, filter, page),
    },
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
    launchersOf(run, { grant, revision }, claim) {
      const { namespace, agent_name: name, agent_uid: uid } = run
      const attempt = createAttemptSigner(() => attemptOf(run, claim.epoch))
      const credentials = async () => ({
        grant: grant(),
        attempt: await attempt(),
        traceparent: traceparentBelow(run),
      })
      return createLaunchers({
        list: async () =>
          name === null || uid === null ? [] : launchersOfRevision(worker, launcherService(namespace, name), revision),
        connect: (at, isGone) =>
          createLauncherClient({
            dispatcher: connections.of(uid ?? ''),
            at,
            runId: run.id,
            credentials,
            isGone,
            revision: revision ?? undefined,
          }),
        isUnproven: () => connections.isUnproven(uid ?? ''),
        preferred: claim.launcher?.id,
      })
    },
    prepareChild: async (attempt, request) => {
      checkRequest(request)
      return askState(prepareChildRun, attempt, request)
    },
    recheck: (run, epoch) => askState(recheckRun, { run, epoch }),
    async readiness(run, epoch, signal) {
      const { outcome, reason } = await askState(runReadiness, { run, epoch, signal })
      if (!isReason(reason)) throw new Error('state role returned no reason for an agent')
      return { outcome, reason }
    },
  }
}
