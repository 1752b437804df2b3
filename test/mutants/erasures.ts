import type { Mutant } from './mutant.ts'

const tests = ['plugins/erasures/erasures.test.ts']

/** Defects of erasures: data that stays, that comes back, or that is erased elsewhere. */
export const mutants: readonly Mutant[] = [
  {
    name: 'erasures: runs are removed before they were cancelled',
    file: 'plugins/runs/retention/erase-runs.ts',
    find: "if (!(await isErasureOverdue(db, subject))) return nothing('wait')",
    replace: '',
    tests,
  },
  {
    name: 'erasures: those of a namespace reach every namespace',
    file: 'plugins/runs/store/deletion.ts',
    find: '${namespaceUid === null ? sql`true` : sql`r.namespace_uid = ${namespaceUid}`}',
    replace: '${namespaceUid === null ? sql`true` : sql`r.namespace_uid is not null`}',
    tests,
  },
  {
    name: 'erasures: an agent keeps what it stored in an erased run',
    file: 'plugins/memory/consumers.ts',
    find: 'if (runIds.length > 0) await removeItemsOfRuns(tx, runIds)',
    replace: '',
    tests,
  },
  {
    name: 'erasures: conversations of others are erased, too',
    file: 'plugins/memory/session/session-memory.ts',
    find: 'if (list.startsWith(prefix)) await',
    replace: 'await',
    tests,
  },
  {
    name: 'erasures: a rebuild brings the name back',
    file: 'plugins/cost/projections/cost-days.ts',
    find: 'types: [modelCallMetered, usageReported, agentLabelsChanged, personErased]',
    replace: 'types: [modelCallMetered, usageReported, agentLabelsChanged]',
    tests,
  },
  {
    name: 'erasures: the list of erasures keeps the names',
    file: 'plugins/erasures/store/requests.ts',
    find: "set state = 'finished', subject = null,",
    replace: "set state = 'finished',",
    tests,
  },
  {
    name: 'erasures: a share outlives the run that it shows',
    file: 'plugins/sharing/consumers.ts',
    find: 'removeShares(tx.tables<SharingTables>(), { runIds })',
    replace: 'removeShares(tx.tables<SharingTables>(), { runIds: runIds.slice(1) })',
    tests: ['plugins/erasures/own-runs.test.ts'],
    only: 'PGlite',
  },
  {
    name: 'erasures: a recording outlives its run',
    file: 'plugins/recording/store/sizes.ts',
    find: 'where (erase_at < clock_timestamp() - ${WRITES_END_AFTER}::interval\n        or created_at',
    replace: 'where (false\n        or created_at',
    tests: ['plugins/erasures/own-runs.test.ts'],
    only: 'PGlite',
  },
  {
    name: 'erasures: the end does not wait for the state role',
    file: 'plugins/erasures/erase-subjects.ts',
    find: "!== 'done') return",
    replace: "=== 'more') return",
    tests,
  },
  {
    name: 'erasures: a late span brings content back',
    file: 'plugins/traces/receive-spans.ts',
    find: 'owners.has(chunk.traceId) ? chunk : withoutRunContents(chunk)',
    replace: 'owners.has(chunk.traceId) ? chunk : chunk',
    tests: ['plugins/traces/store/contents.test.ts'],
  },
]
