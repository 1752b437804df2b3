import type { Mutant } from './mutant.ts'

const problems = ['plugins/agents/reconcile/pod-problem.test.ts']

/** Defects in what the status of an agent says, and in what its versions and pods are made of. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a service that ends with 0 is no problem',
    file: 'plugins/agents/reconcile/pod-problem.ts',
    find: 'return ended.exitCode === 0 && !isService(pod) ? undefined',
    replace: 'return ended.exitCode === 0 ? undefined',
    tests: problems,
    only: 'UXH7',
  },
  {
    name: 'an agent that starts is reported as silent',
    file: 'plugins/agents/reconcile/pod-problem.ts',
    find: 'if (!isUp(agent?.state?.running?.startedAt, now)) return undefined',
    replace: '',
    tests: problems,
    only: 'UXH8',
  },
  {
    name: 'a condition shows control characters of a log',
    file: 'plugins/agents/reconcile/termination-message.ts',
    find: "return text.replaceAll(/\\p{C}+/gu, ' ').trim()",
    replace: 'return text.trim()',
    tests: problems,
    only: 'UXH7',
  },
  {
    name: 'a condition quotes what a webhook said of the pods',
    file: 'plugins/agents/reconcile/refused-pods.ts',
    find: "'The cluster refuses the pods; kubectl describe replicaset shows why.'",
    replace: 'text',
    tests: problems,
    only: 'PODA13',
  },
  {
    name: 'a crash after a rollout makes it overdue',
    file: 'local/workloads/deployment-status.ts',
    find: 'return !rollout.rolledOut && now',
    replace: 'return now',
    tests: ['local/workloads/plan.test.ts'],
    only: 'UXM14',
  },
  {
    name: 'every start of the platform is an event of each agent',
    file: 'plugins/agents/reconcile/events.ts',
    find: ' && !isRestart(agent, after)',
    replace: '',
    tests: ['plugins/agents/reconcile/events.test.ts'],
    only: 'UXL12',
  },
  {
    name: 'a rollback is an update like any other',
    file: 'plugins/agents/reconcile/revision.ts',
    find: "[SOURCE_ANNOTATION]: 'rollback',",
    replace: "[SOURCE_ANNOTATION]: 'update',",
    tests: ['plugins/agents/reconcile/builders.test.ts'],
    only: 'UXM6',
  },
  {
    name: 'an autoscaler makes a revision at each step',
    file: 'plugins/agents/reconcile/revision.ts',
    find: 'spec: withoutScaling(agent.spec)',
    replace: 'spec: agent.spec',
    tests: ['plugins/agents/reconcile/builders.test.ts'],
    only: 'UXM17',
  },
  {
    name: 'a guess is the author of a version',
    file: 'plugins/audit/store/change-actor.ts',
    find: " and coalesce(l.actor_exact, l.source = 'bff')",
    replace: '',
    tests: ['plugins/audit/store/read.test.ts'],
    only: 'UXM7',
  },
  {
    name: 'a version loses its number when it is rolled back to',
    file: 'plugins/agents/revisions.ts',
    find: 'formerNumbers(one).map(String).includes(which)',
    replace: 'formerNumbers(one).length < 0',
    tests: ['plugins/agents/pure.test.ts'],
    only: 'UXL16',
  },
]
