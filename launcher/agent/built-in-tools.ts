import type { EntryKind } from '#schemas/runs/run.ts'
import type { Span } from '#core/telemetry/tracer.ts'
import { calculate } from './calculate.ts'
import type { ToolDefinition } from './chat-messages.ts'

/** Context of a tool call. */
export interface ToolScope {
  readonly runId: string
  readonly span: Span
  /** Parent of the span. */
  readonly parentSpanId?: string
  readonly signal: AbortSignal
  emit(kind: EntryKind, data: Readonly<Record<string, unknown>>): void
}

/** A tool that the loop calls itself. A thrown error is returned to the model as the result. */
export interface Tool {
  readonly definition: ToolDefinition
  /** Offered without an entry in `tools`: another part of the spec binds it. */
  readonly always?: true
  /** A call waits for a person, whatever the entries of `tools` say. */
  readonly requiresApproval?: boolean
  run(args: Readonly<Record<string, unknown>>, scope: ToolScope): Promise<unknown>
}

/** The tool that is answered by a person. */
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

/** Returns a string argument; throws an error with its name. */
export function text(args: Readonly<Record<string, unknown>>, name: string, absent?: string): string {
  const value = args[name] ?? absent
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text`)
  return value
}
