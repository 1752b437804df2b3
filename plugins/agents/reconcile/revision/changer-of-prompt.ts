import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isEqual } from '#schemas/values/json-diff.ts'
import type { AgentPromptSource } from '../../contract/points.ts'
import { newestOf, withoutScaling } from '../../versions/revisions.ts'
import type { Revision } from '../../versions/revisions.ts'
import type { RevisionData } from './plan-revision.ts'

/** Who changed the prompt that an unchanged agent follows: the author of its new revision. Undefined for other changes. */
export async function changerOfPrompt(
  prompts: AgentPromptSource | undefined,
  agent: AgentDeploymentObject,
  { spec, resolved }: RevisionData,
  existing: readonly Revision[],
): Promise<string | undefined> {
  const newest = newestOf(existing)?.data
  if (newest?.spec === undefined || !isEqual(withoutScaling(newest.spec), spec)) return undefined
  if (newest.resolved?.prompt?.digest === resolved.prompt?.digest) return undefined
  // A revision without an author is better than none.
  return prompts?.authorOf(agent).catch(() => undefined)
}
