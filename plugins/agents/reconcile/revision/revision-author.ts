import { setTimeout as delay } from 'node:timers/promises'
import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { CHANGE_ANNOTATION, CREATED_BY_ANNOTATION, CREATED_BY_EXACT_ANNOTATION } from '#schemas/names/labels.ts'
import { controllerRevisions } from '../../contract/resources.ts'
import type { Revision } from '../../versions/revisions.ts'
import { RECONCILER_FIELD_MANAGER, ignore } from '../owned/apply-child.ts'
import { refIn } from '../owned/owner-reference.ts'

/** The audit log has the actor of a change within seconds; for kubectl, after a delivery of the audit webhook. */
const WAIT_MS = 120_000
const FIRST_WAIT_MS = 1_000

/** Dependencies and schedule of the look-up. */
export interface AuthorOptions {
  readonly cluster: KubeClient
  readonly findActor: ChangeActorFinder
  readonly now: () => Date
}

/**
 * Writes the authenticated authors of new revisions, from the audit log, since all fields of the agent itself can be forged
 * (ADR 0030).
 */
export interface RevisionAuthors {
  /** Looks up once, and continues in the background for authors that the audit log does not have yet. */
  note(agent: AgentDeploymentObject, revisions: readonly Revision[]): Promise<void>
}

/** Tracks the revisions with an unknown author. Each look-up is one query of the store and no cluster call. */
export function createRevisionAuthors(options: AuthorOptions): RevisionAuthors {
  const followed = new Set<string>()
  const follow = async (agent: AgentDeploymentObject, revision: Revision): Promise<void> => {
    const key = `${revision.metadata.uid}/${revision.metadata.resourceVersion}`
    if (followed.has(key)) return
    followed.add(key)
    for (let wait = FIRST_WAIT_MS; isYoung(revision, options.now()); wait *= 2) {
      await delay(wait, undefined, { ref: false })
      if (await noteAuthor(options, agent, revision).catch(() => false)) break
    }
    followed.delete(key)
  }
  return {
    note: async (agent, revisions) => {
      const guessed = revisions.filter(
        ({ metadata }) => metadata.annotations?.[CREATED_BY_EXACT_ANNOTATION] === 'false',
      )
      const young = guessed.filter((revision) => isYoung(revision, options.now()))
      // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
      for (const revision of young) if (!(await noteAuthor(options, agent, revision))) void follow(agent, revision)
    },
  }
}

/** Returns false while the audit log does not have the author. */
async function noteAuthor(
  { cluster, findActor }: AuthorOptions,
  agent: AgentDeploymentObject,
  { metadata }: Revision,
): Promise<boolean> {
  const { name, resourceVersion, annotations } = metadata
  const uid = agent.metadata.uid ?? ''
  const change = annotations?.[CHANGE_ANNOTATION] ?? ''
  // The status does not depend on it, so a failing store is retried later.
  const actor = await findActor(change === 'create' ? { uid } : { uid, resourceVersion: change }).catch(() => undefined)
  if (actor === undefined) return false
  const named = { [CREATED_BY_ANNOTATION]: actor, [CREATED_BY_EXACT_ANNOTATION]: 'true' }
  const body = { metadata: { resourceVersion, annotations: named } }
  await cluster
    .patch(controllerRevisions, refIn(agent, name), { type: 'merge', body }, { fieldManager: RECONCILER_FIELD_MANAGER })
    .catch(ignore(404, 409))
  return true
}

// A revision restored by a rollback is old, but its last change is recent.
function isYoung({ metadata }: Revision, now: Date): boolean {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)]
  return times.some((time) => now.getTime() - Date.parse(time ?? '') < WAIT_MS)
}
