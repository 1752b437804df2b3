import { setTimeout as delay } from 'node:timers/promises'
import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { CHANGE_ANNOTATION, CREATED_BY_ANNOTATION, CREATED_BY_EXACT_ANNOTATION } from '#schemas/labels.ts'
import { controllerRevisions } from '../resources.ts'
import type { Revision } from '../revisions.ts'
import { FIELD_MANAGER, ignore } from './apply.ts'
import { refIn } from './owner.ts'

/** The audit log has the actor of a change within seconds, of one through kubectl after a delivery of the webhook. */
const WAIT_MS = 120_000
const FIRST_WAIT_MS = 1_000

/** What the audit log is asked with, and when. */
export interface AuthorOptions {
  readonly cluster: KubeClient
  readonly findActor: ChangeActorFinder
  readonly now: () => Date
}

/**
 * Writes the authenticated authors of young revisions, by the audit log, since everything that the agent itself says about
 * its author can be forged (ADR 0030).
 */
export interface RevisionAuthors {
  /** Asks once, and goes on beside reconciliation for the authors that the audit log does not know yet. */
  note(agent: AgentDeploymentObject, revisions: readonly Revision[]): Promise<void>
}

/** Keeps the revisions whose author is not known yet. A look at one costs a query of the store, and the cluster nothing. */
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
