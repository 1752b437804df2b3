import { createHash } from 'node:crypto'
import { sleep } from '#core/async/sleep.ts'
import type { UserInfo } from '#core/cluster/caller.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentPath } from '#schemas/launcher/envelope.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createRun } from '../create/create-run.ts'
import { targetOf } from '../create/find-target.ts'
import { newRun } from '../create/new-run.ts'
import { runErrors } from '../contract/errors.ts'
import { readAgentPath } from '../store/internal/agent-path.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { isUuid, mayInvoke, ownRun, toDelegated, traceOfChild } from './child-runs.ts'
import { subjectOfRun } from './subject-of-run.ts'
import type { ChildRunServices } from './child-runs.ts'
import { delegatedConversation } from './delegated-conversation.ts'
import { inheritedDeadline } from './inherited-deadline.ts'
import type { PeerCall, PeerRun } from '../contract/api.ts'

/**
 * Creates the run of a call between agents. Caller, subject and call path are read from the stored runs: an envelope that contradicts them is refused
 * (E2). A repeat with the same key returns the run of the first call.
 */
export async function startPeerRun(services: ChildRunServices, call: PeerCall): Promise<PeerRun> {
  const { core } = services
  const caller = accountOf(call.from)
  const parent = call.parentRunId === undefined ? undefined : await ownRun(services, call.from, call.parentRunId)
  await checkPath(services, call, parent)
  const subject = parent ? await subjectOfRun(services, parent) : caller
  if (subject.username !== call.subject)
    throw new Fail(runErrors.call_refused, 'The envelope names another subject than the run.')
  if (!(await mayInvoke(services, subject, call.to.namespace, call.to.name)))
    throw new Fail('forbidden', 'The subject of the run may not invoke that agent.')
  const run = await newRun(
    { core, observed: core.observed },
    {
      subject,
      by: caller.username,
      ...(parent ? { parent } : {}),
      deadline: await inheritedDeadline(services.store, parent, call.deadline),
    },
    {
      agent: call.to,
      input: call.input,
      conversationId: delegatedConversation(parent, call.conversationId),
      traceparent: formatTraceparent(traceOfChild(parent, call.trace)),
      trigger: 'amp',
      idempotency: idempotencyOf(call),
    },
  )
  return toPeerRun(services, await createRun(services, run, targetOf(run)))
}

/** Waits for the end of a run that was created for the agent by `startPeerRun`. */
export async function readPeerRun(
  services: ChildRunServices,
  agent: Pick<CallingAgent, 'uid'>,
  runId: string,
  waitMs: number,
): Promise<PeerRun> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const run = isUuid(runId) ? await findRun(services.store.reader<RunsTables>(), runId) : undefined
    if (!run || run.trigger_kind !== 'amp' || run.agent_uid !== agent.uid) throw new Fail('not_found')
    if (terminalStates.has(run.state) || performance.now() > deadline) return toPeerRun(services, run)
    await sleep(pollMs)
  }
}

const pollMs = 50

async function checkPath(
  { store }: ChildRunServices,
  { from, to, path, maxDepth }: PeerCall,
  parent: SelectedRun | undefined,
): Promise<void> {
  const stored = parent ? await readAgentPath(store.reader<RunsTables>(), parent.id) : [agentPath(from)]
  if (stored.length !== path.length || stored.some((agent, index) => agent !== path[index]))
    throw new Fail(runErrors.call_refused, 'The envelope names other agents than the runs above the call.')
  if (stored.length > maxDepth) throw new Fail(runErrors.depth_exceeded)
  if (stored.includes(agentPath(to))) throw new Fail(runErrors.cycle_detected)
}

function idempotencyOf({ from, to, parentRunId = '', idempotencyKey, payloadDigest }: PeerCall) {
  const hash = (...parts: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest()
  return {
    key: hash('amp', from.uid, parentRunId, idempotencyKey),
    request: hash(agentPath(to), payloadDigest),
  }
}

// The account as TokenReview returned it; its key signed the envelope.
function accountOf({ namespace, name }: AgentName): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  return { username: `system:serviceaccount:${namespace}:${name}`, uid: '', groups, extra: {} }
}

async function toPeerRun(services: ChildRunServices, run: SelectedRun): Promise<PeerRun> {
  return { ...(await toDelegated(services, run)), conversationId: run.conversation_id }
}
