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
  schema: (name: string, part: string) => `${part} of ${name} as JSON Schema`,
} as const
