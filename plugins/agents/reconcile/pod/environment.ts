import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { HOOK_TOKEN_VARIABLE } from '#schemas/launcher/launcher.ts'
import { REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { workloadType } from '../owned/workload-type.ts'
import { CONFIG_FILE, MOUNTS } from '../../contract/image-layout.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'

/** One variable of a container, as in a Pod. */
export interface EnvironmentVariable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: unknown
}

/** Seconds between SIGTERM and SIGKILL. The launcher reserves five of them for its own shutdown (P3). */
export const GRACE_SECONDS = 30

/** Settings of the platform for one pod. */
export interface PodPlatform extends ReconcileSettings {
  /** Whether the launcher serves the agent's model calls on port 2996. */
  readonly modelProxy: boolean
  /** Further ports of the launcher, by plugins. */
  readonly ports: readonly PortName[]
  /** The launcher takes only runs that name its revision. Default: false. */
  readonly isCandidate?: boolean
  /** Token of the preStop hook: the launcher expects it, and the agent does not know it. */
  readonly hookToken: string
}

/**
 * Environment of the launcher, set by the platform only (F8). It excludes `runtime.env`: NODE_OPTIONS or LD_PRELOAD would run
 * code of the user in the process that holds the key.
 */
export function launcherEnvironment(agent: AgentDeploymentObject, settings: PodPlatform): EnvironmentVariable[] {
  const separate = workloadType(agent.spec) !== 'declarative'
  return [
    // First, since MESH_HOSTS refers to it.
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    variable('MESH_AGENT_CONFIG', `${MOUNTS.config}/${CONFIG_FILE}`),
    variable('MESH_HOSTS', [...serviceNames(agent), '$(POD_IP)'].join(',')),
    // Not part of the configuration, since its name is the hash of its content.
    {
      name: 'MESH_AGENT_REVISION',
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${REVISION_NUMBER_LABEL}']` } },
    },
    variable('MESH_GRACE_SECONDS', String(GRACE_SECONDS)),
    ...(settings.isCandidate === true ? [variable('MESH_AGENT_CANDIDATE', 'true')] : []),
    variable('STATE_URL', settings.stateUrl),
    variable('MESH_STATE_TOKEN_FILE', `${MOUNTS.launcherTokens}/state`),
    ...(separate ? [variable('MESH_AGENT_CONTAINER', 'true'), variable(HOOK_TOKEN_VARIABLE, settings.hookToken)] : []),
    ...contractVariables(agent, settings),
    ...backendVariables(settings),
    ...((agent.spec.registries ?? []).length === 0 ? [] : [port('ampInbound')]),
    ...(agent.spec.model === undefined ? [] : gatewayVariables(settings)),
    ...(agent.spec.model === undefined || !settings.modelProxy ? [] : [port('budget')]),
  ]
}

/** Environment of the agent: its address contract, then `runtime.env`, whose names `reservedVariable` has checked. */
export function agentEnvironment(agent: AgentDeploymentObject, settings: PodPlatform): EnvironmentVariable[] {
  const models = settings.modelProxy ? proxyVariables() : gatewayVariables(settings)
  const own = agent.spec.runtime?.env ?? []
  const collector = settings.ports.includes('otlpHttp') ? collectorVariables() : backendVariables(settings)
  return [
    ...contractVariables(agent, settings),
    // An agent may have its own collector.
    ...collector.filter(({ name }) => !own.some((one) => one.name === name)),
    ...(agent.spec.model === undefined ? [] : models),
    ...own,
  ]
}

/** Returns the first variable of `runtime.env` with a name that is reserved for the platform. */
export function reservedVariable(spec: AgentDeploymentSpec): string | undefined {
  return (spec.runtime?.env ?? []).map(({ name }) => name).find((name) => reservedNames.has(name))
}

/** Whether memory or knowledge is bound. */
export function hasMemory(spec: AgentDeploymentSpec): boolean {
  return spec.memory?.session !== undefined || spec.memory?.longTerm !== undefined || (spec.knowledge ?? []).length > 0
}

