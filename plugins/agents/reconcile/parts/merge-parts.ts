import type { ContributedValue } from '#core/jobs/extension-point.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { PLATFORM_VOLUMES, isAgentKeysName } from '#schemas/values/pod-limits.ts'
import { findPodProblems } from '#schemas/agents/pod-rules.ts'
import type { AddedPort, PodAddition, PodSidecar } from '../../contract/points.ts'
import { LAUNCHER_CONTAINER } from '../owned/names.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import { platformConditions } from '../conditions/part-condition.ts'
import type { PartCondition } from '../conditions/part-condition.ts'
import { validateSpec } from '../spec/validate-spec.ts'
import { workloadType } from '../owned/workload-type.ts'

/** An agent merged with the parts of all plugins. */
export interface MergedParts {
  /** The agent with the variables and volumes of the parts; used for its pods, never for a revision. */
  readonly agent: AgentDeploymentObject
  readonly sidecars: readonly PodSidecar[]
  /** Configuration for the launcher, by plugin. */
  readonly launcher: Readonly<Record<string, unknown>>
  /** Whether the launcher serves the agent's model calls. */
  readonly modelProxy: boolean
  /** Ports of the launcher that plugins add. */
  readonly ports: readonly AddedPort[]
  readonly conditions: readonly PartCondition[]
}

/** A claimed name, such as `variable CACHE_URL`, and its owner. */
type Claims = Map<string, string>

/** The agent without parts. */
export function withoutParts(agent: AgentDeploymentObject): MergedParts {
  return { agent, sidecars: [], launcher: {}, modelProxy: false, ports: [], conditions: [] }
}

/**
 * Adds the parts in load order, by the rules of `spec.pod` and `spec.runtime`. The first part that breaks a rule refuses the agent, with the name of
 * its plugin; a name with two owners is refused with both. Pure.
 */
export function mergeParts(
  agent: AgentDeploymentObject,
  parts: readonly ContributedValue<PodAddition>[],
  settings: ReconcileSettings,
): MergedParts | { readonly refusal: ConditionProblem } {
  const claims = claimsOf(agent)
  let merged = withoutParts(agent)
  for (const { plugin, value } of parts) {
    const problem = claim(claims, plugin, value) ?? sidecarProblem(value, merged.agent, settings)
    merged = add(merged, plugin, value)
    const broken = problem ?? validateSpec(merged.agent, settings)?.message
    if (broken !== undefined)
      return { refusal: { reason: 'PodPartRefused', message: `Plugin ${plugin}: ${broken}`.slice(0, 1024) } }
  }
  return merged
}

function add(merged: MergedParts, plugin: string, part: PodAddition): MergedParts {
  const { sidecars = [], launcher, modelProxy = merged.modelProxy, ports = [], condition } = part
  return {
    agent: { ...merged.agent, spec: addToSpec(merged.agent.spec, part) },
    sidecars: [...merged.sidecars, ...sidecars],
    launcher: launcher === undefined ? merged.launcher : { ...merged.launcher, [plugin]: launcher },
    modelProxy,
    ports: [...merged.ports, ...ports],
    conditions: condition === undefined ? merged.conditions : [...merged.conditions, condition],
  }
}

// A declarative agent has no process that could read a variable or a file.
function addToSpec(spec: AgentDeploymentSpec, part: PodAddition): AgentDeploymentSpec {
  const { env = [], volumes = [], volumeMounts = [] } = part
  if (workloadType(spec) === 'declarative') return spec
  const { runtime = {}, pod = {} } = spec
  return {
    ...spec,
    ...(env.length === 0 ? {} : { runtime: { ...runtime, env: [...(runtime.env ?? []), ...env.map(toVariable)] } }),
    ...(volumes.length + volumeMounts.length === 0
      ? {}
      : {
          pod: {
            ...pod,
            volumes: [...(pod.volumes ?? []), ...volumes],
            volumeMounts: [...(pod.volumeMounts ?? []), ...volumeMounts],
          },
        }),
  }
}

type Variable = NonNullable<NonNullable<AgentDeploymentSpec['runtime']>['env']>[number]

