import { isObject } from '#core/json/is-object.ts'
import { pauseReasons } from '#schemas/runs/run.ts'
import type { Interrupt } from '#schemas/runs/run.ts'
import { readId } from './event.ts'
import type { Events, FrameData } from './event.ts'
import type { ToolMapper } from './map-tools.ts'

/** Id of an interrupt in the protocol. It includes the run id, so that a response identifies the run. */
export function toAgUiInterruptId(runId: string, interruptId: string): string {
  return `${runId}/${interruptId}`
}

/** The interrupts of a `run.paused` entry. A tool call that waits for approval is announced first. */
export function mapPause(
  runId: string,
  { interrupts }: FrameData,
  tools: ToolMapper,
): { readonly events: Events; readonly interrupts: readonly object[] } {
  const given = (Array.isArray(interrupts) ? interrupts : []).filter(isInterrupt)
  const events = given.flatMap(({ reason, tool, toolCallId, arguments: args }) =>
    reason === 'approval_required' && tool !== undefined && readId(toolCallId) !== undefined
      ? tools.proposed(toolCallId ?? '', tool, args)
      : [],
  )
  return { events, interrupts: given.map((one) => toAgUiInterrupt(runId, one)) }
}

function isInterrupt(value: unknown): value is Interrupt {
  return isObject(value) && typeof value['id'] === 'string' && pauseReasons.some((one) => one === value['reason'])
}

function toAgUiInterrupt(runId: string, interrupt: Interrupt): object {
  const { id, reason, tool, arguments: args, question, toolCallId, consent } = interrupt
  const isToolCall = reason === 'approval_required' && tool !== undefined && readId(toolCallId) !== undefined
  return {
    id: toAgUiInterruptId(runId, id),
    reason: isToolCall ? 'tool_call' : otherReasons[reason],
    message: question ?? (tool === undefined ? messages[reason] : `May the agent call ${tool}?`),
    ...(isToolCall ? { toolCallId } : {}),
    ...responseSchemaOf(interrupt),
    metadata: {
      mesh: {
        runId,
        interruptId: id,
        reason,
        ...(tool === undefined ? {} : { tool, arguments: args }),
        ...(consent === undefined ? {} : { consent }),
      },
    },
  }
}

const otherReasons: Readonly<Record<Interrupt['reason'], string>> = {
  approval_required: 'confirmation',
  input_required: 'input_required',
  auth_required: 'mesh:auth_required',
  budget_hold: 'mesh:budget_hold',
}

const messages: Readonly<Record<Interrupt['reason'], string>> = {
  approval_required: 'The agent asks for approval.',
  input_required: 'The agent asks for input.',
  auth_required: 'The agent needs a grant.',
  budget_hold: 'The budget of the agent is used up.',
}

// A question carries the schema of its answer. Arguments can be edited only if the agent gave a schema for them.
function responseSchemaOf({ reason, schema }: Interrupt): { readonly responseSchema?: object } {
  if (reason === 'input_required') return isObject(schema) ? { responseSchema: schema } : {}
  const editable = reason === 'approval_required' && isObject(schema) ? { editedArgs: schema } : {}
  const properties = { approved: { type: 'boolean' }, reason: { type: 'string', maxLength: 1024 }, ...editable }
  return { responseSchema: { type: 'object', properties, required: ['approved'] } }
}