/** The names under which other pods reach the agent. */
export function serviceNames(agent: AgentDeploymentObject): string[] {
  const { name, namespace = '' } = agent.metadata
  return [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

// Addresses for agent and launcher, each only if the capability is configured.
function contractVariables(agent: AgentDeploymentObject, settings: PodPlatform): EnvironmentVariable[] {
  const { spec } = agent
  return [
    variable('AGENT_PORT', String(spec.runtime?.port ?? AGENT_DEFAULTS.port)),
    port('delegate'),
    ...settings.ports.map(port),
    ...memoryVariables(agent, settings),
    ...(hasToolBinding(spec) ? [port('discovery')] : []),
    ...registryVariables(agent),
  ]
}

function backendVariables({ otlpEndpoint }: ReconcileSettings): EnvironmentVariable[] {
  return otlpEndpoint === undefined ? [] : [variable('OTEL_EXPORTER_OTLP_ENDPOINT', otlpEndpoint)]
}

// Without the second variable, SDKs use different protocols.
function collectorVariables(): EnvironmentVariable[] {
  return [
    variable('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:$(${reservedPorts.otlpHttp.env})`),
    variable('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'),
  ]
}

// The launcher authenticates at the gateway, so that no call of a budgeted agent bypasses its budget.
function proxyVariables(): EnvironmentVariable[] {
  const { env } = reservedPorts.budget
  return [port('budget'), variable('MODEL_GATEWAY_URL', `http://127.0.0.1:$(${env})`)]
}

function gatewayVariables(settings: ReconcileSettings): EnvironmentVariable[] {
  return [
    variable('MODEL_GATEWAY_URL', settings.gatewayUrl),
    variable('MODEL_GATEWAY_TOKEN_FILE', `${MOUNTS.agentTokens}/gateway`),
  ]
}

function memoryVariables(agent: AgentDeploymentObject, settings: ReconcileSettings): EnvironmentVariable[] {
  if (!hasMemory(agent.spec)) return []
  const { namespace = '', name, uid = '' } = agent.metadata
  return [
    variable('MEMORY_BACKEND_ADDR', settings.stateUrl),
    variable('MEMORY_KEY_NAMESPACE', `${namespace}/${name}/${uid}`),
    port('memory'),
  ]
}

function registryVariables({ metadata, spec }: AgentDeploymentObject): EnvironmentVariable[] {
  const [registry] = spec.registries ?? []
  if (registry === undefined) return []
  const namespace = registry.namespace ?? metadata.namespace ?? ''
  return [variable('AGENT_REGISTRY_ID', `${namespace}/${registry.name}`), port('amp')]
}

function hasToolBinding(spec: AgentDeploymentSpec): boolean {
  return (spec.tools ?? []).some((tool) => (tool.bindingRef ?? tool.registryRef) !== undefined)
}

function port(name: PortName): EnvironmentVariable {
  const row = reservedPorts[name]
  return variable(row.env, String(row.port))
}

function variable(name: string, value: string): EnvironmentVariable {
  return { name, value }
}

const reservedNames: ReadonlySet<string> = new Set([
  ...Object.values(reservedPorts).map((row) => row.env),
  'AGENT_PORT',
  'AGENT_REGISTRY_ID',
  'MEMORY_BACKEND_ADDR',
  'MEMORY_KEY_NAMESPACE',
  'MESH_AGENT_CANDIDATE',
  'MESH_AGENT_CONFIG',
  'MESH_AGENT_CONTAINER',
  'MESH_AGENT_ENV_FILE',
  'MESH_AGENT_OUTPUT_FD',
  'MESH_AGENT_PROCESS',
  'MESH_AGENT_REVISION',
  'MESH_BIND',
  'MESH_GRACE_SECONDS',
  HOOK_TOKEN_VARIABLE,
  'MESH_HOSTS',
  'MESH_PARENT_PIPE_FD',
  'MESH_STATE_TOKEN_FILE',
  'MESH_UNSIGNED',
  'MODEL_GATEWAY_TOKEN_FILE',
  'MODEL_GATEWAY_URL',
  'POD_IP',
  'STATE_URL',
])