// Field by field: a part of an untyped plugin may have other fields.
function toVariable({ name, value, valueFrom }: Variable): Variable {
  return { name, ...(value === undefined ? {} : { value }), ...(valueFrom === undefined ? {} : { valueFrom }) }
}

function claimsOf({ spec }: AgentDeploymentObject): Claims {
  const { runtime = {}, pod = {} } = spec
  return new Map([
    ...(runtime.env ?? []).map(({ name }) => [`variable ${name}`, 'spec.runtime.env'] as const),
    ...(pod.volumes ?? []).map(({ name }) => [`volume ${name}`, 'spec.pod.volumes'] as const),
    ...(pod.volumeMounts ?? []).map(({ mountPath }) => [`mount path ${mountPath}`, 'spec.pod.volumeMounts'] as const),
    ...['agent', LAUNCHER_CONTAINER].map((name) => [`container ${name}`, 'the platform'] as const),
    ...platformConditions.map((type) => [`condition ${type}`, 'the platform'] as const),
  ])
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/
const CONTAINER = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// Plugins must not add ports that the platform opens according to the spec.
const LAUNCHER_PORT = /^(?:feedback|otlpGrpc|otlpHttp)$/
const CONDITION = /^[A-Z][A-Za-z]{0,62}$/

function claim(claims: Claims, plugin: string, part: PodAddition): string | undefined {
  const { env = [], volumes = [], volumeMounts = [], sidecars = [], ports = [], condition } = part
  // Checked because plugins may be untyped.
  const names: readonly (readonly [what: string, name: unknown, pattern: RegExp])[] = [
    ...env.map(({ name }) => ['variable', name, VARIABLE] as const),
    ...volumes.map(({ name }) => ['volume', name, CONTAINER] as const),
    ...volumeMounts.map(({ mountPath }) => ['mount path', mountPath, /^\//] as const),
    ...sidecars.map(({ name }) => ['container', name, CONTAINER] as const),
    ...ports.map((name) => ['launcher port', name, LAUNCHER_PORT] as const),
    ...(condition === undefined ? [] : [['condition', condition.type, CONDITION] as const]),
  ]
  for (const [what, name, pattern] of names) {
    if (typeof name !== 'string' || !pattern.test(name))
      return `${what} ${String(name).slice(0, 80)} is not a valid name.`
    const key = `${what} ${name}`
    const owner = claims.get(key)
    if (owner === plugin) return `sets ${key} twice.`
    if (owner !== undefined)
      return `sets ${key}, which ${owner.includes('.') || owner.includes(' ') ? owner : `plugin ${owner}`} also sets.`
    claims.set(key, plugin)
  }
  return undefined
}

function sidecarProblem(
  { sidecars = [], volumes = [] }: PodAddition,
  agent: AgentDeploymentObject,
  settings: ReconcileSettings,
): string | undefined {
  if (sidecars.length > 0 && settings.isolation === 'none')
    return 'This machine runs agents as processes, which have no sidecars.'
  const all = [...(agent.spec.pod?.volumes ?? []), ...volumes]
  for (const { name, image, volumeMounts = [], env = [] } of sidecars) {
    if (typeof image !== 'string' || image === '') return `sidecar ${name} needs an image.`
    if (settings.hardened && !image.includes('@sha256:'))
      return `sidecar ${name}: the hardened profile runs images by digest only (name@sha256:...).`
    const foreign = volumeMounts.find((mount) => PLATFORM_VOLUMES.includes(mount.name))
    if (foreign !== undefined) return `sidecar ${name} may not mount the volume ${foreign.name}.`
    const [problem] = findPodProblems({ volumes: all, volumeMounts })
    if (problem !== undefined) return `sidecar ${name}: ${problem.message}.`
    const secret = env.find(({ valueFrom }) => isAgentKeysName(valueFrom?.secretKeyRef?.name ?? ''))
    if (secret !== undefined) return `sidecar ${name}: variable ${secret.name} refers to the keys of a launcher.`
    const unnamed = env.find((one) => !VARIABLE.test(one.name))
    if (unnamed !== undefined) return `sidecar ${name}: variable ${unnamed.name.slice(0, 80)} is not a valid name.`
  }
  return undefined
}
