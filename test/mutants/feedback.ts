import type { Mutant } from './mutant.ts'

const store = ['plugins/feedback/record-score.test.ts']
const state = ['plugins/feedback/state-routes.test.ts']
const launcher = ['plugins/feedback/launcher/feedback.test.ts']

/** Defects of feedback: scores of others' runs, scores that outlive their run or a quota, content in events. */
export const mutants: readonly Mutant[] = [
  {
    name: 'feedback: an agent scores the runs of others',
    file: 'plugins/runs/read/find-run.ts',
    find: 'return run?.agent_uid === agentUid ? toFound(run) : undefined',
    replace: 'return run === undefined ? undefined : toFound(run)',
    tests: state,
  },
  {
    name: 'feedback: a trace means the run of any agent',
    file: 'plugins/runs/read/find-run.ts',
    find: 'await firstOfTrace(db, reference.traceId, agentUid)',
    replace: 'await firstOfTrace(db, reference.traceId)',
    tests: state,
  },
  {
    name: 'feedback: a score is stored after its run was removed',
    file: 'plugins/feedback/record-score.ts',
    find: 'if (!(await runs.lockIn(tx, run.id))) throw',
    replace: 'if (run.id === "") throw',
    tests: store,
  },
  {
    name: 'feedback: scores outlive their run',
    file: 'plugins/feedback/consumers.ts',
    find: 'events.map(({ data }) => data.runId)',
    replace: 'events.slice(1).map(({ data }) => data.runId)',
    tests: store,
  },
  {
    name: 'feedback: a run has one score too many',
    file: 'plugins/feedback/record-score.ts',
    find: 'ofRun > settings.scoresPerRun',
    replace: 'ofRun > settings.scoresPerRun + 1',
    tests: store,
  },
  {
    name: 'feedback: removed scores count for the quota',
    file: 'plugins/feedback/store/scores.ts',
    find: '  await usage.subtract(db, rows)\n',
    replace: '',
    tests: store,
  },
  {
    name: 'feedback: a key of another request is repeated',
    file: 'core/http/store/keyed-row.ts',
    find: '!request.equals(row.request_hash)',
    replace: '!row.request_hash',
    tests: store,
  },
  {
    name: 'feedback: keys of agents are shared',
    file: 'core/http/idempotency.ts',
    find: 'hash([username, endpoint.method',
    replace: "hash(['', endpoint.method",
    tests: state,
  },
  {
    name: 'feedback: a former namespace shows its scores',
    file: 'core/http/store/read-rows.ts',
    find: '    inLiveNamespace(`${table}.namespace_uid`),\n',
    replace: '',
    tests: store,
  },
  {
    name: 'feedback: the event has the label',
    file: 'plugins/feedback/record-score.ts',
    find: 'traceId: run.traceId, name, source }',
    replace: 'traceId: run.traceId, name: String(request.value), source }',
    tests: store,
  },
  {
    name: 'feedback: an unknown run is an error of the platform',
    file: 'plugins/feedback/launcher/send-feedback.ts',
    find: 'if (status === 404)',
    replace: 'if (status === 410)',
    tests: launcher,
  },
  {
    name: 'launcher: a refused operation has no span',
    file: 'launcher/contract/in-span.ts',
    find: "    span.end('error', {",
    replace: "    if (error === undefined) span.end('error', {",
    tests: launcher,
  },
  {
    name: 'launcher: requests for models have no span',
    file: 'plugins/providers/launcher/listener.ts',
    find: "return inSpan(pod.tracer.start('models', parent), () => relay(response, path))",
    replace: 'return parent === null ? Promise.reject(inSpan) : relay(response, path)',
    tests: ['launcher/listeners/spans.test.ts'],
  },
  {
    name: 'feedback: the port is open without its variable',
    file: 'plugins/feedback/launcher/listener.ts',
    find: 'wanted: ({ feedback }) => feedback',
    replace: 'wanted: ({ stateUrl }) => stateUrl !== undefined',
    tests: launcher,
  },
]
