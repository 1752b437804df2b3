import { problemOfUnenforced } from '#core/plugin/enforced-fields.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import { schemaReferences } from '../references/references.ts'
import type { References } from '../references/references.ts'
import { createFindResource } from '../contract/resources.ts'
import { collectParts } from './parts/collect-parts.ts'
import type { AgentParts } from './parts/collect-parts.ts'
import { mergeParts, withoutParts } from './parts/merge-parts.ts'
import type { MergedParts } from './parts/merge-parts.ts'
import type { AgentPromptSource } from '../contract/points.ts'
import { resolveReferences } from './spec/resolve-references.ts'
import type { ReferenceResolution } from './spec/resolve-references.ts'
import type { ReconcileSettings } from '../contract/reconcile-settings.ts'
import type { ConditionProblem } from './conditions/problem.ts'
import { validateSpec } from './spec/validate-spec.ts'

/** Dependencies of the verdict on a spec. */
export interface JudgeContext {
  readonly cluster: KubeClient
  readonly settings: ReconcileSettings
  readonly kinds: () => readonly AnyKind[]
  /** Default: those of the schemas. */
  readonly references?: References
  /** Additions and gates of other plugins; default: none. */
  readonly parts?: AgentParts
  /** Source of prompts; default: none. */
  readonly prompts?: AgentPromptSource | undefined
  /** Fields of agents whose plugin is not available; default: none. */
  readonly unenforced?: readonly UnenforcedField[]
}

/** Verdict on a spec. `resolved` is set if its objects can be created. */
export interface Judgement {
  readonly parts: MergedParts
  readonly refusal: ConditionProblem | undefined
  readonly unresolved: ConditionProblem | undefined
  readonly warning: ConditionProblem | undefined
  readonly resolved: ReferenceResolution | undefined
}

/** No parts and no gates. */
export const noParts: AgentParts = { pods: [], gates: [] }

/** Judges a spec by its own rules, then with the parts of plugins, then by its references. Writes nothing. */
export async function judgeAgent(context: JudgeContext, agent: AgentDeploymentObject): Promise<Judgement> {
  const none = { refusal: undefined, unresolved: undefined, warning: undefined, resolved: undefined }
  const merged = await mergedParts(context, agent)
  if (!('agent' in merged)) return { ...none, parts: withoutParts(agent), refusal: merged.refusal }
  const { cluster, kinds, prompts, references = schemaReferences } = context
  const found = { cluster, references, findResource: createFindResource(kinds), prompts }
  const resolution = await resolveReferences(found, agent)
  if ('refusal' in resolution) return { ...none, parts: merged, unresolved: resolution.refusal }
  return { ...none, parts: merged, warning: resolution.warning, resolved: resolution.resolved }
}

/** The agent with the parts of plugins, or why it cannot run. The spec itself is checked first, without parts. */
async function mergedParts(
  { cluster, settings, parts = noParts, unenforced = [] }: JudgeContext,
  agent: AgentDeploymentObject,
): Promise<ReturnType<typeof mergeParts>> {
  const refusal = validateSpec(agent, settings) ?? refuseUnenforced(agent, unenforced)
  return refusal === undefined ? mergeParts(agent, await collectParts(parts, agent, cluster), settings) : { refusal }
}

// Running pods stay unchanged: without the plugin's part, new pods would lack what the field requires.
function refuseUnenforced(
  { spec }: AgentDeploymentObject,
  unenforced: readonly UnenforcedField[],
): ConditionProblem | undefined {
  const message = problemOfUnenforced(spec, unenforced)
  return message === undefined ? undefined : { reason: 'PluginDisabled', message }
}
