import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { reservedVariable } from './environment.ts'
import { formOf } from './form.ts'
import { keysName } from './pod-template.ts'
import type { ReconcileSettings } from './settings.ts'

/** Why a spec is not acted upon, in the words of a condition. */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Whether this install can run the agent; undefined when it can. */
export function refusalOf(agent: AgentDeploymentObject, settings: ReconcileSettings): Refusal | undefined {
  const { spec } = agent
  const form = formOf(spec)
  if (spec.budget !== undefined)
    return refusal('BudgetNotEnforcedYet', 'spec.budget cannot be enforced yet; remove it to run without a limit.')
  if (spec.evalGate !== undefined)
    return refusal('EvalGateNotAvailable', 'spec.evalGate needs eval suites, which this install does not have.')
  if (spec.executionModel === 'job' && form === 'declarative')
    return refusal('JobNeedsProcess', 'A job ends when its process does: it needs runtime.command or an image.')
  if (settings.hardened && spec.image !== undefined && !spec.image.includes('@sha256:'))
    return refusal('ImageNeedsDigest', 'The hardened profile runs images by digest only (name@sha256:...).')
  if (settings.hardened && settings.isolation === 'none' && form === 'command')
    return refusal(
      'IsolationNotPossible',
      "The hardened profile refuses an agent that would share its launcher's user.",
    )
  return runtimeRefusal(spec) ?? keyRefusal(agent)
}

// What is accepted must be used: a declarative agent has no process that could read a variable.
function runtimeRefusal(spec: AgentDeploymentSpec): Refusal | undefined {
  const { env = [], args = [] } = spec.runtime ?? {}
  if (formOf(spec) === 'declarative' && (env.length > 0 || args.length > 0))
    return refusal(
      'RuntimeNotUsed',
      'spec.runtime.env and spec.runtime.args need a process: set runtime.command or an image, or remove them.',
    )
  const reserved = reservedVariable(spec)
  if (reserved === undefined) return undefined
  return refusal('ReservedVariable', `spec.runtime.env: ${reserved} is a variable of the platform; use another name.`)
}

// With its launcher's private key in its environment an agent could answer as its launcher.
function keyRefusal(agent: AgentDeploymentObject): Refusal | undefined {
  const own = keysName(agent)
  const variable = (agent.spec.runtime?.env ?? []).find((one) => one.valueFrom?.secretKeyRef?.name === own)
  if (variable === undefined) return undefined
  return refusal('KeysNotForAgent', `spec.runtime.env: ${variable.name} refers to ${own}, the keys of the launcher.`)
}

function refusal(reason: string, message: string): Refusal {
  return { reason, message }
}
