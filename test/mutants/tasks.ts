import type { Mutant } from './mutant.ts'

const jobs = ['core/host/role/job-runner.test.ts']
const tasks = ['core/tasks/tasks.test.ts']
const sealed = ['core/signing/sealed.test.ts']
const owned = ['core/controllers/apply-owned.test.ts']
const system = ['core/host/role/system-reads.test.ts']

/** Defects in jobs, tasks and system reads. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a missed tick of a cron job is forgotten',
    file: 'core/host/role/cron-catch-up.ts',
    find: 'let last = await lastTick(job, term, options)',
    replace: 'await lastTick(job, term, options)\n  let last = options.now()',
    tests: jobs,
    only: 'PGlite: cron jobs: ticks missed',
  },
  {
    name: 'an interrupted execution of a cron job is recorded',
    file: 'core/host/role/run-job.ts',
    find: "return term.signal.aborted ? 'aborted' : 'ok'",
    replace: "return 'ok'",
    tests: jobs,
    only: 'PGlite: cron jobs: a failed or interrupted',
  },
  {
    name: 'a tick of a cron job is not recorded',
    file: 'core/host/role/cron-catch-up.ts',
    find: 'await platform.ticks?.record(job.name, tick).catch(',
    replace: 'await Promise.reject(new Error(String(tick))).catch(',
    tests: jobs,
    only: 'PGlite: cron jobs: ticks missed',
  },
  {
    name: 'a cron expression is checked when its job runs, not at the start',
    file: 'core/host/role/declare-work.ts',
    find: "  for (const { plugin = '', value } of jobs) callSlot(plugin, 'jobs', () => checkJob(value))\n",
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
  {
    name: 'a claim does not raise the epoch of a task',
    file: 'core/tasks/claim-tasks.ts',
    find: 'epoch = epoch + 1, attempts',
    replace: 'epoch = epoch + 0, attempts',
    tests: tasks,
    only: 'PGlite: tasks: an attempt whose lease',
  },
  {
    name: 'an attempt without its lease may write',
    file: 'core/tasks/task-lease.ts',
    find: 'if (rows.length === 0) throw',
    replace: 'if (rows.length > 1) throw',
    tests: tasks,
    only: 'PGlite: tasks: an attempt whose lease',
  },
  {
    name: 'an attempt without its lease ends the task',
    file: 'core/tasks/settle-tasks.ts',
    find: 'join given g using (id, epoch)',
    replace: 'join given g using (id)',
    tests: tasks,
    only: 'PGlite: tasks: an attempt whose lease',
  },
  {
    name: 'one namespace takes every place of a worker',
    file: 'core/tasks/claim-tasks.ts',
    find: 'least(p.most - coalesce(h.count, 0),',
    replace: 'least(p.free,',
    tests: tasks,
    only: 'PGlite: tasks: F4',
  },
  {
    name: 'a stopping worker counts the attempts that it interrupts',
    file: 'core/tasks/settle-tasks.ts',
    find: "case g.outcome when 'released' then 1 else 0 end",
    replace: "case g.outcome when 'released' then 0 else 0 end",
    tests: tasks,
    only: 'PGlite: tasks: a stopping worker',
  },
  {
    name: 'a handler that ignores its signal keeps its place',
    file: 'core/tasks/run-attempt.ts',
    find: 'await Promise.race([work, abandoned.promise])',
    replace: 'await work',
    tests: tasks,
    only: 'PGlite: tasks: an attempt ends at its deadline',
  },
  {
    name: 'the message of an error is stored with a task',
    file: 'core/tasks/run-attempt.ts',
    find: 'const name = codeOf(error) ?? (error instanceof Error ? error.name',
    replace: "const name = codeOf(error) ?? (error instanceof Error ? error.message.replaceAll(' ', '_')",
    tests: tasks,
    only: 'PGlite: tasks: a failed task',
  },
  {
    name: 'tasks of a killed worker are not claimed again',
    file: 'core/tasks/claim-tasks.ts',
    find: 'and t.due_at <= clock_timestamp() and (t.expires_at is null or t.expires_at < clock_timestamp())\n        order by',
    replace: 'and t.due_at <= clock_timestamp() and t.expires_at is null\n        order by',
    tests: tasks,
    only: 'kill -9',
  },
  {
    name: 'a sealed value opens for any row',
    file: 'core/signing/sealed.ts',
    find: 'owner, purpose, ...(of as readonly string[])]',
    replace: 'owner, purpose]',
    tests: sealed,
  },
  {
    name: 'a sealed value opens for any plugin',
    file: 'core/signing/sealed.ts',
    find: 'String(VERSION), id, owner,',
    replace: 'String(VERSION), id,',
    tests: sealed,
  },
  {
    name: 'an object of another owner is taken over',
    file: 'core/controllers/apply-owned.ts',
    find: 'if (live !== undefined && !isControlledBy(live, owner))',
    replace: 'if (live !== undefined && owner === live)',
    tests: owned,
  },
  {
    name: 'a status is written to the successor of its object',
    file: 'core/controllers/write-status.ts',
    find: 'metadata: { resourceVersion: object.metadata.resourceVersion },',
    replace: 'metadata: {},',
    tests: owned,
  },
]
