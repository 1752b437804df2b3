import type { LiveEvent } from './live-event.ts'

/** Queries that an event makes stale, by the path of their keys. */
export interface StaleKey {
  readonly path: readonly string[]
  /** Only lists: those of the path itself and their counts, not the objects below it. */
  readonly isList: boolean
  /** Such queries are sent again at most once in so many milliseconds. */
  readonly everyMs: number
}

const OBJECT_MS = 500
const LIST_MS = 2_000
const SUMMARY_MS = 5_000
const STATS_MS = 10_000
// A call is written long before its amount is in a sum that people look at.
const COST_MS = 30_000

type Rule = (event: LiveEvent) => readonly StaleKey[]

const list = (path: string, everyMs = LIST_MS): StaleKey => ({ path: [path], isList: true, everyMs })
const below = (path: readonly string[], everyMs = OBJECT_MS): StaleKey => ({ path, isList: false, everyMs })

const ofRun: Rule = ({ name }) => [
  below(['runs', name]),
  list('runs'),
  list('summary', SUMMARY_MS),
  // Their numbers of the last 24 hours, and the runs of one; the event does not name the agent.
  below(['agents'], STATS_MS),
]
const ofUsage: Rule = ({ name }) => [below(['runs', name], LIST_MS)]
const ofDecision: Rule = (event) => [...ofRun(event), below(['approvals'], LIST_MS)]
const ofObject: Rule = ({ kind, namespace, name }) => {
  const path = pathOfKind(kind)
  const own = namespace === undefined ? [path, name] : [path, namespace, name]
  const others = path === 'agents' ? [list('summary', SUMMARY_MS)] : []
  return [list(path), below(own), list('topology', SUMMARY_MS), ...others]
}
// The history of a suite marks the revisions that serve.
const ofDeployed: Rule = (event) => [...ofObject(event), below(['evalsuites'], LIST_MS)]
// The health of providers follows their calls, too.
const ofCall: Rule = () => [below(['cost'], COST_MS), below(['tenants'], COST_MS), list('providers', STATS_MS)]
const ofTenant: Rule = () => [below(['tenants'], LIST_MS), list('summary', SUMMARY_MS)]
const ofShare: Rule = () => [below(['my'], LIST_MS), below(['runs'], LIST_MS)]

const ofPrompt: Rule = () => [below(['promptversions'], LIST_MS)]

const ofDataset: Rule = () => [below(['datasets'], LIST_MS)]

const rules: Readonly<Record<string, Rule>> = {
  'agents.degraded': ofObject,
  'agents.ready': ofObject,
  'agents.revision-deployed': ofDeployed,
  'agents.revision-held': ofObject,
  'budgets.spend-limit-exceeded': ofTenant,
  'cluster.created': ofObject,
  'cluster.deleted': ofObject,
  'cluster.updated': ofObject,
  'datasets.case-archived': ofDataset,
  'datasets.cases-stored': ofDataset,
  'datasets.dataset-created': ofDataset,
  'datasets.dataset-deleted': ofDataset,
  'datasets.dataset-pinned': ofDataset,
  'datasets.dataset-updated': ofDataset,
  'datasets.label-added': ofDataset,
  'evals.evaluation-finished': ofObject,
  'evals.evaluation-requested': ofObject,
  'evals.gate-overridden': ofObject,
  'feedback.score-recorded': () => [list('feedback')],
  'knowledge.document-deleted': () => [below(['knowledgebases'], LIST_MS)],
  'knowledge.document-stored': () => [below(['knowledgebases'], LIST_MS)],
  'knowledge.ingest-failed': () => [below(['knowledgebases'], LIST_MS)],
  'memory.item-remembered': () => [below(['memory'], LIST_MS)],
  'prompts.prompt-version-created': ofPrompt,
  'prompts.prompt-version-deleted': ofPrompt,
  'prompts.prompt-version-label-moved': ofPrompt,
  'prompts.prompt-version-updated': ofPrompt,
  'prompts.revision-deleted': ofPrompt,
  'providers.model-call-metered': ofCall,
  'runs.cancel-requested': ofRun,
  'runs.cancelled': ofRun,
  'runs.created': ofRun,
  'runs.deleted': ofRun,
  'runs.failed': ofRun,
  'runs.interrupt-resolved': ofDecision,
  'runs.paused': ofDecision,
  'runs.rejected': ofRun,
  'runs.requeued': ofRun,
  'runs.resumed': ofRun,
  'runs.started': ofRun,
  'runs.succeeded': ofRun,
  'runs.timed-out': ofRun,
  'runs.usage-reported': ofUsage,
  'runs.waiting': ofRun,
  'sharing.created': ofShare,
  'sharing.revoked': ofShare,
  'tenants.quota-changed': ofTenant,
}

/** The types that the console follows, as the API names them. */
export const followedTypes: readonly string[] = Object.keys(rules).map((type) => `dev.mesh.${type}.v1`)

/** What an event makes stale; nothing for a type that no page shows. */
export function staleKeysOf(event: LiveEvent): readonly StaleKey[] {
  return Object.hasOwn(rules, event.type) ? (rules[event.type]?.(event) ?? []) : []
}

const counts: readonly string[] = ['stats']

/** Whether a query has a stale key. Its own key is its path and the parameters. */
export function isStale(queryKey: readonly unknown[], { path, isList }: StaleKey): boolean {
  const own = queryKey.filter((one) => typeof one === 'string')
  if (!path.every((segment, index) => own[index] === segment)) return false
  const rest = own.slice(path.length)
  return !isList || rest.length === 0 || (rest.length === 1 && counts.includes(rest[0] ?? ''))
}

const kindsOfPages = [
  'agents',
  'runs',
  'approvals',
  'cost',
  'tenants',
  'feedback',
  'knowledgebases',
  'memory',
  'my',
  'promptversions',
  'datasets',
  'evalsuites',
  'topology',
  'providers',
  'modelroutes',
  'secretbindings',
  'mcpservers',
  'mcptoolbindings',
  'toolregistries',
  'agentregistries',
]

/** Everything that events change, for a gap and for a page that polls. */
export const allStale: readonly StaleKey[] = [...kindsOfPages, 'summary'].map((path) => below([path]))

const otherPaths: Readonly<Record<string, string>> = { agentdeployments: 'agents', modelproviders: 'providers' }

// As the API names the routes of a kind: `GuardrailPolicy` is `guardrailpolicies`.
function pathOfKind(kind: string): string {
  const one = kind.toLowerCase()
  const several = one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`
  return otherPaths[several] ?? several
}
