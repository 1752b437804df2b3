import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject, ObjectList, ObjectRef } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import {
  AGENT_LABEL,
  CREATED_BY_ANNOTATION,
  CREATED_BY_EXACT_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  ROLLBACK_ANNOTATION,
  SOURCE_ANNOTATION,
  SUMMARY_ANNOTATION,
} from '#schemas/names/labels.ts'
import { toPatch, toSections } from '#schemas/values/json-diff.ts'
import { controllerRevisions } from '../contract/resources.ts'

/** A ControllerRevision of an agent (Kubernetes apps/v1). */
export interface Revision extends KubeObject {
  readonly revision: number
  readonly data?: { readonly spec?: AgentDeploymentSpec }
}

/** A revision in responses of the API. */
export interface Version {
  revision: number
  name: string
  createdAt: string
  formerRevisions: number[]
  createdBy: string | null
  createdByExact: boolean
  source: 'create' | 'update' | 'rollback'
  rollbackTo: number | null
  summary: string
  current: boolean
}

/** The revisions of an agent, newest first, read with the caller's rights. */
export async function readRevisions(
  caller: Caller,
  ref: Required<ObjectRef>,
  signal?: AbortSignal,
): Promise<{ agent: AgentDeploymentObject; revisions: Revision[] }> {
  const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, bounds(signal))
  const revisions: Revision[] = []
  let next: string | undefined
  do {
    const page: ObjectList<Revision> = await caller.cluster.list<Revision>(controllerRevisions, {
      namespace: ref.namespace,
      labelSelector: `${AGENT_LABEL}=${ref.name}`,
      limit: 200,
      ...(next === undefined ? {} : { continue: next }),
      ...bounds(signal),
    })
    revisions.push(...page.items.filter((revision) => isOwned(revision, agent)))
    next = page.continue
  } while (next !== undefined)
  return { agent, revisions: revisions.toSorted((a, b) => b.revision - a.revision) }
}

// By uid: a re-created agent does not inherit the versions of its predecessor.
function isOwned(revision: Revision, agent: AgentDeploymentObject): boolean {
  return revision.metadata.ownerReferences?.some((owner) => owner.uid === agent.metadata.uid) === true
}

/** Response of the versions route. Pure. */
export function toVersions(agent: AgentDeploymentObject, revisions: readonly Revision[]): Version[] {
  return revisions.map((revision, index) => {
    const before = revisions[index + 1]
    const { annotations = {}, creationTimestamp = '', name } = revision.metadata
    return {
      revision: revision.revision,
      name,
      createdAt: creationTimestamp,
      formerRevisions: formerNumbers(revision),
      createdBy: annotations[CREATED_BY_ANNOTATION] ?? null,
      createdByExact: annotations[CREATED_BY_EXACT_ANNOTATION] === 'true',
      source: sourceOf(annotations, before !== undefined),
      rollbackTo: toNumber(annotations[ROLLBACK_ANNOTATION]) ?? null,
      summary: annotations[SUMMARY_ANNOTATION] ?? summaryOf(before, revision),
      current: agent.status?.currentRevision === name,
    }
  })
}

function sourceOf(annotations: Readonly<Record<string, string>>, hasBefore: boolean): Version['source'] {
  const said = annotations[SOURCE_ANNOTATION]
  if (said === 'create' || said === 'update' || said === 'rollback') return said
  if (annotations[ROLLBACK_ANNOTATION] !== undefined) return 'rollback'
  return hasBefore ? 'update' : 'create'
}

// For revisions that were created before summaries were stored.
function summaryOf(before: Revision | undefined, revision: Revision): string {
  return before === undefined ? 'first kept revision' : summarize(before.data?.spec ?? {}, revision.data?.spec ?? {})
}

/** Names the parts of the spec that differ from the previous revision. Pure. */
export function summarize(before: AgentDeploymentSpec | undefined, after: AgentDeploymentSpec): string {
  if (before === undefined) return 'first revision'
  const changed = toSections(withoutScaling(before), withoutScaling(after)).map(({ path }) => path.slice(1))
  return changed.length === 0 ? 'no change of the spec' : `changed ${changed.join(', ')}`
}

/** The earlier numbers of a revision, before rollbacks to it; oldest first. */
export function formerNumbers({ metadata }: Revision): number[] {
  const list = metadata.annotations?.[REVISION_HISTORY_ANNOTATION] ?? ''
  return list.split(',').flatMap((number) => toNumber(number) ?? [])
}

/** The first number of a revision's content, with which its pods are labelled. */
export function firstNumber(revision: Revision): number {
  return formerNumbers(revision)[0] ?? revision.revision
}

/** The revision with a current or earlier number (UXL16). */
export function revisionAt(revisions: readonly Revision[], number: string): Revision | undefined {
  return (
    revisions.find((one) => String(one.revision) === number) ??
    revisions.find((one) => formerNumbers(one).map(String).includes(number))
  )
}

function toNumber(text = ''): number | undefined {
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined
}

/** A spec as stored in a revision, without the number of replicas. */
export function withoutScaling(spec: AgentDeploymentSpec): AgentDeploymentSpec {
  const { scaling: _, ...rest } = spec
  return rest
}

/** The spec of a revision by its current or an earlier number (UXL16), or the agent's present spec for `current`. Without the number of replicas. */
export function specAt(
  agent: AgentDeploymentObject,
  revisions: readonly Revision[],
  which: string,
): AgentDeploymentSpec {
  if (which === 'current') return withoutScaling(agent.spec)
  const spec = revisionAt(revisions, which)?.data?.spec
  if (spec === undefined) throw new Fail('not_found', `The agent has no revision ${which}.`)
  return withoutScaling(spec)
}

/** Response of the diff route. Pure. */
export function diffSpecs(from: AgentDeploymentSpec, to: AgentDeploymentSpec) {
  return { patch: toPatch(from, to), sections: toSections(from, to) }
}

function bounds(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
