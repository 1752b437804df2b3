import { Fail } from '#core/errors/domain-error.ts'
import type { RunDetail, SelectedRun } from '#plugins/runs/contract/api.ts'
import { A2aSendParams } from '#schemas/api/a2a.ts'
import type { A2aSendRequest } from '#schemas/api/a2a.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { a2aErrors } from '../contract/errors.ts'
import { invalidParam, methodParamsReader } from '../rpc/read-request.ts'
import { checkModes, readAnswer, readMessageContent } from '../tasks/read-message.ts'
import { toTask } from '../tasks/to-task.ts'
import { readTaskRun } from './method.ts'
import type { Method, MethodCall } from './method.ts'
import { streamTask } from './stream-task.ts'

const readParams = methodParamsReader(A2aSendParams)

/**
 * `SendMessage`: a new task, or the answer to a task that requires input. Waits until the task ends or requires input, unless the client requests an
 * immediate response.
 */
export const sendMessage: Method = async (call) => {
  const request = readSend(call)
  const { run } = await deliver(call, request)
  const { configuration = {} } = request
  const view = { historyLength: configuration.historyLength }
  const returnsAtOnce = configuration.returnImmediately ?? configuration.blocking === false
  if (returnsAtOnce) return call.dialect.sent(toTask(run, view))
  const { services, runs, http } = call
  const ended = await runs.wait(http.caller, run.id, {
    timeoutMs: services.settings.waitTimeout * 1000,
    signal: http.signal,
  })
  return call.dialect.sent(toTask(ended ?? (await runs.get(http.caller, run.id)), view))
}

/** `SendStreamingMessage`: like `SendMessage`, with the updates of the task as a stream. */
export const sendStreamingMessage: Method = async (call) => {
  const request = readSend(call)
  const { run, row, after } = await deliver(call, request)
  return streamTask(call, { task: toTask(run, { historyLength: request.configuration?.historyLength }), row, after })
}

function readSend({ params }: MethodCall): A2aSendRequest {
  const request = readParams(params)
  const { configuration = {} } = request
  checkModes(configuration.acceptedOutputModes)
  const wantsPush = ['taskPushNotificationConfig', 'pushNotificationConfig'].some(
    (field) => field in configuration && Object(configuration)[field] !== null,
  )
  if (wantsPush) throw new Fail(a2aErrors.a2a_push_not_supported)
  return request
}

interface Delivered {
  readonly run: RunDetail
  readonly row: SelectedRun
  /** Journal entry after which the message has its effect. */
  readonly after: number
}

async function deliver(call: MethodCall, { message }: A2aSendRequest): Promise<Delivered> {
  const { http, runs } = call
  // The response shows the task, so the right to read it is reviewed before the task exists (SEC18).
  await http.caller.review('get', 'runs', { namespace: http.params.ns })
  const taskId = message.taskId ?? ''
  const delivered = taskId === '' ? await begin(call, message) : await answer(call, taskId, message)
  http.reply.header('x-mesh-run-id', delivered.run.id)
  const { run: row } = await runs.open(http.caller, delivered.run.id)
  return { ...delivered, row }
}

async function begin({ http, runs }: MethodCall, message: A2aSendRequest['message']): Promise<Omit<Delivered, 'row'>> {
  const { caller, access, params, traceparent } = http
  const run = await runs.create(caller, access, {
    agent: { namespace: params.ns, name: params.name },
    input: readMessageContent(message),
    conversationId: message.contextId || undefined,
    traceparent,
    trigger: 'a2a',
  })
  return { run, after: 0 }
}

async function answer(
  call: MethodCall,
  taskId: string,
  message: A2aSendRequest['message'],
): Promise<Omit<Delivered, 'row'>> {
  const { http, runs } = call
  const { caller } = http
  const run = await readTaskRun(call, taskId)
  if ((message.contextId ?? '') !== '' && message.contextId !== run.conversationId)
    throw invalidParam('/message/contextId', 'is not the context of the task')
  if (run.state !== 'paused') {
    const why = terminalStates.has(run.state) ? 'has ended' : 'is not waiting for an answer'
    throw new Fail(a2aErrors.a2a_unsupported_operation, `The task ${why} and does not accept messages.`)
  }
  const given = readAnswer(message, run)
  const access = await runs.mayUpdate(caller, run.id)
  const after = await runs.lastSeq(run.id)
  return { run: await runs.resume({ caller, access }, run.id, given), after }
}
