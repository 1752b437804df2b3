import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { eventStreamText } from '#schemas/api/common.ts'
import { AgUiEvent, AgUiInput } from '#schemas/api/ag-ui.ts'
import { readPrompt } from '../ag-ui/read-input.ts'
import { resumeAgUi } from '../ag-ui/resume-ag-ui.ts'
import { streamAgUi } from '../ag-ui/stream-ag-ui.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { readPauseSeq } from '../store/reads.ts'
import type { RunsTables } from '../contract/tables.ts'

const example = {
  threadId: 'thread-1',
  runId: 'run-1',
  messages: [{ id: 'message-1', role: 'user', content: 'Hi' }],
}

/** The route of the Agent User Interaction Protocol: a new run of an agent, or the answers to the interrupts of a paused one. */
export function agUiEndpoint(services: Pick<CallerRunsServices, 'runs' | 'live' | 'store' | 'watch'>): AnyEndpoint {
  const { runs } = services
  return endpoint({
    method: 'POST',
    url: '/agents/:ns/:name/ag-ui',
    id: 'runAgentByAgUi',
    docs: {
      examples: { text: { summary: 'A text as input', value: example } },
      sends: ['X-Mesh-Run-Id'],
      events: AgUiEvent,
    },
    summary: 'Run an agent, or resume its paused run, over AG-UI 1.0, and stream the events of that protocol.',
    authz: {
      kind: 'review',
      verb: 'create',
      resource: 'agentdeployments/invoke',
      namespace: { in: 'path', field: 'ns' },
      name: 'name',
    },
    audit: { action: 'create', resourceKind: 'Run' },
    waits: true,
    body: AgUiInput,
    response: { 200: eventStreamText },
    handle: async (call) => {
      const { caller, access, params, body, traceparent, reply } = call
      const { threadId, runId, resume, protocolVersion } = body
      const agent = { namespace: params.ns, name: params.name }
      // The stream is the outcome of its run, so the right to read it is reviewed before the run exists (SEC18).
      await caller.review('get', 'runs', { namespace: params.ns })
      const resumed =
        resume === undefined || resume.length === 0
          ? undefined
          : await resumeAgUi(runs, caller, { agent, threadId }, resume)
      const { id } =
        resumed ??
        (await runs.create(caller, access, {
          agent,
          input: readPrompt(body),
          conversationId: threadId,
          traceparent,
          trigger: 'ag-ui',
        }))
      const { run } = await runs.open(caller, id)
      reply.header('x-mesh-run-id', id)
      const as = { threadId, runId, isCurrent: protocolVersion !== undefined }
      const pause = resumed && (await readPauseSeq(services.store.reader<RunsTables>(), run, resumed.interruptId))
      const of = pause === undefined ? {} : { resumed: pause }
      return streamAgUi(services, call, { run, as, ...of, endsAtPause: true }, () => runs.open(caller, id))
    },
  })
}
