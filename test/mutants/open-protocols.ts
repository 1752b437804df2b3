import type { Mutant } from './mutant.ts'

const agUi = ['test/flows/ag-ui.test.ts']
const mapping = ['plugins/runs/ag-ui/map-frames.test.ts']

const a2a = ['test/flows/a2a.test.ts']

/** Defects in AG-UI and A2A. */
export const mutants: readonly Mutant[] = [
  {
    name: 'ag-ui: the outcome is streamed to those who may only invoke',
    file: 'plugins/runs/routes/ag-ui.ts',
    find: "      await caller.review('get', 'runs', { namespace: params.ns })\n",
    replace: '',
    tests: agUi,
  },
  {
    name: 'ag-ui: a run of another thread is resumed',
    file: 'plugins/runs/ag-ui/resume-ag-ui.ts',
    find: ' && run.conversationId === threadId',
    replace: '',
    tests: agUi,
  },
  {
    name: 'ag-ui: one of several interrupts is answered',
    file: 'plugins/runs/ag-ui/resume-ag-ui.ts',
    find: 'open.delete(answer.interruptId)',
    replace: '',
    tests: agUi,
  },
  {
    name: 'ag-ui: an entry within a message has an id',
    file: 'plugins/runs/ag-ui/stream-ag-ui.ts',
    find: 'mapper.isSettled && frame.seq',
    replace: 'frame.seq',
    tests: agUi,
  },
  {
    name: 'ag-ui: an approved call is announced again',
    file: 'plugins/runs/ag-ui/map-tools.ts',
    find: 'id === undefined || waiting.delete(id)',
    replace: 'id === undefined',
    tests: mapping,
  },
  {
    name: 'ag-ui: a run ends with an open message',
    file: 'plugins/runs/ag-ui/map-frames.ts',
    find: '[...messages.closeAll(), ...steps.closeAll()',
    replace: '[...steps.closeAll()',
    tests: mapping,
  },
  {
    name: 'ag-ui: the text of a snapshot is sent again',
    file: 'plugins/runs/ag-ui/map-messages.ts',
    find: 'text.slice(have - offset)',
    replace: 'text',
    tests: mapping,
  },
  {
    name: 'a2a: a task of another agent is shown',
    file: 'plugins/a2a/methods/method.ts',
    find: 'if (run.agent?.namespace !== params.ns || run.agent.name !== params.name)',
    replace: 'if (run.agent === null)',
    tests: a2a,
  },
  {
    name: 'a2a: an agent that is not exposed is served',
    file: 'plugins/a2a/card/read-agent.ts',
    find: 'if (agent.spec.a2a?.expose === true)',
    replace: 'if (agent.spec !== undefined)',
    tests: a2a,
  },
  {
    name: 'a2a: the outcome is shown to those who may only invoke',
    file: 'plugins/a2a/methods/send-message.ts',
    find: "  await http.caller.review('get', 'runs', { namespace: http.params.ns })\n",
    replace: '',
    tests: a2a,
  },
  {
    name: 'a2a: a message answers a task of another context',
    file: 'plugins/a2a/methods/send-message.ts',
    find: "(message.contextId ?? '') !== '' && message.contextId !== run.conversationId",
    replace: "message.contextId === '\\u0000'",
    tests: a2a,
  },
  {
    name: 'a2a: a list takes times that the database has not',
    file: 'plugins/a2a/methods/list-tasks.ts',
    find: 'if (isStorableTime(time.getTime())) return time',
    replace: 'if (text !== "") return time',
    tests: a2a,
  },
  {
    name: 'a2a: text is sent twice to a client that was late',
    file: 'plugins/a2a/tasks/task-updates.ts',
    find: 'const rest = isPart ? text : text.slice(have)',
    replace: 'const rest = text',
    tests: ['plugins/a2a/a2a.test.ts'],
  },
  {
    name: 'http: the 401 of a route is in its own format',
    file: 'core/http/send-error.ts',
    find: 'const wire = answer.status === 401 ? undefined : config.endpoint',
    replace: 'const wire = config.endpoint',
    tests: a2a,
  },
]
