import { readId, toEventText } from './event.ts'
import type { Events, FrameData } from './event.ts'

/** Maps tool calls. Arguments are complete when a call starts. */
export interface ToolMapper {
  /** A call that waits for approval. Its start is not sent again, and its result belongs to it. */
  proposed(toolCallId: string, name: string, args: unknown): Events
  started(data: FrameData): Events
  finished(data: FrameData): Events
}

/** Creates the mapper. */
export function createToolMapper(): ToolMapper {
  // Calls that wait for approval in a pause, at most 100.
  const waiting = new Set<string>()
  const call = (toolCallId: string, toolCallName: string, args: unknown): Events => [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: toEventText(args ?? {}) },
    { type: 'TOOL_CALL_END', toolCallId },
  ]
  return {
    proposed: (toolCallId, name, args) => {
      if (waiting.has(toolCallId)) return []
      waiting.add(toolCallId)
      return call(toolCallId, name, args)
    },
    started: ({ toolCallId, name, arguments: args }) => {
      const id = readId(toolCallId)
      return id === undefined || waiting.delete(id) ? [] : call(id, readId(name) ?? 'tool', args)
    },
    finished: ({ toolCallId, result }) => {
      const id = readId(toolCallId)
      if (id === undefined) return []
      waiting.delete(id)
      return [
        {
          type: 'TOOL_CALL_RESULT',
          messageId: `${id}-result`,
          toolCallId: id,
          role: 'tool',
          content: toEventText(result),
        },
      ]
    },
  }
}
