import { asObject } from '#core/json/is-object.ts'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Cursors } from '#core/database/cursors.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { cutPage } from '#core/database/cut-page.ts'
import type { RunState } from '#schemas/run.ts'
import type { Run } from './to-run.ts'
import type { CallerRuns } from '../caller-runs.ts'
import type { RunFilter, RunKey } from '../store/reads.ts'

/** Parsed query of a list of runs. */
export interface RunListQuery {
  readonly agent?: string
  readonly conversationId?: string
  readonly state?: RunState
  readonly label?: string
  readonly since?: string
  readonly limit?: number
  readonly cursor?: string
}

/** A page of the API. */
export interface RunPageAnswer {
  readonly items: readonly Run[]
  readonly nextCursor: string | null
  readonly scope?: 'permitted'
}

/** Dependencies of a list: the runs, the parsed query, and the cursors of its route. */
export interface Listing {
  readonly runs: CallerRuns
  readonly query: RunListQuery
  readonly cursors: Cursors
}

/** The newest runs of one namespace, or of the cluster. */
export async function listNamespace(
  { runs, query, cursors }: Listing,
  access: Access,
  agentUid?: string,
): Promise<RunPageAnswer> {
  const { limit = 50, cursor, ...rest } = query
  const bound = { namespace: access.namespace, agentUid: agentUid ?? null, ...rest }
  const after = cursor === undefined ? undefined : toKey(cursors.open(cursor, bound))
  const rows = await runs.list(access, toFilter(rest, agentUid), { limit: limit + 1, after })
  const { items, last } = cutPage(rows, limit)
  return { items, nextCursor: last === undefined ? null : cursors.seal(keyOf(last), bound) }
}

/**
 * Runs of the namespaces that the caller may list, by name and newest first within each. The cursor has the last completed namespace
 * and the position in the next one.
 */
export async function listPermittedRuns(
  { runs, query, cursors }: Listing,
  caller: Caller,
  directory: Directory,
): Promise<RunPageAnswer> {
  const { limit = 50, cursor, ...rest } = query
  const bound = { scope: 'permitted', ...rest }
  const from = cursor === undefined ? { done: '', in: '', key: undefined } : toPosition(cursors.open(cursor, bound))
  const items: Run[] = []
  let next: { done: string; in: string; key: unknown } | undefined
  let done = from.done
  await directory.permitted(caller, 'list', 'runs', from.done, async (access) => {
    const after = access.namespace === from.in ? from.key : undefined
    const want = limit - items.length
    const page = await runs.list(access, toFilter(rest), { limit: want + 1, after })
    items.push(...page.slice(0, want))
    if (page.length <= want) {
      done = access.namespace
      return 'more'
    }
    // The page is full and shows no run of this namespace. The next page starts with it.
    next = want === 0 ? { done, in: '', key: null } : { done, in: access.namespace, key: keyOf(page[want - 1]) }
    return 'full'
  })
  return { items, nextCursor: next ? cursors.seal(next, bound) : null, scope: 'permitted' }
}

function toFilter(query: Omit<RunListQuery, 'limit' | 'cursor'>, agentUid?: string): RunFilter {
  const { agent, conversationId, state, label, since } = query
  return {
    agent,
    conversationId,
    agentUid,
    state,
    label: label === undefined ? undefined : toLabel(label),
    since: since === undefined ? undefined : new Date(since),
  }
}

function toLabel(label: string): readonly [string, string] {
  const at = label.indexOf('=')
  if (at > 0) return [label.slice(0, at), label.slice(at + 1)]
  throw new Fail('invalid_query', undefined, { errors: [{ pointer: '?label', detail: 'must be key=value' }] })
}

function keyOf(run: Run | undefined): readonly [string, string] | undefined {
  return run && [run.createdAt, run.id]
}

function toKey(position: unknown): RunKey {
  const [createdAt, id] = Array.isArray(position) ? position : []
  if (typeof createdAt !== 'string' || typeof id !== 'string') throw new Fail('invalid_cursor')
  return { createdAt: new Date(createdAt), id }
}

function toPosition(position: unknown): {
  readonly done: string
  readonly in: string
  readonly key: RunKey | undefined
} {
  const given = asObject(position)
  if (typeof given['done'] !== 'string' || typeof given['in'] !== 'string') throw new Fail('invalid_cursor')
  return { done: given['done'], in: given['in'], key: given['in'] === '' ? undefined : toKey(given['key']) }
}
