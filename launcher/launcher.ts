import { hostname } from 'node:os'
import type { Logger } from '#core/log/logger.ts'
import { createOtlpExporter } from '#core/telemetry/otlp.ts'
import { createOtlpMetrics } from '#core/telemetry/otlp-metrics.ts'
import type { MetricPoint, OtlpMetrics } from '#core/telemetry/otlp-metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { AgentConfig } from './agent-config.ts'
import { createBuiltInAgent } from './agent/loop.ts'
import { createModelClient } from './agent/model-client.ts'
import { builtInTools } from './agent/built-in-tools.ts'
import { createDelegate, toAgentName } from './delegate/delegate.ts'
import type { Delegate } from './delegate/delegate.ts'
import { delegateTool } from './delegate/delegate-tool.ts'
import { delegateBodyLimit, delegateRoutes } from './delegate/routes.ts'
import { listen } from './http/listener.ts'
import type { Listener } from './http/listener.ts'
import { createUpstream } from './http/upstream.ts'
import type { Upstream } from './http/upstream.ts'
import { createAuthorizer, unsigned } from './invoke/authorizer.ts'
import type { Authorizer } from './invoke/authorizer.ts'
import { createHttpAgent } from './http-agent/http-agent.ts'
import { createKeySet } from './invoke/key-set.ts'
import { createRegistry } from './runs/run-registry.ts'
import type { RunRegistry } from './runs/run-registry.ts'
import { invokeBodyLimit, invokeRoutes } from './invoke/routes.ts'
import { probeRoutes } from './probe-routes.ts'
import type { Agent } from './runs/run-context.ts'
import { ConfigError } from './agent-config.ts'
import type { Settings } from './settings.ts'
import { createLoggedTracer } from './telemetry/logged-tracer.ts'
import { createLauncherMeter } from './telemetry/metrics.ts'
import type { LauncherMeter } from './telemetry/metrics.ts'

/** Milliseconds of the pod's grace period that are reserved for ending the agent and flushing. */
export const reserveMs = 5000

/** State and control of the agent's process. */
export interface Supervision {
  /** True if the agent answers now. */
  readonly ready: () => Promise<boolean>
  /** True once the agent has been ready. */
  readonly started: () => boolean
  /** Restarts the agent's process; absent if it is not a child process. */
  readonly restart?: () => Promise<void>
  /** Resolves with the exit code when the agent's process ends by itself; absent if it is not a child process. */
  readonly exited?: () => Promise<number | undefined>
  /** Reports a refused connection: no run starts until the agent is ready again. Absent for a child process, whose exit is reported. */
  readonly lost?: () => void
  /** Reports that the kubelet is about to end the agent: no run starts until it answers again. Absent for a child process. */
  readonly ending?: () => void
  /** Answer of the liveness probe of the agent's container; absent if it has none. */
  readonly alive?: () => boolean
}

/** A started launcher. */
export interface Launcher {
  readonly listeners: Readonly<Record<string, number>>
  readonly registry: RunRegistry
  /** Fails health and refuses new runs (P3). */
  drain(): void
  /** Sends the queued spans, then closes the listeners and connections. */
  close(): Promise<void>
}

/** Builds and starts the launcher's listeners; signals and exit codes belong to main.ts. */
export async function startLauncher(settings: Settings, log: Logger, supervision: Supervision): Promise<Launcher> {
  const upstream = createUpstream()
  const exporter =
    settings.otlpEndpoint === undefined
      ? undefined
      : createOtlpExporter({
          endpoint: settings.otlpEndpoint,
          headers: settings.otlpHeaders,
          resource: resourceOf(settings.agent),
          scope: 'mesh.launcher',
          dispatcher: upstream.dispatcher,
          log,
        })
  const tracer = createLoggedTracer(log, exporter)
  const meter = createLauncherMeter()
  const delegate = createDelegateOf(settings, upstream)
  const registry = createRegistry({
    agentName: settings.agent.name,
    agent: createAgent(settings, upstream, delegate, supervision),
    tracer,
    concurrency: settings.agent.limits.concurrency,
    timeoutMs: settings.agent.limits.timeoutMs,
    onEnd: meter.ended,
  })
  const metrics = pushMetrics(settings, upstream, log, () =>
    meter.collect({ active: registry.active().length, journalBytes: registry.bytes() }),
  )
  let draining = false
  const parts = {
    settings,
    log,
    registry,
    tracer,
    upstream,
    supervision,
    onRefusal: meter.refused,
    health: async () => !draining && supervision.ready(),
  }
  const delegation = delegate === undefined ? undefined : await listenForDelegation(parts, delegate)
  // Last: the kubelet starts the agent when this port answers, and all ports must be bound by then.
  const invoke = await listenForRuns(parts)
  return {
    listeners: { invoke: invoke.port, ...(delegation === undefined ? {} : { delegate: delegation.port }) },
    registry,
    drain() {
      draining = true
      registry.refuseNew()
      invoke.drain()
      delegation?.drain()
    },
    async close() {
      await Promise.all([exporter?.close(), metrics?.close()])
      await Promise.all([invoke.close(), delegation?.close()])
      await upstream.close()
    },
  }
}

