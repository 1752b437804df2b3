import type { Mutant } from './mutant.ts'

const jobs = ['core/host/role/job-runner.test.ts']
const system = ['core/host/role/system-reads.test.ts']

/** Defects in jobs, tasks and system reads. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a missed tick of a cron job is forgotten',
    file: 'core/host/role/job-runner.ts',
    find: 'let last = await lastTick(job, term, options)',
    replace: 'await lastTick(job, term, options)\n  let last = options.now()',
    tests: jobs,
    only: 'PGlite: cron jobs: ticks missed',
  },
  {
    name: 'an interrupted execution of a cron job is recorded',
    file: 'core/host/role/job-runner.ts',
    find: "return term.signal.aborted ? 'aborted' : 'ok'",
    replace: "return 'ok'",
    tests: jobs,
    only: 'PGlite: cron jobs: a failed or interrupted',
  },
  {
    name: 'a tick of a cron job is not recorded',
    file: 'core/host/role/job-runner.ts',
    find: 'await platform.ticks?.record(job.name, tick).catch(',
    replace: 'await Promise.reject(new Error(String(tick))).catch(',
    tests: jobs,
    only: 'PGlite: cron jobs: ticks missed',
  },
  {
    name: 'a cron expression is checked when its job runs, not at the start',
    file: 'core/host/role/declare-work.ts',
    find: '      declared.forEach(checkJob)\n',
    replace: '',
    tests: system,
    only: 'invalid expression',
  },
  {
    name: 'system reads of any plugin are open',
    file: 'core/host/role/create-system-reads.ts',
    find: 'if (!needsOf(reader).some((need) => need.plugin.name === name)) refuse',
    replace: "if (needsOf(reader).some((need) => need.plugin.name === '')) refuse",
    tests: system,
    only: 'only needs',
  },
]
