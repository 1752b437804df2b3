import { Type } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { described } from '../values/described.ts'
import { durationBounds } from '../values/duration.ts'
import { durationText } from '../kinds/parts.ts'
import { failReasons, runStates } from '../runs/run.ts'
import { time } from './common.ts'

/** One of several values, or some of them with commas between. */
function someOf(values: readonly string[], description: string) {
  const one = `(?:${values.join('|')})`
  return Type.String({
    maxLength: 512,
    pattern: `^${one}(?:,${one})*$`,
    description: `${description} Several are separated by commas: ${values.map((value) => `\`${value}\``).join(', ')}.`,
    examples: [values.at(-1)],
  })
}

const text = (description: string, maxLength: number) => Type.String({ minLength: 1, maxLength, description })

/** `?conversationId=` */
export const conversationFilter = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: CONVERSATION_ID_PATTERN,
  description: 'Runs of this conversation.',
})

/** Filters of the runs of an agent, in lists and statistics. */
export const runFilters = {
  conversationId: Type.Optional(conversationFilter),
  state: Type.Optional(someOf(runStates, 'Runs in one of these states.')),
  failReason: Type.Optional(someOf(failReasons, 'Runs that failed or were rejected for one of these reasons.')),
  subject: Type.Optional(text('Runs of this subject, with whose rights the agent acts.', 512)),
  trigger: Type.Optional(
    Type.String({
      maxLength: 63,
      pattern: '^[a-z0-9][a-z0-9-]*$',
      description: 'Runs that were started so, such as `api` or `delegate`.',
      examples: ['api'],
    }),
  ),
  model: Type.Optional(text('Runs whose first metered model call was to this model.', 256)),
  parent: Type.Optional(text('Runs that the run with this id started.', 64)),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'key=value' })),
  minDuration: Type.Optional(
    durationText(durationBounds.shownDuration, 'Ended runs that took at least this long, from their start.'),
  ),
  hasFeedback: Type.Optional(Type.Boolean({ description: 'Runs with feedback, or those without.' })),
  q: Type.Optional(
    text('Prefix of the id, the subject or the value of a label; in upper or lower case as it is written.', 128),
  ),
  from: Type.Optional(described(time, 'Runs that were created at this time or later.')),
  to: Type.Optional(described(time, 'Runs that were created before this time.')),
}

/** `?agent=` */
export const agentFilter = Type.String({ minLength: 1, maxLength: 253, description: 'Name of the agent.' })
