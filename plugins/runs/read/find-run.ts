import type { Caller } from '#core/cluster/caller.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { idPattern } from '../contract/run.ts'
import { firstOfTrace, locateRun, readRun } from '../store/reads.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { unknownRun, unknownTrace } from './unknown-run.ts'
import type { FoundRun, RunReference } from '../contract/found-run.ts'

type Db = Parameters<typeof locateRun>[0]

/** Finds the run that a caller may `get`; others are reported as unknown. For a trace across namespaces: the oldest run that the caller may get. */
export async function findForCaller(db: Db, caller: Pick<Caller, 'may'>, reference: RunReference): Promise<FoundRun> {
  for (const { id, namespace } of await placesOf(db, reference)) {
    const access = await caller.may('get', 'runs', { namespace: namespace as DnsLabel })
    const run = access && (await readRun(db, access, id))
    if (run !== undefined) return toFound(run)
  }
  throw 'traceId' in reference ? unknownTrace() : unknownRun()
}

/** Finds a run of an agent; undefined if the run belongs to another one. */
export async function findOfAgent(db: Db, agentUid: string, reference: RunReference): Promise<FoundRun | undefined> {
  const run = await ofAgent(db, agentUid, reference)
  return run?.agent_uid === agentUid ? toFound(run) : undefined
}

async function ofAgent(db: Db, agentUid: string, reference: RunReference): Promise<SelectedRun | undefined> {
  if ('runId' in reference) return idPattern.test(reference.runId) ? findRun(db, reference.runId) : undefined
  const [first] = await firstOfTrace(db, reference.traceId, agentUid)
  return first && findRun(db, first.id)
}

async function placesOf(db: Db, reference: RunReference) {
  if ('traceId' in reference) return firstOfTrace(db, reference.traceId)
  const { runId: id } = reference
  const namespace = idPattern.test(id) ? await locateRun(db, id) : undefined
  return namespace === undefined ? [] : [{ id, namespace }]
}

/** A run without its content, for other plugins. */
export function toFound(run: SelectedRun): FoundRun {
  const {
    id,
    namespace,
    namespace_uid: namespaceUid,
    agent_name: agent,
    trace_id: traceId,
    trigger_kind: trigger,
  } = run
  return { id, namespace: namespace as DnsLabel, namespaceUid, agent, traceId, trigger }
}
