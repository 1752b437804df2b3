import type { Mutant } from './mutant.ts'

const agUi = ['test/flows/ag-ui.test.ts']
const mapping = ['plugins/runs/ag-ui/map-frames.test.ts']

/** Defects in AG-UI. */
export const mutants: readonly Mutant[] = [
  {
    name: 'ag-ui: the outcome is streamed to those who may only invoke',
    file: 'plugins/runs/endpoints/ag-ui.ts',
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
]
