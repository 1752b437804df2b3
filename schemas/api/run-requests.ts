import { Type } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { described } from '../values/described.ts'
import { durationBounds } from '../values/duration.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN, durationText } from '../kinds/parts.ts'
import { RunId } from '../names/run-id.ts'
import { shownAs } from '../values/shown-as.ts'
import { anyValue, namespaceQuery, openObject, pageQuery, scope, time } from './common.ts'
import { agentFilter, runFilters } from './run-filters.ts'
import { Run } from './runs.ts'

const strict = { additionalProperties: false }

const conversationId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: CONVERSATION_ID_PATTERN,
  description: 'Conversation of the run. Defaults to a new one.',
})

const agentName = Type.Object(
  {
    namespace: Type.String({
      maxLength: 63,
      pattern: DNS_LABEL_PATTERN,
      description: 'Namespace of the agent.',
      examples: ['default'],
    }),
    name: Type.String({
      maxLength: 253,
      pattern: DNS_NAME_PATTERN,
      description: 'Name of the agent.',
      examples: ['hello'],
    }),
  },
  { ...strict, title: 'AgentName', description: 'Agent to run.' },
)

const since = Type.Optional(described(time, 'Another name of `from`.'))

const listed = {
  order: Type.Optional(
    Type.Enum(['newest', 'oldest', 'longest'], {
      default: 'newest',
      description: 'Order by the creation; or ended runs by the time from their start to their end (`longest`).',
    }),
  ),
  total: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the response has the number of runs in all pages.' }),
  ),
  ...pageQuery,
}

/** Query of `GET /api/runs`. */
export const RunListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    agent: Type.Optional(agentFilter),
    ...runFilters,
    since,
    scope: Type.Optional(scope),
    ...listed,
  },
  strict,
)

/** Query of `GET /api/agents/{ns}/{name}/runs`. */
export const AgentRunsQuery = Type.Object({ ...runFilters, since, ...listed }, strict)

const runFields = {
  agent: agentName,
  input: described(anyValue, 'Input of the agent: any JSON value.'),
  conversationId: Type.Optional(conversationId),
  labels: Type.Optional(
    described(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$' }), Type.String({ maxLength: 256 }), {
        additionalProperties: false,
        maxProperties: 32,
      }),
      'Labels of the run, by key; up to 32.',
    ),
  ),
}

/** Body of `POST /api/runs/{id}/retry`: what differs from the run. */
export const RetryBody = Type.Object(
  {
    input: Type.Optional(described(anyValue, 'Input in place of that of the run.')),
    conversationId: Type.Optional(conversationId),
    labels: runFields.labels,
  },
  { ...strict, title: 'RetryInput' },
)

/** Body of `POST /api/runs`. */
export const CreateRunBody = Type.Object(runFields, { ...strict, title: 'RunInput' })

/** Body of `POST /api/invoke`. */
export const InvokeBody = Type.Object(
  {
    ...runFields,
    timeout: Type.Optional(durationText(durationBounds.invokeTimeout, 'Maximum time to wait for the outcome.')),
  },
  { ...strict, title: 'InvokeInput' },
)

const { inputPreview: _, outputPreview: __, ...invoked } = Run.properties

/** Response of `POST /api/invoke`, whether the run ended in time (200) or not (202). */
export const InvokedRun = Type.Object(
  { ...invoked, runId: { ...RunId, description: 'The same value as `id`.' } },
  { title: 'InvokedRun' },
)

/** Path of the routes of one run; any string, since a malformed id gets the response for an unknown one. */
export const RunParams = Type.Object({ id: shownAs(Type.String({ maxLength: 1024 }), RunId) })

/** Body of `POST /api/runs/{id}/resume`. */
export const ResumeBody = Type.Object(
  {
    interruptId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'Required when several interrupts are open.' }),
    ),
    decision: Type.Optional(Type.Enum(['approve', 'reject'], { description: 'Required by an approval.' })),
    payload: Type.Optional({ ...anyValue, description: 'The answer to a question, which requires it.' }),
    arguments: Type.Optional(
      openObject("Arguments for an approved call in place of the model's; they must fit the interrupt's schema."),
    ),
    reason: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Stored with the run and in the audit log. Do not include secrets.',
      }),
    ),
    onReject: Type.Optional(
      Type.Enum(['end', 'answer'], {
        description:
          'A rejection ends the run (end, the default) or is returned to the agent, which continues (answer).',
      }),
    ),
  },
  { ...strict, title: 'ResumeInput' },
)
