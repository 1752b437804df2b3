import { installationKeys } from '#plugins/runs/contract/wire.ts'
import type { LauncherPod } from './launcher-pod.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Pod } from '../../contract/listener.ts'
import { defineListener } from '../../contract/listener.ts'
import { shutdownReserveMs } from '../../settings/settings.ts'
import type { Settings } from '../../contract/settings/settings.ts'
import { createAuthorizer, unsigned } from './authorizer.ts'
import type { Authorizer } from './authorizer.ts'
import { createKeySet } from '../../contract/state/key-set.ts'
import { invokePort } from './port.ts'
import { probeHandlers } from './probes.ts'
import { runHandlers } from './run-handlers.ts'

/** Runs and probes: the port that workers and the kubelet use. */
export const invokeListener = defineListener<LauncherPod>({
  port: invokePort,
  wanted: () => true,
  start(pod) {
    const { registry, settings, supervision, health, log } = pod
    const probes = probeHandlers({
      health,
      alive: supervision.alive ?? (() => true),
      idle: registry.idle,
      idleMs: settings.graceMs - shutdownReserveMs,
      agentEnding: supervision.ending ?? (() => undefined),
      hookToken: settings.hookToken,
      log,
    })
    const runs = runHandlers({
      registry,
      authorizer: createAuthorizerOf(settings, pod, log),
      unsigned: settings.unsigned,
      agentRevision: settings.agent.revision,
      isCandidate: settings.agent.isCandidate,
      started: supervision.started,
    })
    return { listeners: [invokePort.serve({ ...probes, ...runs })] }
  },
})

function createAuthorizerOf(settings: Settings, { dispatcher }: Pod, log: Logger): Authorizer {
  if (settings.unsigned) {
    log.warn({}, 'MESH_UNSIGNED is set: runs are accepted without grant and attempt token')
    return unsigned
  }
  const { stateUrl = '' } = settings
  const keys = createKeySet({ stateUrl, path: installationKeys, dispatcher, now: () => performance.now() })
  return createAuthorizer({ agentUid: settings.agent.uid, keys, now: () => new Date(), log })
}
