import type { Mutant } from './mutant.ts'

const conversations = ['test/flows/conversations.test.ts']
const idempotency = ['plugins/runs/create/idempotency.test.ts']
const invoke = ['test/flows/invoke.test.ts']
const telemetry = ['core/http/observe-requests.test.ts']
const subjects = ['plugins/runs/delegation/subjects.test.ts']
const durations = ['test/property/durations.test.ts']

/** Defects in conversations, delegation, waiting for runs, and the bounds of durations. */
export const mutants: readonly Mutant[] = [
  {
    name: 'durations: the API checks the syntax only',
    file: 'core/validation/validate.ts',
    find: "? durationErrors(schema, value, '')",
    replace: '? []',
    tests: durations,
  },
  {
    name: 'durations: the rule of the CRD has no maximum for days',
    file: 'schemas/values/duration.ts',
    find: "const ofDays = maxDays < 1 ? 'false' : `self.matches('${daysUpTo(maxDays)}')`",
    replace: "const ofDays = maxDays < 1 ? 'false' : 'true'",
    tests: durations,
  },
  {
    name: 'durations: a long delay is given to one timer',
    file: 'core/async/long-timeout.ts',
    find: 'timer = setTimeout(left > MAX_TIMER_MS ? arm : done, Math.min(Math.ceil(left), MAX_TIMER_MS))',
    replace: 'timer = setTimeout(done, left)',
    tests: ['core/async/long-timeout.test.ts'],
  },
  {
    name: 'conversations: history is read of every subject',
    file: 'plugins/runs/store/internal/content.ts',
    find: "    .where('subject', '=', subject)\n",
    replace: '',
    tests: conversations,
  },
  {
    name: 'conversations: the pod names the conversation of a delegated run',
    file: 'plugins/runs/delegation/delegated-conversation.ts',
    find: 'if (!parent) return',
    replace: 'if (!parent || named) return',
    tests: conversations,
  },
  {
    name: 'delegation: the state role does not read the spec',
    file: 'plugins/runs/delegation/child-runs.ts',
    find: '  checkDelegate(agent, { namespace, name })\n',
    replace: '  void checkDelegate\n',
    tests: conversations,
  },
  {
    name: 'delegation: a launcher extends the deadline that its run has inherited',
    file: 'plugins/runs/delegation/inherited-deadline.ts',
    find: 'return inherited < named ? inherited : named',
    replace: 'return named',
    tests: subjects,
    only: 'by the deadline of its parent',
  },
  {
    name: 'delegation: a child does not get the deadline of the run',
    file: 'plugins/runs/launcher/delegate.ts',
    find: '    ...(deadline === undefined ? {} : { deadline: deadline.toISOString() }),\n',
    replace: '',
    tests: ['plugins/runs/launcher/delegate.test.ts'],
    only: 'several runs at once',
  },
  {
    name: 'grants: a renewal does not look whose grant it is',
    file: 'plugins/runs/delegation/child-runs.ts',
    find: 'grant?.runId !== run.id || grant.subject !== run.subject',
    replace: 'grant === undefined',
    tests: subjects,
  },
  {
    name: 'grants: a renewal is not stored',
    file: 'plugins/runs/delegation/child-runs.ts',
    find: '  await store.transact((tx) => replaceGrant(tx.tables<RunsTables>(), run.id, content.grant_token, fresh))\n',
    replace: '',
    tests: subjects,
  },
  {
    name: 'invoke: the run is made before reading it is reviewed',
    file: 'plugins/runs/gateway/gateway-runs.ts',
    find: "  await caller.review('get', 'runs', { namespace: agent.namespace })\n",
    replace: '',
    tests: invoke,
  },
  {
    name: 'invoke: an outcome is waited for without the right to get it',
    file: 'plugins/runs/routes/invoke.ts',
    find: "if (!streams) return (await caller.may('get', 'runs', where)) !== undefined",
    replace: 'if (!streams) return true',
    tests: invoke,
  },
  {
    name: 'idempotency: a run does not know the key of its request',
    file: 'plugins/runs/create/new-run.ts',
    find: '    ...(request.idempotency ? { idempotency: request.idempotency } : {}),\n',
    replace: '',
    tests: idempotency,
    only: 'process ended',
  },
  {
    name: 'idempotency: a repeat is refused by the quota that its own run fills',
    file: 'plugins/runs/create/create-run.ts',
    find: '  if (known) return known\n',
    replace: '',
    tests: idempotency,
    only: 'process ended',
  },
  {
    name: 'idempotency: two runs made at once for one key fail the second request',
    file: 'plugins/runs/create/create-run.ts',
    find: 'return madeMeanwhile(db, run.idempotency)\n',
    replace: "throw new Error('twice')\n",
    tests: idempotency,
    only: 'PostgreSQL: O6: a failed',
  },
  {
    name: 'idempotency: another body with the key of a run gets that run',
    file: 'plugins/runs/store/keyed.ts',
    find: '!found.idempotency_request || !idempotency.request.equals(found.idempotency_request)',
    replace: '!found.idempotency_request',
    tests: idempotency,
    only: 'a failed request',
  },
  {
    name: 'idempotency: a repeat shows the state of a run without the right to get it',
    file: 'plugins/runs/callers/caller-runs.ts',
    find: '    asQueued(run),',
    replace: '    run,',
    tests: idempotency,
    only: 'SEC18',
  },
  {
    name: 'idempotency: a claim is not renewed',
    file: 'core/http/idempotency.ts',
    find: 'const timer = setInterval(renew, RENEW_MS)',
    replace: 'const timer = setInterval(() => void renew, RENEW_MS)',
    tests: ['core/http/idempotency.test.ts'],
  },
  {
    name: 'traces: a caller of the BFF names the trace of its request',
    file: 'core/http/endpoint/request-context.ts',
    find: 'servicesOf(request.server).continuesTraces === true',
    replace: 'servicesOf(request.server) !== undefined',
    tests: telemetry,
  },
]
