import type { Logger } from '#core/log/logger.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import { builtInTools } from './agent/built-in-tools.ts'
import type { LoopParts } from './agent/loop.ts'
import { createAgent } from './create-agent.ts'
import { listen } from './http/listener.ts'
import type { Listener, ListenOptions } from './http/listener.ts'
import type { PortContract } from './contract/http/port.ts'
import { createUpstream } from './http/upstream.ts'
import { createIdentity } from './identity/identity.ts'
import type { Identity } from './contract/identity.ts'
import { requestCertificate } from './identity/request-certificate.ts'
import type { ListenerDefinition, StartedListener } from './contract/listener.ts'
import type { Health, LauncherPod } from './listeners/invoke/launcher-pod.ts'
import { listenerDefinitions } from './listener-definitions.ts'
import { createServices } from './create-services.ts'
import { createRegistry } from './runs/run-registry.ts'
import type { RunRegistry } from './runs/run-registry.ts'
import type { Settings } from './contract/settings/settings.ts'
import { createPodState } from './contract/state/pod-state.ts'
import { createTokenReader } from './contract/state/state-client.ts'
import type { Supervision } from './supervise/supervision.ts'
import { createTelemetry } from './telemetry/telemetry.ts'

/** A started launcher. */
export interface Launcher {
  readonly registry: RunRegistry
  /** Fails health and refuses new runs (P3). */
  drain(): void
  /** Resolves when no run and no model call is in progress. */
  idle(): Promise<void>
  /** Sends the queued spans, then closes the listeners and connections. */
  close(): Promise<void>
}

/** Builds and starts the launcher with its listeners; signals and exit codes belong to main.ts. */
export async function startLauncher(
  settings: Settings,
  log: Logger,
  supervision: Supervision,
  definitions: readonly ListenerDefinition<LauncherPod>[] = listenerDefinitions,
): Promise<Launcher> {
  const upstream = createUpstream()
  const { dispatcher } = upstream
  const identity = identityOf(settings, log)
  const telemetry = createTelemetry(settings, dispatcher, log)
  const { guarded: countFindings, recorded: countPart } = telemetry.meter
  const isRoot = (runId: string): boolean => registry.originOf(runId)?.rootRunId === runId
  const state = createPodState(settings, dispatcher)
  const services = createServices({ settings, log, dispatcher, state, identity, isRoot, countPart, countFindings })
  const { recorder, modelCalls } = services
  let parts: LoopParts = { tools: builtInTools(() => new Date()), turns: undefined }
  const registry = createRegistry({
    agentName: settings.agent.name,
    agent: createAgent({ settings, dispatcher, modelCalls }, supervision, () => parts),
    tracer: telemetry.tracer,
    concurrency: settings.agent.limits.concurrency,
    timeoutMs: settings.agent.limits.timeoutMs,
    guarded: services.isFiltered || settings.tools,
    onStart: (attempt, epoch) => recorder?.follow({ ...attempt, epoch }),
    onEnd: telemetry.meter.ended,
  })
  telemetry.pushMetrics(() => ({ active: registry.active().length, journalBytes: registry.bytes() }))
  let draining = false
  const { tracer, meter } = telemetry
  const health = async (): Promise<Health> => {
    if (draining) return 'draining'
    if (identity !== undefined && identity.signer() === undefined) return 'no_certificate'
    return (await supervision.ready()) ? 'ok' : 'agent_not_ready'
  }
  const shared = { settings, log, tracer, meter, registry, supervision, dispatcher, state, modelCalls, recorder }
  const pod: LauncherPod = { ...shared, identity, health }
  const started: StartedListener[] = []
  const open: Listener[] = []
  for (const definition of definitions) {
    if (!definition.wanted(settings)) continue
    const one = await definition.start(pod, [])
    started.push(one)
    parts = {
      tools: [...parts.tools, ...(one.tools ?? [])],
      boundTools: one.boundTools ?? parts.boundTools,
      turns: one.turns ?? parts.turns,
    }
    for (const served of one.listeners)
      open.push(await listen(served, { ...addressOf(settings, served.port, identity), log, onRefusal: meter.refused }))
  }
  return {
    registry,
    drain() {
      draining = true
      registry.refuseNew()
      for (const one of [...open, ...started]) one.drain?.()
    },
    async idle() {
      await registry.idle()
      await modelCalls?.idle()
    },
    async close() {
      // Settled before the spans are sent.
      await modelCalls?.stop()
      identity?.close()
      await recorder?.close()
      await telemetry.close()
      await Promise.all(open.map((one) => one.close()))
      await Promise.all(started.map((one) => one.close?.()))
      await upstream.close()
    },
  }
}

function identityOf({ unsigned, stateUrl, stateTokenFile }: Settings, log: Logger): Identity | undefined {
  if (unsigned || stateUrl === undefined) return undefined
  const token = createTokenReader(stateTokenFile)
  const request = async (x: string): Promise<string> => requestCertificate({ stateUrl, bearer: await token(), x })
  return createIdentity({ request, log })
}

function addressOf(
  settings: Settings,
  { name }: PortContract,
  identity: Identity | undefined,
): Pick<ListenOptions, 'address' | 'number' | 'hosts' | 'identity'> {
  const number = settings.ports(name)
  if (reservedPorts[name].bind === 'loopback') return { address: '127.0.0.1', number }
  const address = name === 'ampInbound' ? settings.podAddress : settings.bind
  return { address, number, hosts: settings.hosts, identity }
}
