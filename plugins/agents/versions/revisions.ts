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
import { isEqual, toPatch, toSections } from '#schemas/values/json-diff.ts'
import type { GateOverrideMark, ResolvedPrompt } from '../contract/points.ts'
import { controllerRevisions } from '../contract/resources.ts'

/** The part of a revision's data that versions show. */
export interface RevisionContent {
  readonly spec?: AgentDeploymentSpec
  readonly resolved?: { readonly prompt?: Pick<ResolvedPrompt, 'name' | 'version' | 'label' | 'digest'> }
}

/** A ControllerRevision of an agent (Kubernetes apps/v1). */
export interface Revision extends KubeObject {
  readonly revision: number
  readonly data?: RevisionContent
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
  prompt: { name: string; version: number; label: string | null; digest: string } | null
  override: GateOverrideMark | null
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
export function toVersions(
  agent: AgentDeploymentObject,
  revisions: readonly Revision[],
  overrides: ReadonlyMap<string, GateOverrideMark> = new Map(),
): Version[] {
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
      prompt: toPromptVersion(revision),
      override: overrides.get(name) ?? null,
      current: agent.status?.currentRevision === name,
    }
  })
}

function toPromptVersion({ data }: Revision): Version['prompt'] {
  const prompt = data?.resolved?.prompt
  if (prompt === undefined) return null
  const { name, version, label = null, digest } = prompt
  return { name, version, label, digest }
}

function sourceOf(annotations: Readonly<Record<string, string>>, hasBefore: boolean): Version['source'] {
  const said = annotations[SOURCE_ANNOTATION]
  if (said === 'create' || said === 'update' || said === 'rollback') return said
  if (annotations[ROLLBACK_ANNOTATION] !== undefined) return 'rollback'
  return hasBefore ? 'update' : 'create'
}

// For revisions that were created before summaries were stored.
function summaryOf(before: Revision | undefined, revision: Revision): string {
  return before === undefined ? 'first kept revision' : summarize(before.data ?? {}, revision.data ?? {})
}

/** Names the parts of the spec that differ from the previous revision. Pure. */
export function summarize(before: RevisionContent | undefined, after: RevisionContent): string {
  if (before === undefined) return 'first revision'
  const [old, now] = [before.spec ?? {}, after.spec ?? {}]
  const changed = toSections(withoutScaling(old), withoutScaling(now)).map(({ path }) => path.slice(1))
  if (changed.length > 0) return `changed ${changed.join(', ')}`
  const [from, to] = [before.resolved?.prompt, after.resolved?.prompt]
  if (from === undefined || to === undefined || from.digest === to.digest) return 'no change of the spec'
  return `prompt ${to.name} is version ${to.version} instead of ${from.version}`
}

/** The earlier numbers of a revision, before rollbacks to it; oldest first. */
export function formerNumbers({ metadata }: Revision): number[] {
  const list = metadata.annotations?.[REVISION_HISTORY_ANNOTATION] ?? ''
  return list.split(',').flatMap((number) => toNumber(number) ?? [])
}

/** The newest of revisions in any order. */
export function newestOf(revisions: readonly Revision[]): Revision | undefined {
  return revisions.toSorted((a, b) => a.revision - b.revision).at(-1)
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

/** The spec of a revision with the version of its prompt in place of a label, so that it stays what it was. */
export function pinnedSpec({ data }: Revision): AgentDeploymentSpec | undefined {
  const { spec, resolved } = data ?? {}
  if (spec?.prompt === undefined || resolved?.prompt === undefined) return spec
  const { label: _, ...prompt } = spec.prompt
  return { ...spec, prompt: { ...prompt, version: resolved.prompt.version } }
}

/** As `specAt`, with the version and digest of the prompt in `prompt`. The present spec has those of the newest revision if that has the spec. */
export function shownSpecAt(
  agent: AgentDeploymentObject,
  revisions: readonly Revision[],
  which: string,
): AgentDeploymentSpec {
  const spec = specAt(agent, revisions, which)
  const newest = revisions[0]
  const isNewest = newest?.data?.spec !== undefined && isEqual(withoutScaling(newest.data.spec), spec)
  const revision = which === 'current' ? (isNewest ? newest : undefined) : revisionAt(revisions, which)
  const prompt = revision?.data?.resolved?.prompt
  if (prompt === undefined || spec.prompt === undefined) return spec
  return { ...spec, prompt: { ...spec.prompt, version: prompt.version, digest: prompt.digest } as typeof spec.prompt }
}

/** Response of the diff route. Pure. */
export function diffSpecs(from: AgentDeploymentSpec, to: AgentDeploymentSpec) {
  return { patch: toPatch(from, to), sections: toSections(from, to) }
}

function bounds(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
