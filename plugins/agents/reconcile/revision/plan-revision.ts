import type { KubeObject } from '#core/kube/client.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import {
  AGENT_LABEL,
  CHANGE_ANNOTATION,
  CREATED_BY_ANNOTATION,
  CREATED_BY_EXACT_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  ROLLBACK_ANNOTATION,
  SOURCE_ANNOTATION,
  SUMMARY_ANNOTATION,
} from '#schemas/names/labels.ts'
import { guessedActor } from '#core/controllers/objects/object-fingerprint.ts'
import { isEqual } from '#schemas/values/json-diff.ts'
import {
  firstNumber,
  formerNumbers,
  newestOf,
  pinnedSpec,
  revisionAt,
  summarize,
  withoutScaling,
} from '../../versions/revisions.ts'
import type { Revision } from '../../versions/revisions.ts'
import type { ReferenceResolution } from '../spec/resolve-references.ts'
import { ownerReference } from '../owned/owner-reference.ts'
import { stableHash } from '../owned/stable-hash.ts'

/** Data of a ControllerRevision: everything that is needed to run the agent as it was. */
export interface RevisionData {
  readonly spec: AgentDeploymentSpec
  readonly resolved: ReferenceResolution
}

/** The action that makes this content the newest revision. */
export type RevisionPlan = PlannedRevision &
  (
    | { readonly do: 'nothing' }
    | { readonly do: 'create'; readonly object: KubeObject }
    /** Raises the number of an existing revision with equal content: a rollback by the API, or an old spec that is applied again. */
    | { readonly do: 'raise'; readonly annotations: Record<string, string | null> }
  )

interface PlannedRevision {
  readonly name: string
  readonly revision: number
  /** The first number of this content. Pods are labelled with it, so that a rollback to the content replaces none of them. */
  readonly first: number
}

/** Content of a revision. It excludes the number of replicas, as in a ReplicaSet, since autoscalers change it at any time. */
export function toRevisionData(agent: AgentDeploymentObject, resolved: ReferenceResolution): RevisionData {
  return { spec: withoutScaling(agent.spec), resolved }
}

/** Name of the revision of this content: `<agent>-<hash>`. */
export function revisionName(agent: AgentDeploymentObject, data: RevisionData): string {
  return `${agent.metadata.name}-${stableHash(data)}`
}

/** Plans the revision of this content, given the existing revisions of the agent, and who changed it if that was not a change of the agent. */
export function planRevision(
  agent: AgentDeploymentObject,
  data: RevisionData,
  existing: readonly Revision[],
  changedBy?: string,
): RevisionPlan {
  const name = revisionName(agent, data)
  const newest = newestOf(existing)
  const revision = (newest?.revision ?? 0) + 1
  const same = existing.find((one) => one.metadata.name === name)
  const first = same === undefined ? revision : firstNumber(same)
  if (newest !== undefined && same === newest) return { do: 'nothing', name, revision: newest.revision, first }
  // Kept with the revision: the previous revision may be pruned, or become a later one by a rollback (UXM7).
  const made = { [SUMMARY_ANNOTATION]: summarize(newest && (newest.data ?? {}), data), ...madeBy(agent, changedBy) }
  const target = newest && rollbackTarget(agent, newest, existing)
  const rollback: Record<string, string> =
    target === undefined ? {} : { [SOURCE_ANNOTATION]: 'rollback', [ROLLBACK_ANNOTATION]: target }
  if (same !== undefined)
    return { do: 'raise', name, revision, first, annotations: { ...raised(same), ...made, ...rollback } }
  const annotations = { [SOURCE_ANNOTATION]: newest === undefined ? 'create' : 'update', ...made, ...rollback }
  return { do: 'create', name, revision, first, object: toRevision(agent, data, { name, revision, annotations }) }
}

/** Old revisions beyond the limit, oldest first, except those in use. */
export function revisionsToPrune(
  existing: readonly Revision[],
  limit: number,
  inUse: ReadonlySet<string | undefined>,
): Revision[] {
  const old = existing.filter((one) => !inUse.has(one.metadata.name)).toSorted((a, b) => a.revision - b.revision)
  return old.slice(0, Math.max(0, old.length - limit))
}

/**
 * The number in the agent's annotation, if this change of the spec returns to that revision. The annotation stays on the agent, so the annotation
 * alone would mark each later change as a rollback (UXM6). A change of references only is not a rollback either.
 */
function rollbackTarget(
  agent: AgentDeploymentObject,
  newest: Revision,
  existing: readonly Revision[],
): string | undefined {
  const number = agent.metadata.annotations?.[ROLLBACK_ANNOTATION]
  const target = number === undefined ? undefined : revisionAt(existing, number)
  return target !== undefined && hasSpecOf(target, agent) && !hasSpecOf(newest, agent) ? number : undefined
}

// Also with the version of its prompt in place of a label, which a rollback writes.
function hasSpecOf(revision: Revision, agent: AgentDeploymentObject): boolean {
  const own = withoutScaling(agent.spec)
  return [revision.data?.spec, pinnedSpec(revision)].some(
    (spec) => spec !== undefined && isEqual(withoutScaling(spec), own),
  )
}

// Annotations of an earlier rollback are removed from the revision.
function raised(revision: Revision): Record<string, string | null> {
  return {
    [SOURCE_ANNOTATION]: 'update',
    [ROLLBACK_ANNOTATION]: null,
    [REVISION_HISTORY_ANNOTATION]: [...formerNumbers(revision), revision.revision].join(','),
  }
}

// The field manager is chosen by the client, so it is a guess until the audit log has the authenticated actor (ADR 0030).
function madeBy({ metadata }: AgentDeploymentObject, changedBy: string | undefined): Record<string, string> {
  const manager = metadata.managedFields?.filter((one) => one.subresource === undefined).at(-1)?.manager
  const author = changedBy ?? (manager === undefined ? undefined : guessedActor(manager))
  return {
    ...(author === undefined ? {} : { [CREATED_BY_ANNOTATION]: author }),
    [CREATED_BY_EXACT_ANNOTATION]: String(changedBy !== undefined),
    [CHANGE_ANNOTATION]: metadata.generation === 1 ? 'create' : (metadata.resourceVersion ?? ''),
  }
}

function toRevision(
  agent: AgentDeploymentObject,
  data: RevisionData,
  as: { readonly name: string; readonly revision: number; readonly annotations: Record<string, string> },
) {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: as.name,
      namespace: agent.metadata.namespace ?? '',
      labels: { [AGENT_LABEL]: agent.metadata.name },
      annotations: as.annotations,
      ownerReferences: [ownerReference(agent)],
    },
    data,
    revision: as.revision,
  }
}
