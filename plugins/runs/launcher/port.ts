import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { durationBounds, durationProblem } from '#schemas/values/duration.ts'
import { definePort } from '#launcher/contract/http/port.ts'
import { anyValue, flag, object, enumOf, optionalField, string } from '#schemas/wire/schema.ts'

const agentName = string({ description: 'name or namespace/name' }, (value) =>
  /^(?:[a-z0-9-]{1,63}\/)?[a-z0-9.-]{1,253}$/.test(value) ? undefined : 'must be a name or namespace/name',
)
const timeout = string({ description: 'duration; the limit of a run of this agent if absent' }, (value) =>
  durationProblem(value, durationBounds.delegateTimeout),
)
const conversationId = string({}, (value) => (isConversationId(value) ? undefined : CONVERSATION_ID_DETAIL))

/** Port 2994: the agent starts runs of other agents. */
export const delegatePort = definePort({
  name: 'delegate',
  bodyLimit: 1024 * 1024,
  routes: {
    health: {
      method: 'GET',
      path: '/healthz',
      summary: 'Liveness: the port is open.',
      responses: { 200: object({ status: enumOf('ok') }) },
    },
    delegate: {
      method: 'POST',
      path: '/delegate',
      summary: 'Starts a run of another agent, and waits for its end unless `wait` is false.',
      body: object({
        agent: agentName,
        input: optionalField(anyValue),
        mode: optionalField(enumOf('spawn', 'handoff')),
        wait: optionalField(flag),
        timeout: optionalField(timeout),
        conversationId: optionalField(conversationId),
      }),
      responses: {
        200: object({ runId: string(), state: string(), output: anyValue, error: anyValue }),
        202: object({ runId: string() }),
      },
      refusals: [
        'unknown_run',
        'depth_exceeded',
        'delegate_not_allowed',
        'delegation_refused',
        'unknown_target',
        'delegation_failed',
      ],
    },
  },
})
