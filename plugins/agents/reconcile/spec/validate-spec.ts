import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { POD_MESSAGES, isAgentKeysName } from '#schemas/values/pod-limits.ts'
import { findPodProblems } from '#schemas/agents/pod-rules.ts'
import { reservedVariable } from '../pod/environment.ts'
import { workloadType } from '../owned/workload-type.ts'
import { isAllowedAnnotation } from '../pod/allowed-annotations.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import type { ConditionProblem } from '../conditions/problem.ts'

/** Returns why this installation cannot run the agent, or undefined if it can. */
export function validateSpec(agent: AgentDeploymentObject, settings: ReconcileSettings): ConditionProblem | undefined {
  const { spec } = agent
  const form = workloadType(spec)
  if (spec.executionModel === 'job' && form === 'declarative')
    return refusal('JobNeedsProcess', 'A job ends when its process does: it needs runtime.command or an image.')
  if (settings.hardened && spec.image !== undefined && !spec.image.includes('@sha256:'))
    return refusal('ImageNeedsDigest', 'The hardened profile runs images by digest only (name@sha256:...).')
  if (settings.hardened && settings.isolation === 'none' && form === 'command')
    return refusal(
      'IsolationNotPossible',
      "The hardened profile refuses an agent that would share its launcher's user.",
    )
  return runtimeRefusal(spec) ?? podRefusal(spec, settings) ?? ruleRefusal(spec)
}

// A declarative agent has no process that could read a variable, so it is refused instead of ignored.
function runtimeRefusal(spec: AgentDeploymentSpec): ConditionProblem | undefined {
  const { env = [], args = [] } = spec.runtime ?? {}
  if (workloadType(spec) === 'declarative' && (env.length > 0 || args.length > 0))
    return refusal(
      'RuntimeNotUsed',
      'spec.runtime.env and spec.runtime.args need a process: set runtime.command or an image, or remove them.',
    )
  const reserved = reservedVariable(spec)
  if (reserved === undefined) return undefined
  return refusal('ReservedVariable', `spec.runtime.env: ${reserved} is a variable of the platform; use another name.`)
}

// With the private key of a launcher in its environment, an agent could impersonate that launcher. The CRD refuses it, too; this covers objects
// stored under an earlier CRD.
function ruleRefusal({ runtime, pod }: AgentDeploymentSpec): ConditionProblem | undefined {
  const variable = (runtime?.env ?? []).find(({ valueFrom }) => isAgentKeysName(valueFrom?.secretKeyRef?.name ?? ''))
  if (variable !== undefined)
    return refusal('KeysNotForAgent', `spec.runtime.env: ${variable.name} refers to the keys of a launcher.`)
  const [problem] = pod === undefined ? [] : findPodProblems(pod)
  if (problem === undefined) return undefined
  const reason = problem.message === POD_MESSAGES.agentKeys ? 'KeysNotForAgent' : 'PodNotAllowed'
  return refusal(reason, `${fieldAt(problem.path)}: ${problem.message}.`)
}

function podRefusal(
  { pod = {}, ...spec }: AgentDeploymentSpec,
  settings: ReconcileSettings,
): ConditionProblem | undefined {
  const { volumes = [], volumeMounts = [], annotations = {} } = pod
  const hasVolumes = volumes.length > 0 || volumeMounts.length > 0
  if (hasVolumes && workloadType(spec) === 'declarative')
    return refusal('VolumesNotUsed', 'spec.pod.volumes needs a process: set runtime.command or an image, or remove it.')
  if (hasVolumes && settings.isolation === 'none')
    return refusal(
      'VolumesNeedContainers',
      'This machine runs agents as processes, which cannot mount spec.pod.volumes.',
    )
  const foreign = Object.keys(annotations).find((key) => !isAllowedAnnotation(key, settings.podAnnotations))
  if (foreign === undefined) return undefined
  const about = `spec.pod.annotations: ${foreign.slice(0, 317)}`
  return refusal(
    'AnnotationNotAllowed',
    `${about} has a domain that the operator does not allow (agents.podAnnotations).`,
  )
}

function fieldAt(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (field, step) => (typeof step === 'number' ? `${field}[${step}]` : `${field}.${step}`),
    'spec',
  )
}

function refusal(reason: string, message: string): ConditionProblem {
  return { reason, message }
}
