import type { ChangeActorFinder } from '#core/cluster/points.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { CHANGE_ANNOTATION, CREATED_BY_ANNOTATION, CREATED_BY_EXACT_ANNOTATION } from '#schemas/labels.ts'
import { controllerRevisions } from '../resources.ts'
import type { Revision } from '../revisions.ts'
import { FIELD_MANAGER, ignore } from './apply.ts'
import { refIn } from './owner.ts'

/** The audit log has the actor of a change within seconds, of one through kubectl after a delivery of the webhook. */
const WAIT_MS = 120_000
const AGAIN_MS = 5_000

/** What the audit log is asked with, and when. */
export interface AuthorOptions {
  readonly cluster: KubeClient
  readonly findActor: ChangeActorFinder
  readonly now: () => Date
}

/**
 * Writes the authenticated authors of young revisions, by the audit log, since everything that the agent itself says about
 * its author can be forged (ADR 0030). Returns when to ask again, or undefined when that is settled.
 */
export async function noteAuthors(
  options: AuthorOptions,
  agent: AgentDeploymentObject,
  revisions: readonly Revision[],
): Promise<number | undefined> {
  const guessed = revisions.filter(({ metadata }) => metadata.annotations?.[CREATED_BY_EXACT_ANNOTATION] === 'false')
  const young = guessed.filter((revision) => isYoung(revision, options.now()))
  const noted = await Promise.all(young.map((revision) => noteAuthor(options, agent, revision)))
  return noted.includes(false) ? AGAIN_MS : undefined
}

/** False while the audit log does not know the author. */
async function noteAuthor(
  { cluster, findActor }: AuthorOptions,
  agent: AgentDeploymentObject,
  { metadata }: Revision,
): Promise<boolean> {
  const { name, resourceVersion, annotations } = metadata
  const uid = agent.metadata.uid ?? ''
  const change = annotations?.[CHANGE_ANNOTATION] ?? ''
  // The status does not depend on it, so a store that fails is asked again later.
  const actor = await findActor(change === 'create' ? { uid } : { uid, resourceVersion: change }).catch(() => undefined)
  if (actor === undefined) return false
  const named = { [CREATED_BY_ANNOTATION]: actor, [CREATED_BY_EXACT_ANNOTATION]: 'true' }
  const body = { metadata: { resourceVersion, annotations: named } }
  await cluster
    .patch(controllerRevisions, refIn(agent, name), { type: 'merge', body }, { fieldManager: FIELD_MANAGER })
    .catch(ignore(404, 409))
  return true
}

// A revision that was rolled back to is old, and what was written to it is not.
function isYoung({ metadata }: Revision, now: Date): boolean {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)]
  return times.some((time) => now.getTime() - Date.parse(time ?? '') < WAIT_MS)
}
