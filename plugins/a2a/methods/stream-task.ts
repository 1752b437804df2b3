import { openEventStream } from '#core/http/stream/event-stream.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import type { LiveFrame, SelectedRun } from '#plugins/runs/contract/api.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { A2aTask, StreamItem } from '../tasks/task.ts'
import { createTaskUpdates } from '../tasks/task-updates.ts'
import { isInterrupted } from '../tasks/to-task.ts'
import type { MethodCall } from './method.ts'

/** The streamed run: the task first, then its updates after a journal entry. */
export interface StreamedRun {
  readonly task: A2aTask
  readonly row: SelectedRun
  readonly after: number
}

/** Streams a task until it ends or requires input. A disconnect ends the stream, never the run. */
export async function streamTask(
  { http, runs, rpcId, dialect }: MethodCall,
  { task, row, after }: StreamedRun,
): Promise<undefined> {
  const stream = openEventStream(http, { recheck: () => runs.open(http.caller, task.id) })
  const over = new AbortController()
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void stream.closed.then(() => over.abort())
  const sendAll = async (items: readonly StreamItem[]): Promise<void> => {
    for (const item of items) {
      const data = JSON.stringify({ jsonrpc: '2.0', id: rpcId, result: dialect.item(item) })
      await stream.send(encodeFrame({ data }))
    }
  }
  await sendAll([{ task }])
  const updates = createTaskUpdates(task)
  const send = async (frame: LiveFrame): Promise<void> => {
    if (over.signal.aborted) return
    await sendAll(updates(frame))
    if (endsStream(frame)) over.abort()
  }
  if (!isInterrupted(task.status.state)) await runs.stream(row, after, { send, signal: over.signal })
  stream.end()
  return undefined
}

function endsStream({ kind }: LiveFrame): boolean {
  return kind === 'run.paused' || [...terminalStates].some((state) => kind === `run.${state}`)
}