interface Parts {
  readonly settings: Settings
  readonly log: Logger
  readonly registry: RunRegistry
  readonly tracer: Tracer
  readonly upstream: Upstream
  readonly supervision: Supervision
  readonly onRefusal: LauncherMeter['refused']
  readonly health: () => Promise<boolean>
}

function listenForRuns(parts: Parts): Promise<Listener> {
  const { settings, log, registry, upstream, supervision, onRefusal, health } = parts
  const authorizer = createAuthorizerOf(settings, upstream, log)
  return listen({
    name: 'invoke',
    bind: settings.bind,
    port: settings.ports('invoke'),
    hosts: settings.hosts,
    identity: settings.identity,
    bodyLimit: invokeBodyLimit,
    routes: [
      ...probeRoutes({
        alive: supervision.alive ?? (() => true),
        idle: registry.idle,
        idleMs: settings.graceMs - reserveMs,
        agentEnding: supervision.ending ?? (() => undefined),
      }),
      ...invokeRoutes({
        registry,
        authorizer,
        unsigned: settings.unsigned,
        agentRevision: settings.agent.revision,
        health,
        started: supervision.started,
      }),
    ],
    log,
    onRefusal,
  })
}

function listenForDelegation(
  { settings, log, registry, tracer, onRefusal }: Parts,
  delegate: Delegate,
): Promise<Listener> {
  return listen({
    name: 'delegate',
    bind: '127.0.0.1',
    port: settings.ports('delegate'),
    bodyLimit: delegateBodyLimit,
    routes: delegateRoutes({
      delegate,
      tracer,
      activeRuns: registry.active,
      emit: registry.emit,
      defaultTimeoutMs: settings.agent.limits.timeoutMs,
    }),
    log,
    onRefusal,
  })
}

function pushMetrics(
  { otlpEndpoint, otlpHeaders, agent }: Settings,
  { dispatcher }: Upstream,
  log: Logger,
  collect: () => readonly MetricPoint[],
): OtlpMetrics | undefined {
  if (otlpEndpoint === undefined) return undefined
  return createOtlpMetrics({
    endpoint: otlpEndpoint,
    headers: otlpHeaders,
    resource: resourceOf(agent),
    scope: 'mesh.launcher',
    dispatcher,
    log,
    collect,
  })
}

function createAuthorizerOf(settings: Settings, upstream: Upstream, log: Logger): Authorizer {
  if (settings.unsigned) {
    log.warn({}, 'MESH_UNSIGNED is set, runs are accepted without grant and attempt token')
    return unsigned
  }
  if (settings.stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and MESH_UNSIGNED is not true')
  const keys = createKeySet({
    stateUrl: settings.stateUrl,
    dispatcher: upstream.dispatcher,
    now: () => performance.now(),
  })
  return createAuthorizer({ agentUid: settings.agent.uid, keys, now: () => new Date(), log })
}

function createAgent(
  settings: Settings,
  upstream: Upstream,
  delegate: Delegate | undefined,
  { restart, exited, lost }: Supervision,
): Agent {
  const { agent: config, gatewayUrl, gatewayTokenFile, agentPort, cancelGraceMs } = settings
  const { dispatcher } = upstream
  if (!settings.builtIn)
    return createHttpAgent({
      port: agentPort,
      dispatcher,
      cancelGraceMs,
      ...(restart === undefined ? {} : { restart }),
      ...(exited === undefined ? {} : { exited }),
      ...(lost === undefined ? {} : { lost }),
    })
  if (gatewayUrl === undefined) throw new ConfigError('MODEL_GATEWAY_URL: is missing')
  const requestFields = config.model?.requestFields ?? {}
  const model = createModelClient({
    gatewayUrl,
    tokenFile: gatewayTokenFile,
    namespace: config.namespace,
    requestFields,
    dispatcher,
  })
  const delegation =
    delegate === undefined || config.delegates === undefined || config.delegates.length === 0
      ? []
      : [delegateTool(delegate, config.delegates, config.limits.timeoutMs)]
  return createBuiltInAgent({ config, model, tools: [...builtInTools(() => new Date()), ...delegation] })
}

function createDelegateOf(settings: Settings, { dispatcher }: Upstream): Delegate | undefined {
  if (settings.stateUrl === undefined) return undefined
  const { namespace, limits, delegates } = settings.agent
  return createDelegate({
    delegates: delegates?.map((one) => toAgentName(one, namespace)),
    stateUrl: settings.stateUrl,
    tokenFile: settings.stateTokenFile,
    namespace,
    maxDepth: limits.maxDelegationDepth,
    dispatcher,
  })
}

function resourceOf(agent: AgentConfig) {
  return {
    'service.name': agent.name,
    'service.namespace': agent.namespace,
    // Keeps the series of replicas apart.
    'service.instance.id': `${hostname()}/${process.pid}`,
    'mesh.agent.uid': agent.uid,
    ...(agent.revision === undefined ? {} : { 'mesh.agent.revision': agent.revision }),
  }
}
