import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { UserInfo } from '#core/cluster/caller.ts'
import type { Observed } from '#core/cluster/observed-objects.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { signGrant } from '../grants/grants.ts'
import type { GrantKey } from '../grants/grants.ts'
import type { ExecutorRef, NewRun } from './create-run.ts'
import { findAgent, findNamespace } from './find-target.ts'
import type { AgentExistence } from './find-target.ts'

/** What a run shall do, from a request that was authorized. */
export interface RequestedRun extends Pick<NewRun, 'input' | 'traceparent' | 'parent' | 'idempotency' | 'deadline'> {
  readonly agent?: { readonly namespace: string; readonly name: string } | undefined
  readonly executor?: ExecutorRef | undefined
  /** Assigned by default. */
  readonly runId?: string | undefined
  readonly conversationId?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** For whom a run is created. */
export interface RunAuthority {
  /** The account whose right was reviewed. */
  readonly subject: Pick<UserInfo, 'username' | 'groups'>
  /** How the run came to be, and the account that acted: the subject, or the agent that delegates. */
  readonly trigger: NewRun['trigger']
  readonly signedBy?: GrantKey | undefined
  /** What was reviewed, for runs without an agent. */
  readonly scopes?: readonly string[] | undefined
  /** Reads whether an agent that is not indexed yet exists; unknown by default. */
  readonly existence?: (() => Promise<AgentExistence>) | undefined
}

/** Assigns id and uid, and signs the grant. The caller of this function has made the review. */
export async function newRun(
  { core, observed }: { readonly core: Pick<Core, 'keys' | 'now'>; readonly observed: Observed },
  { subject, trigger, signedBy, scopes, existence }: RunAuthority,
  content: RequestedRun,
): Promise<NewRun> {
  const target = await findTarget(observed, content, existence)
  const runId = content.runId ?? uuidV7()
  const { username, groups } = subject
  const grant = { runId, agentUid: target.agent?.uid ?? '', subject: username, groups, ...(scopes ? { scopes } : {}) }
  return {
    ...target,
    runId,
    input: content.input,
    conversationId: content.conversationId ?? uuidV7(),
    labels: content.labels ?? {},
    trigger,
    subject: username,
    actor: accountActor(trigger.by),
    grant: await signGrant(core.keys, grant, core.now(), signedBy),
    traceparent: content.traceparent,
    ...(content.parent ? { parent: content.parent } : {}),
    ...(content.idempotency ? { idempotency: content.idempotency } : {}),
    ...(content.deadline ? { deadline: content.deadline } : {}),
  }
}

async function findTarget(
  observed: Observed,
  { agent, executor }: RequestedRun,
  existence: RunAuthority['existence'],
): Promise<Pick<NewRun, 'agent' | 'executor' | 'namespaceUid'>> {
  if (agent !== undefined) return findAgent(observed, agent, existence)
  if (executor === undefined) throw new Error('a run has an agent or an executor')
  return { executor, namespaceUid: await findNamespace(observed, executor.namespace) }
}
