import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import type { RunDetail, ResumeAnswer } from '#plugins/runs/contract/api.ts'
import type { A2aSendRequest } from '#schemas/api/a2a.ts'
import type { Interrupt } from '#schemas/runs/run.ts'
import { checkOf } from '#core/validation/validate.ts'
import { ResumeBody } from '#schemas/api/run-requests.ts'
import { a2aErrors } from '../contract/errors.ts'
import { invalidParam } from '../rpc/read-request.ts'

type SentMessage = A2aSendRequest['message']

/** Key of the metadata of a message that answers an approval: the fields of `POST /api/runs/{id}/resume`. */
export const ANSWER_KEY = 'mesh.dev/answer'

/**
 * The content of a message as the input of an agent: its texts, or the value of its only data part. Throws `a2a_content_type_not_supported` for
 * files.
 */
export function readMessageContent({ parts }: Pick<SentMessage, 'parts'>): unknown {
  const values = parts.map((part, index) => {
    if (part.text !== undefined) return { text: part.text }
    if ('data' in part) return { data: part.data }
    const isFile = ['raw', 'url', 'file'].some((field) => field in part)
    if (isFile) throw new Fail(a2aErrors.a2a_content_type_not_supported, 'Files are not supported.')
    throw invalidParam(`/message/parts/${index}`, 'must have text or data')
  })
  const [first] = values
  if (values.length === 1 && first !== undefined && 'data' in first) return first.data
  return values
    .map((value, index) => {
      if ('text' in value) return value.text
      throw invalidParam(`/message/parts/${index}`, 'data must be the only part')
    })
    .join('\n\n')
}

const textModes: ReadonlySet<string> = new Set([
  'text/plain',
  'text/*',
  'application/json',
  'application/*',
  '*/*',
  'text',
  'data',
])

/** Refuses a client that accepts neither text nor JSON. */
export function checkModes(accepted: readonly string[] | undefined): void {
  if (accepted === undefined || accepted.length === 0) return
  if (!accepted.some((mode) => textModes.has(mode.split(';', 1)[0]?.trim().toLowerCase() ?? '')))
    throw new Fail(a2aErrors.a2a_content_type_not_supported)
}

const checkAnswer = checkOf(ResumeBody)

/**
 * The answer of a message to a paused task. Questions are answered with its content. Approvals are answered with the metadata
 * `mesh.dev/answer`, or with the text `approve` or `reject`.
 */
export function readAnswer(message: SentMessage, { interrupts }: Pick<RunDetail, 'interrupts'>): ResumeAnswer {
  const given = message.metadata?.[ANSWER_KEY]
  if (given !== undefined) return readGiven(given, message, interrupts)
  const content = readMessageContent(message)
  const [only, ...others] = interrupts
  if (only === undefined || others.length > 0)
    throw invalidParam(`/message/metadata`, `${ANSWER_KEY} must name one of several interrupts`)
  if (only.reason === 'input_required') return { interruptId: only.id, payload: content }
  const decision = content === 'approve' || content === 'reject' ? content : undefined
  if (decision === undefined)
    throw invalidParam('/message/parts', `must be the string approve or reject, or metadata must have ${ANSWER_KEY}`)
  return { interruptId: only.id, decision }
}

function readGiven(given: unknown, message: SentMessage, interrupts: readonly Interrupt[]): ResumeAnswer {
  const at = `/message/metadata/${ANSWER_KEY.replace('/', '~1')}`
  const [error] = checkAnswer(given)
  if (error !== undefined) throw invalidParam(`${at}${error.pointer}`, error.detail)
  const answer = (isObject(given) ? given : {}) as ResumeAnswer
  const asked = interrupts.find(({ id }) => id === answer.interruptId) ?? interrupts[0]
  const isQuestion = asked?.reason === 'input_required' && answer.decision === undefined
  return isQuestion && answer.payload === undefined ? { ...answer, payload: readMessageContent(message) } : answer
}
