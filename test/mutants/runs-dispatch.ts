import type { Mutant } from './mutant.ts'

const decide = ['plugins/runs/lifecycle/decide.test.ts']
const dispatch = ['plugins/runs/worker/decide-dispatch.test.ts']
const worker = ['plugins/runs/worker/worker.test.ts']
const launchers = ['plugins/runs/worker/connections/choose-launcher.test.ts']
const waiting = ['plugins/runs/worker/waiting.test.ts']
const lease = ['plugins/runs/worker/lease.test.ts']

/** Defects in claiming and dispatching a run: leases, tickets, takeovers (O6). */
export const mutants: readonly Mutant[] = [
  {
    name: 'a wait is recorded again with each look at the agent',
    file: 'plugins/runs/lifecycle/decide.ts',
    find: 'mayStart(run) && run.waitReason !== reason ?',
    replace: 'mayStart(run) ?',
    tests: waiting,
    only: 'R2-UX-11',
  },
  {
    name: 'a run waits for an agent that never runs',
    file: 'plugins/runs/worker/watch-readiness.ts',
    find: "if (readiness?.outcome === 'never') {",
    replace: "if (readiness?.reason === 'never') {",
    tests: waiting,
    only: 'fails at once',
  },
  {
    name: 'an agent whose revision serves is given up for its newest spec',
    file: 'plugins/runs/launchers/judge-readiness.ts',
    find: 'agent.status?.currentRevision === undefined ? refusalOf(current, now) : undefined',
    replace: 'refusalOf(current, now)',
    tests: ['plugins/runs/launchers/judge-readiness.test.ts'],
    only: 'R2-UX-11',
  },
  {
    name: 'a worker without the lease may write',
    file: 'plugins/runs/lifecycle/run-writer.ts',
    find: 'if (author.epoch !== undefined && author.epoch !== locked.epoch) throw new LeaseLost(runId)',
    replace: 'if (author.epoch !== undefined && author.epoch > locked.epoch) throw new LeaseLost(runId)',
    tests: lease,
    only: 'O6',
  },
  {
    name: 'a worker without the lease writes what it holds',
    file: 'plugins/runs/store/internal/write-run.ts',
    find: 'and epoch = ${epoch} and',
    replace: 'and epoch >= ${epoch} and',
    tests: lease,
    only: 'O6',
  },
  {
    name: 'a claim does not raise the epoch',
    file: 'plugins/runs/store/claims.ts',
    find: 'set holder = ${holder}, epoch = epoch + 1,',
    replace: 'set holder = ${holder}, epoch = greatest(epoch, 1),',
    tests: lease,
    only: 'O6',
  },
  {
    name: 'the start is not committed before the agent is invoked',
    file: 'plugins/runs/worker/dispatch-run.ts',
    find: 'const isCommitted = await dispatch.commitStart({ ticket, launcher: launcher.at })',
    replace:
      'const isCommitted = void dispatch.commitStart({ ticket, launcher: launcher.at }).catch(() => undefined) === undefined',
    tests: worker,
    only: 'O6|travels',
  },
  {
    name: 'a takeover invokes without the ticket',
    file: 'plugins/runs/worker/dispatch-run.ts',
    find: '.invoke(request, step.ticket)',
    replace: '.invoke(request, undefined)',
    tests: worker,
    only: 'O6',
  },
  {
    name: 'a takeover asks any pod',
    file: 'plugins/runs/worker/find-launcher.ts',
    find: '  if (run.started && claim.launcher?.segment === run.segment) return { launcher: launchers.at(claim.launcher) }\n',
    replace: '',
    tests: launchers,
    only: 'takes over',
  },
  {
    name: 'a resumed run goes to any pod',
    file: 'plugins/runs/worker/connections/choose-launcher.ts',
    find: 'return ready[indexOf(preferred)] ?? ready',
    replace: 'return ready',
    tests: launchers,
    only: 'preferred',
  },
  {
    name: 'a busy pod is asked again and again',
    file: 'plugins/runs/worker/connections/choose-launcher.ts',
    find: '(indexOf(named) + 1)',
    replace: 'indexOf(named)',
    tests: launchers,
    only: 'preferred',
  },
  {
    name: 'a pod that is gone is waited for',
    file: 'plugins/runs/worker/follow-run.ts',
    find: "(outcome === 'broken' && (await attempt.launcher.isGone()))",
    replace: "(outcome === 'broken' && signal.aborted)",
    tests: launchers,
    only: 'gone',
  },
  {
    name: 'a takeover loses the run of a busy agent',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "if (isOfPreviousWorker(segment)) return 'withoutRun' in answer && answer.withoutRun",
    replace: 'if (isOfPreviousWorker(segment)) return false',
    tests: dispatch,
    only: 'requeued',
  },
  {
    name: 'a second launcher is asked after an invocation without an answer',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "  if (isUnanswered(state.segment)) return { do: 'look-up-pod' }\n",
    replace: '',
    tests: dispatch,
  },
  {
    name: 'an invocation without an answer is forgotten',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "if (answer.kind === 'no-answer') return { ...segment, unanswered: true }",
    replace: "if (answer.kind === 'no-answer') return segment",
    tests: dispatch,
  },
  {
    name: 'a run that may have started is requeued',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "return isUnanswered(state.segment) ? { do: 'release' } : { do: 'requeue'",
    replace: "return state.now < 0 ? { do: 'release' } : { do: 'requeue'",
    tests: dispatch,
  },
  {
    name: 'a stale ticket after an invocation without an answer is replaced',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "segment.by === 'this-worker' && !segment.unanswered ? { kind: 'new' }",
    replace: "segment.by === 'this-worker' ? { kind: 'new' }",
    tests: dispatch,
    only: 'lost its state',
  },
  {
    name: 'a ticket is used at another pod',
    file: 'plugins/runs/worker/decide-dispatch.ts',
    find: "(answer.kind === 'launcher' && !answer.samePod)",
    replace: "(answer.kind === 'launcher' && answer.samePod)",
    tests: dispatch,
  },
  {
    name: 'a resumed segment that never started is counted down',
    file: 'plugins/runs/lifecycle/decide.ts',
    find: "return run.started ? [{ fact: 'requeued', segment: run.segment - 1 }] : []",
    replace: "return [{ fact: 'requeued', segment: run.segment - 1 }]",
    tests: decide,
    only: 'busy',
  },
]
