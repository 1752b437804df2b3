import { Fail } from '#core/errors/domain-error.ts'
import { A2aTaskParams } from '#schemas/api/a2a.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { a2aErrors } from '../contract/errors.ts'
import { methodParamsReader } from '../rpc/read-request.ts'
import { toTask } from '../tasks/to-task.ts'
import { readTaskRun } from './method.ts'
import type { Method } from './method.ts'
import { streamTask } from './stream-task.ts'

const readParams = methodParamsReader(A2aTaskParams)

// A cancelled run ends shortly after the request, when its agent has stopped.
const cancelWaitMs = 5_000

/** `GetTask`. */
export const getTask: Method = async (call) => {
  const { id, historyLength } = readParams(call.params)
  return call.dialect.task(toTask(await readTaskRun(call, id), { historyLength }))
}

/** `CancelTask`: with the rights of `POST /api/runs/{id}/cancel`. */
export const cancelTask: Method = async (call) => {
  const { runs, http } = call
  const { caller, signal } = http
  const run = await readTaskRun(call, readParams(call.params).id)
  if (terminalStates.has(run.state)) throw new Fail(a2aErrors.a2a_task_not_cancelable)
  const access = await runs.mayUpdate(caller, run.id)
  await runs.cancel({ caller, access }, run.id)
  const ended = await runs.wait(caller, run.id, { timeoutMs: cancelWaitMs, signal })
  return call.dialect.task(toTask(ended ?? (await runs.get(caller, run.id))))
}

/** `SubscribeToTask`: the current task, then its updates. */
export const subscribeToTask: Method = async (call) => {
  const { runs, http } = call
  const { id } = readParams(call.params)
  // Subscribed before the task is read: an update may be in both, but none is lost.
  const after = (await runs.lastSeq(id)) ?? 0
  const run = await readTaskRun(call, id)
  if (terminalStates.has(run.state)) throw new Fail(a2aErrors.a2a_unsupported_operation, 'The task has ended.')
  const { run: row } = await runs.open(http.caller, run.id)
  return streamTask(call, { task: toTask(run), row, after })
}
