import type { Dispatcher } from 'undici'
import { coreErrors } from '#core/errors/core-errors.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ErrorDefinition } from '#core/errors/define-errors.ts'
import { collect } from '#core/http-client/request.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import { requestTarget } from '#schemas/wire/state-path.ts'
import type { StatePath } from '#schemas/wire/state-path.ts'
import type { StateProblem } from '#schemas/wire/problem.ts'
import { runErrors } from '../contract/errors.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { StateUnavailable } from './segment/settle-failure.ts'
import type { HeldAttempt } from './segment/worker-services.ts'

/** Asks the state role about a run that this worker holds. Throws `StateUnavailable` without a response, and a refusal as `Fail`. */
export type StateQuestions = <Response>(
  path: StatePath<string, unknown, Response>,
  attempt: HeldAttempt,
  body?: object,
) => Promise<Response>

/** Options of `createStateQuestions`. */
export interface StateQuestionsOptions {
  readonly dispatcher: Dispatcher
  readonly origin: () => string
  readonly attemptOf: (run: SelectedRun, epoch: number) => Promise<string>
}

/** Creates the questions of a worker, which authenticates each with the attempt token of the run. */
export function createStateQuestions({ dispatcher, origin, attemptOf }: StateQuestionsOptions): StateQuestions {
  return async (path, { run, epoch, signal }, body = {}) => {
    const { method } = path
    const received = await collect(dispatcher, {
      method,
      origin: origin(),
      path: requestTarget(path, { id: run.id }),
      headers: { 'x-mesh-run-attempt': await attemptOf(run, epoch), 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw new StateUnavailable(`state role did not respond to ${path.path}`, { cause: error })
    })
    const { status, value, problem } = readResponse(path, { ...received, bytes: received.body })
    if (value !== undefined) return value
    throw errorOf(status, problem, path.path)
  }
}

const refusals: Readonly<Record<string, ErrorDefinition>> = { ...coreErrors, ...runErrors }

function errorOf(status: number, { code = '', detail, errors = [] }: StateProblem, path: string): Error {
  if (status >= 500 || status === 429) return new StateUnavailable(`state role responded with ${status} to ${path}`)
  const definition = Object.hasOwn(refusals, code) ? refusals[code] : undefined
  if (definition === undefined) return new Error(`state role responded with ${status} to ${path}`)
  return new Fail(definition, detail, { errors })
}
