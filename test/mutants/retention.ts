import type { Mutant } from './mutant.ts'

const year = ['test/retention/simulated-year.test.ts']
const stores = ['test/retention/stores.test.ts']

/** Defects of retention: data that stays, data that goes too early, and data that the list of stores does not know. */
export const mutants: readonly Mutant[] = [
  {
    name: 'retention: accounts of past windows stay',
    file: 'plugins/budgets/store/end.ts',
    find: '${retentionDays + 31})',
    replace: '${retentionDays + 3650})',
    tests: year,
  },
  {
    name: 'retention: an account goes while money is held on it',
    file: 'plugins/budgets/store/end.ts',
    find: 'where held = 0 and (\n',
    replace: 'where (\n',
    tests: ['plugins/budgets/store/past-accounts.test.ts'],
  },
  {
    name: 'retention: the account of a month goes within its retention',
    file: 'plugins/budgets/store/end.ts',
    find: '${retentionDays + 31})',
    replace: '${retentionDays})',
    tests: ['plugins/budgets/store/past-accounts.test.ts'],
  },
  {
    name: 'retention: labels of agents that are gone stay',
    file: 'plugins/cost/store/prune.ts',
    find: "interval '1 day'",
    replace: "interval '1000 days'",
    tests: year,
  },
  {
    name: 'retention: labels of an agent with cost go',
    file: 'plugins/cost/store/prune.ts',
    find: '      and not exists (select from cost_days d where d.agent_uid = a.uid)\n',
    replace: '',
    tests: ['plugins/cost/store/prune.test.ts'],
  },
  {
    name: 'retention: snapshots of removed shares stay',
    file: 'plugins/sharing/jobs.ts',
    find: '{ expired: limit }',
    replace: '{ expired: 0 }',
    // Within a year the removal of their runs removes them as well.
    tests: ['plugins/sharing/retention.test.ts'],
  },
  {
    name: 'retention: runs stay',
    file: 'plugins/runs/retention/run-retention.ts',
    find: 'const finished = await runsFinishedBefore(db, retentionDays, batch)',
    replace: 'const finished = await runsFinishedBefore(db, 20 * retentionDays, batch)',
    tests: year,
  },
  {
    name: 'retention: a table is in no row of the list',
    file: 'scripts/retention/stores.ts',
    find: "'feedback_scores', 'feedback_usage'",
    replace: "'feedback_scores'",
    tests: stores,
  },
]
