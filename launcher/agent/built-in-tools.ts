import { calculate } from './calculate.ts'
import type { ToolDefinition } from '../contract/loop/chat-messages.ts'
import { text } from '../contract/loop/tool.ts'
import type { Tool } from '../contract/loop/tool.ts'

/** The tool that asks a person; the person's input is its result. */
export const askHuman: ToolDefinition = {
  name: 'ask_human',
  description:
    'Asks a person and waits for the answer. Use it when you need information or a decision only they can give.',
  parameters: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The complete question.' },
      schema: { type: 'object', description: 'JSON schema of the answer, if it should have a shape.' },
    },
    required: ['question'],
  },
}

/** Built-in tools of the launcher. */
export function builtInTools(now: () => Date): readonly Tool[] {
  return [
    {
      definition: {
        name: 'time',
        description: 'The current date and time.',
        parameters: {
          type: 'object',
          properties: {
            timezone: { type: 'string', description: 'IANA time zone such as Europe/Berlin; UTC when absent.' },
          },
        },
      },
      run: (args) => Promise.resolve(timeIn(now(), text(args, 'timezone', 'UTC'))),
    },
    {
      definition: {
        name: 'calculate',
        description: 'Computes an arithmetic expression exactly as written, such as (3 + 4) * 2 ^ 0.5.',
        parameters: {
          type: 'object',
          properties: {
            expression: { type: 'string', description: '+ - * / % ^, parentheses, sqrt, min, max, pi, ...' },
          },
          required: ['expression'],
        },
      },
      run: async (args) => ({ result: calculate(text(args, 'expression')) }),
    },
  ]
}

function timeIn(date: Date, timezone: string): unknown {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone: timezone })
  return { utc: date.toISOString(), timezone, local: local.format(date) }
}
