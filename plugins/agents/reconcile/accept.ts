import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { formOf } from './form.ts'
import type { ReconcileSettings } from './settings.ts'

/** Why a spec is not acted upon, in the words of a condition. */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Whether this install can run the spec; undefined when it can. */
export function refusalOf(spec: AgentDeploymentSpec, settings: ReconcileSettings): Refusal | undefined {
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
  return undefined
}

function refusal(reason: string, message: string): Refusal {
  return { reason, message }
}
