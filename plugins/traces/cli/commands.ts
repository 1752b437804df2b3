import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl traces list`. */
export const tracesList = defineApiCommand({
  words: 'traces list',
  summary: 'list traces, newest first',
  examples: [['traces list --status error --min-duration 2s', 'slow traces with an error']],
  options: {
    ...listOptions,
    agent: { value: 'NAME', help: 'traces whose root an agent sent' },
    name: { value: 'SPAN', help: 'traces whose root has this name' },
    status: { value: 'STATUS', help: 'traces with one status: ok, error or unset' },
    'min-duration': { value: 'DURATION', help: 'traces of this duration or longer, such as 2s' },
    from: { value: 'TIME', help: 'traces that started at this time (RFC 3339) or later' },
    to: { value: 'TIME', help: 'traces that started before this time' },
  },
  load: async () => (await import('./print-traces.ts')).printTraces,
})

/** `meshctl traces get`. */
export const tracesGet = defineApiCommand({
  words: 'traces get',
  summary: 'show a trace',
  examples: [['traces get 4bf92f3577b34da6a3ce929d0e0e4736 -o yaml', 'the trace with its spans']],
  options: { trace: { positional: true, required: true, value: 'ID', help: 'id of the trace, or of a run of it' } },
  load: async () => (await import('./print-traces.ts')).printTrace,
})
