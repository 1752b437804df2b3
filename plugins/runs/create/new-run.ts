import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { UserInfo } from '#core/cluster/caller.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { formatTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import { signGrant } from '../grants/grants.ts'
import type { GrantKey } from '../grants/grants.ts'
import type { RunRequest } from '../contract/run-request.ts'
import { unrestricted } from '../previews/preview-rule.ts'
import type { PreviewRule } from '../previews/preview-rule.ts'
import { toPreview } from '../previews/to-preview.ts'
import type { NewRun } from './create-run.ts'
import { findAgent, findNamespace } from './find-target.ts'
import type { AgentExistence } from './find-target.ts'

/** Subject and parent of a new run. */
export interface RunAuthority extends Pick<NewRun, 'parent' | 'deadline' | 'revision'> {
  /** The account whose right was reviewed. */
  readonly subject: Pick<UserInfo, 'username' | 'groups'>
  /** Name of the account that acted: by default the subject, else the agent that delegates. */
  readonly by?: string | undefined
  readonly signedBy?: GrantKey | undefined
  /** Reviewed permissions, for runs without an agent. */
  readonly scopes?: readonly string[] | undefined
  /** Reads whether an agent that is not indexed yet exists; unknown by default. */
  readonly existence?: (() => Promise<AgentExistence>) | undefined
}

/** Assigns id and uid, and signs the grant. The caller of this function has done the access review. */
export async function newRun(
  { core, observed }: { readonly core: Pick<Core, 'keys' | 'now'>; readonly observed: ObservedReads },
  { subject, by = subject.username, parent, deadline, revision, ...authority }: RunAuthority,
  request: RunRequest,
): Promise<NewRun> {
  const { previews, ...target } = await findTarget(observed, request, authority.existence)
  const runId = request.runId ?? uuidV7()
  const { scopes } = authority
  const { username, groups } = subject
  const grant = { runId, agentUid: target.agent?.uid ?? '', subject: username, groups, ...(scopes ? { scopes } : {}) }
  return {
    ...target,
    runId,
    input: request.input,
    inputPreview: await toPreview(request.input, previews),
    conversationId: request.conversationId ?? uuidV7(),
    labels: request.labels ?? {},
    trigger: { kind: request.trigger, by },
    subject: username,
    actor: accountActor(by),
    grant: await signGrant(core.keys, grant, core.now(), authority.signedBy),
    traceparent: request.traceparent ?? formatTraceparent(startTrace()),
    ...(parent ? { parent } : {}),
    ...(request.idempotency ? { idempotency: request.idempotency } : {}),
    ...(deadline ? { deadline } : {}),
    ...(revision === undefined ? {} : { revision }),
  }
}

async function findTarget(
  observed: ObservedReads,
  { agent, executor }: RunRequest,
  existence: RunAuthority['existence'],
): Promise<Pick<NewRun, 'agent' | 'executor' | 'namespaceUid'> & { readonly previews: PreviewRule }> {
  if (agent !== undefined) return findAgent(observed, agent, existence)
  if (executor === undefined) throw new Error('a run has an agent or an executor')
  const { kind, namespace } = executor
  const namespaceUid = await findNamespace(observed, namespace)
  return { executor: { kind, namespace }, namespaceUid, previews: unrestricted }
}
