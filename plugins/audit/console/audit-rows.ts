import type { AuditEvent } from '#schemas/api/audit.ts'

/** One page of the log. */
export interface AuditRows {
  readonly items: readonly AuditEvent[]
  readonly nextCursor: string | null
}

/** The range that the page has at first. */
export const FIRST_RANGE = '7d'

/** Filters of the address beside the range, by the names of the API. */
export const filterNames = [
  'actor',
  'actor_kind',
  'action',
  'kind',
  'outcome',
  'source',
  'resource_name',
  'trace_id',
] as const

const HOUR_MS = 3_600_000

/** The time from which a relative range counts: the same for an hour, since a cursor belongs to the exact range of its page. */
export function rangeEnd(from: string, now: number): number {
  const step = from.endsWith('h') ? HOUR_MS / 12 : HOUR_MS
  return Math.floor(now / step) * step
}

type Parameters = Readonly<Record<string, string | undefined>>

/** The query of the list. */
export function toQuery(search: Parameters, range: Parameters): Parameters {
  const scope = search['namespace'] === undefined ? { scope: 'permitted' } : { namespace: search['namespace'] }
  return { ...scope, ...Object.fromEntries(filterNames.map((name) => [name, search[name]])), ...range }
}

/** Values to choose: common ones, those of the shown rows, and the chosen one. */
export function toOptions(
  common: readonly string[],
  shown: readonly string[],
  chosen: string | undefined,
): readonly { readonly value: string; readonly label: string }[] {
  const all = new Set([...common, ...shown, ...(chosen === undefined ? [] : [chosen])])
  return [...all]
    .filter((value) => value !== '')
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((value) => ({ value, label: value }))
}

/** Verbs that most logs have. */
export const commonActions = ['cancel', 'create', 'delete', 'fork', 'invoke', 'publish', 'resume', 'rollback', 'update']

/** Kinds that most logs have. */
export const commonKinds = [
  'AgentDeployment',
  'AgentRegistry',
  'AgentTemplate',
  'KnowledgeBase',
  'McpServer',
  'ModelRoute',
  'Run',
  'SecretBinding',
  'Tenant',
]
