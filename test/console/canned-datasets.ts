import type {
  CaseLabel,
  ShownCase,
  ShownDataset,
  ShownPin,
} from '../../plugins/datasets/console/shared/shown-dataset.ts'
import { answering } from './canned-answer.ts'
import { hostileName } from './canned-providers.ts'
import { cannedRunId } from './canned-runs.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

const now = '2026-11-24T08:00:00Z'
const digest = `sha256:${'a'.repeat(64)}`
const long = 'x'.repeat(2_000)

const pin: ShownPin = { version: 2, digest, cases: 3, createdAt: now, createdBy: hostileName, note: hostileName }

/** A dataset with cases, labels and pins. */
export const refunds: ShownDataset = {
  namespace: 'demo',
  name: 'refunds',
  description: `What customers ask. ${hostileName}`,
  allowedNamespaces: null,
  inputSchema: { type: 'string' },
  expectedSchema: null,
  cases: 3,
  labels: 2,
  latestPin: pin,
  createdBy: 'ada@example.com',
  createdAt: now,
  updatedAt: now,
}

/** A label of the case `a`. */
export const ownLabelOfCase: CaseLabel = {
  id: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08',
  caseId: 'a',
  name: 'correct',
  dataType: 'boolean',
  value: true,
  comment: hostileName,
  source: 'human',
  annotator: 'mira.lang@example.com',
  supersedes: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a07',
  current: true,
  createdAt: now,
}
const others: readonly CaseLabel[] = [
  { ...ownLabelOfCase, id: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a01', annotator: hostileName, value: false },
  { ...ownLabelOfCase, id: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a02', annotator: 'ada', dataType: 'text', value: long },
]

/** Cases with words, JSON and markup. */
export const cannedCases: readonly ShownCase[] = [
  { id: 'a', input: 'Where is my order?', expected: 'On its way.' },
  { id: 'b', input: `${hostileName} ${long}`, expected: { answer: hostileName, ['__proto__']: [1, null] } },
  { id: 'c', input: { question: hostileName, n: 1e308 } },
].map((one, index) => ({
  ...one,
  metadata: index === 0 ? {} : { agent: hostileName },
  source: index === 0 ? { runId: cannedRunId(3) } : {},
  tags: index === 1 ? [hostileName.slice(0, 60), 'refund', 'z'.repeat(64), 'd'] : [],
  archived: false,
  digest,
  labels: index === 0 ? [ownLabelOfCase, ...others] : [],
  createdAt: now,
  updatedAt: now,
}))

const history = [ownLabelOfCase, { ...ownLabelOfCase, id: ownLabelOfCase.supersedes!, value: false, current: false }]
const pages = [{ id: 'datasets', title: 'Datasets', section: 'Quality', path: '/datasets', capability: 'datasets' }]

/** The run of an export that has ended, with a file. */
export const exportRun = {
  id: cannedRunId(7),
  agent: null,
  executor: 'export',
  trigger: { kind: 'export', by: hostileName },
  state: 'succeeded',
  error: null,
  output: { cases: 3, runs: 5, unchanged: 0, hidden: 1, skipped: 1, file: '/api/datasets/refunds/exports/x' },
  createdAt: now,
  durationMs: 3_420,
}

const paged = (items: readonly unknown[]) => ({ items, nextCursor: null })

/** Datasets with everything that their pages show. */
export const cannedDatasets: CannedResponses = {
  ...cannedShell,
  '/api/capabilities': { profile: 'open', pages, capabilities: [{ id: 'datasets', enabled: true }] },
  '/api/datasets': paged([refunds, { ...refunds, name: 'n'.repeat(63), latestPin: null, cases: 12_800 }]),
  '/api/datasets/refunds': refunds,
  '/api/datasets/refunds/cases': answering(({ query }) => {
    const items = query.get('archived') === 'true' ? [] : cannedCases
    return { status: 200, body: paged(query.has('unlabelled') ? items.slice(1) : items) }
  }),
  ...Object.fromEntries(cannedCases.map((one) => [`/api/datasets/refunds/cases/${one.id}`, one])),
  ...Object.fromEntries(cannedCases.map(({ id }) => [`/api/datasets/refunds/cases/${id}/labels`, paged(history)])),
  '/api/datasets/refunds/pins': paged([pin, { ...pin, version: 1, note: '' }]),
  '/api/runs': paged([exportRun, { ...exportRun, id: cannedRunId(8), state: 'failed' }]),
  [`/api/runs/${cannedRunId(7)}`]: exportRun,
}
