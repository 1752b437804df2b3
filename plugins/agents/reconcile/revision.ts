import type { KubeObject } from '#core/kube/client.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, CREATED_BY_ANNOTATION, ROLLBACK_ANNOTATION, SOURCE_ANNOTATION } from '#schemas/labels.ts'
import type { Revision } from '../revisions.ts'
import type { Resolved } from './resolve.ts'
import { ownerOf } from './owner.ts'
import { stableHash } from './stable-hash.ts'

/** What a ControllerRevision keeps: all that is needed to run the agent as it was. */
export interface RevisionData {
  readonly spec: AgentDeploymentSpec
  readonly resolved: Resolved
}

/** What to do so that the newest revision is the one of this content. */
export type RevisionPlan =
  | { readonly do: 'nothing'; readonly name: string }
  | { readonly do: 'create'; readonly name: string; readonly object: KubeObject & { readonly revision: number } }
  /** Equal content raises the old object's number: a rollback, or a change that was taken back. */
  | {
      readonly do: 'raise'
      readonly name: string
      readonly revision: number
      readonly annotations: Record<string, string>
    }

/** Name of the revision of this content: `<agent>-<hash>`. */
export function revisionName(agent: AgentDeploymentObject, data: RevisionData): string {
  return `${agent.metadata.name}-${stableHash(data)}`
}

/** Decides about the revision of this content, among those that the agent has. */
export function planRevision(
  agent: AgentDeploymentObject,
  data: RevisionData,
  existing: readonly Revision[],
): RevisionPlan {
  const name = revisionName(agent, data)
  const newest = Math.max(0, ...existing.map((one) => one.revision))
  const same = existing.find((one) => one.metadata.name === name)
  if (same?.revision === newest) return { do: 'nothing', name }
  const annotations = annotationsOf(agent, existing.length === 0)
  if (same !== undefined) return { do: 'raise', name, revision: newest + 1, annotations }
  return { do: 'create', name, object: toRevision(agent, data, { name, revision: newest + 1, annotations }) }
}

/** Old revisions beyond the limit, oldest first; never one that serves or is being brought up. */
export function revisionsToPrune(
  existing: readonly Revision[],
  limit: number,
  inUse: ReadonlySet<string | undefined>,
): Revision[] {
  const old = existing.filter((one) => !inUse.has(one.metadata.name)).toSorted((a, b) => a.revision - b.revision)
  return old.slice(0, Math.max(0, old.length - limit))
}

function annotationsOf(agent: AgentDeploymentObject, first: boolean): Record<string, string> {
  const rollback = agent.metadata.annotations?.[ROLLBACK_ANNOTATION]
  const manager = agent.metadata.managedFields?.filter((one) => one.subresource === undefined).at(-1)?.manager
  return {
    [SOURCE_ANNOTATION]: rollback === undefined ? (first ? 'create' : 'update') : 'rollback',
    ...(rollback === undefined ? {} : { [ROLLBACK_ANNOTATION]: rollback }),
    ...(manager === undefined ? {} : { [CREATED_BY_ANNOTATION]: manager }),
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
      ownerReferences: [ownerOf(agent)],
    },
    data,
    revision: as.revision,
  }
}
