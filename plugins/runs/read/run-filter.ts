import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import type { RunListQuery } from '#schemas/api/run-requests.ts'
import type { FailReason, RunState } from '#schemas/runs/run.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import type { RunFilter } from '../contract/caller-runs.ts'
import { idPattern } from '../contract/run.ts'

/** Parameters of a list or of statistics that select runs. */
export type RunFilterQuery = Omit<
  Static<typeof RunListQuery>,
  'limit' | 'cursor' | 'namespace' | 'scope' | 'order' | 'total'
>

/** The filter of a query. Throws `invalid_query` for values that their schemas do not exclude. */
export function toFilter(query: RunFilterQuery, agentUid?: string): RunFilter {
  const { agent, conversationId, subject, trigger, model, hasFeedback, state, failReason } = query
  const since = toSince(query)
  const until = query.to === undefined ? undefined : new Date(query.to)
  if (since !== undefined && until !== undefined && since >= until) throw refuseParameter('?to', 'must be after from')
  return {
    agent,
    agentUid,
    conversationId,
    subject,
    trigger,
    model,
    hasFeedback,
    since,
    until,
    ...toStates(state),
    failReasons: failReason?.split(',') as readonly FailReason[] | undefined,
    label: query.label === undefined ? undefined : toLabel(query.label),
    parent: query.parent === undefined ? undefined : toParent(query.parent),
    minDurationMs: query.minDuration === undefined ? undefined : durationToMs(query.minDuration),
    prefix: query.q,
  }
}

// One state has indexes in the order of lists.
function toStates(text: string | undefined): Pick<RunFilter, 'state' | 'states'> {
  const states = text === undefined ? [] : [...new Set(text.split(',') as RunState[])]
  return states.length > 1 ? { states } : { state: states[0] }
}

function toSince({ from, since }: RunFilterQuery): Date | undefined {
  if (from !== undefined && since !== undefined)
    throw refuseParameter('?since', 'is another name of from; give one of them')
  const given = from ?? since
  return given === undefined ? undefined : new Date(given)
}

function toParent(id: string): string {
  if (idPattern.test(id)) return id
  throw refuseParameter('?parent', 'must be the id of a run')
}

function toLabel(label: string): readonly [string, string] {
  const at = label.indexOf('=')
  if (at > 0) return [label.slice(0, at), label.slice(at + 1)]
  throw refuseParameter('?label', 'must be key=value')
}

/** The refusal of a parameter. */
export function refuseParameter(pointer: string, detail: string): Fail {
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
