import { plural } from '#ui/text/plural.ts'

/** Words that the pages of MCP servers and of tools share, in English. */
export const toolText = {
  count: (count: number) => plural(count, 'tool', 'tools'),
  hints: {
    readOnly: 'read only',
    writes: 'writes',
    destructive: 'may destroy',
    openWorld: 'reaches out',
    none: 'no hints',
  },
  hintsAre: 'Hints are claims of the server.',
  noDescription: 'The server says nothing about it.',
  input: 'Arguments',
  output: 'Result',
  differences: {
    changes: 'Changes',
    kinds: { added: 'added', changed: 'changed', removed: 'removed' },
    compared: (tool: string) => `Definition of ${tool}`,
    before: 'Accepted',
    after: 'Offered',
  },
  decision: {
    done: {
      approved: (name: string) => `The definitions of ${name} are accepted`,
      rejected: (name: string) => `The definitions of ${name} are rejected`,
    },
    denied: (verb: string, resource: string) =>
      `You may not ${verb} ${resource} here. A person who may do so decides on it.`,
    refusals: {
      manifest_changed: 'The server has changed meanwhile. Read what it offers now, and decide again.',
      author_may_not_approve: 'You wrote this server. Another person approves its tools.',
      author_unknown:
        'Who wrote this server is not known yet. Try again in some seconds; if it stays so, save the server once more.',
      approval_not_required: 'This installation requires no approvals: there is nothing to reject.',
    },
  },
  schema: (name: string, part: string) => `${part} of ${name} as JSON Schema`,
} as const
