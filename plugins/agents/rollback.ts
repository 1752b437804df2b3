import type { Caller } from '#core/cluster/access.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ROLLBACK_ANNOTATION } from '#schemas/labels.ts'
import { FIELD_MANAGER } from '#schemas/group.ts'
import { readRevisions, specAt } from './revisions.ts'

/** Puts an old spec back, read and written as the caller. */
export async function rollBack(
  caller: Caller,
  ref: Required<ObjectRef>,
  revision: number,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<AgentDeploymentObject> {
  const { agent, revisions } = await readRevisions(caller, ref, options.signal)
  const spec = specAt(agent, revisions, String(revision))
  const body = toRollbackPatch(agent, spec, revision)
  return caller.cluster.patch<AgentDeploymentObject>(
    AgentDeployment,
    ref,
    { type: 'json', body },
    { ...options, fieldManager: FIELD_MANAGER },
  )
}

/**
 * Spec and annotation in one patch, so that nobody sees one without the other. Pure.
 * A JSON patch, since a merge patch would keep the fields that the old spec did not have; no resourceVersion,
 * since a rollback is meant to win.
 */
export function toRollbackPatch(agent: AgentDeploymentObject, spec: AgentDeploymentSpec, revision: number): object[] {
  const path = `/metadata/annotations/${ROLLBACK_ANNOTATION.replaceAll('/', '~1')}`
  const hasAnnotations = agent.metadata.annotations !== undefined
  return [
    { op: 'replace', path: '/spec', value: spec },
    ...(hasAnnotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path, value: String(revision) },
  ]
}
