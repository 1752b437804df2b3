import { randomBytes } from 'node:crypto'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { HOOK_TOKEN_ANNOTATION } from '#schemas/names/labels.ts'
import { controllerRevisions } from '../../contract/resources.ts'
import type { Revision } from '../../versions/revisions.ts'
import { RECONCILER_FIELD_MANAGER } from '../owned/apply-child.ts'
import { refIn } from '../owned/owner-reference.ts'

/**
 * The token of the preStop hook of a revision's pods. It is kept with the revision, so that a rollback to it replaces no pod.
 * A revision without one, such as of an earlier version of the platform, gets a random one.
 */
export async function ensureHookToken(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  name: string,
  revisions: readonly Revision[],
): Promise<string> {
  const kept = revisions.find(({ metadata }) => metadata.name === name)?.metadata.annotations?.[HOOK_TOKEN_ANNOTATION]
  if (kept !== undefined && kept !== '') return kept
  const token = randomBytes(24).toString('base64url')
  const body = { metadata: { annotations: { [HOOK_TOKEN_ANNOTATION]: token } } }
  await cluster.patch(
    controllerRevisions,
    refIn(agent, name),
    { type: 'merge', body },
    { fieldManager: RECONCILER_FIELD_MANAGER },
  )
  return token
}
