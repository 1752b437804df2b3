import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import type { AgUiRunInput } from '#schemas/api/ag-ui.ts'
import type { Interrupt } from '#schemas/runs/run.ts'
import { guardrailInterruptPrefix } from '#schemas/runs/run.ts'
import type { ResumeAnswer } from '../contract/caller-runs.ts'

/**
 * The input of a new run: the text of the user messages after the last message of another role. Earlier messages are in the history that the platform
 * keeps: agent messages claimed by a client are not trusted. Throws `invalid_body`.
 */
export function readPrompt({ messages }: Pick<AgUiRunInput, 'messages'>): string {
  const from = messages.findLastIndex(({ role }) => role !== 'user') + 1
  if (from === messages.length) throw invalidInput('/messages', 'must end with a message of the user')
  return messages
    .slice(from)
    .map(({ content }, index) => readContent(content, `/messages/${from + index}/content`))
    .join('\n\n')
}

function readContent(content: unknown, pointer: string): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalidInput(pointer, 'must be a string or a list of text parts')
  return content
    .map((part: unknown, index) => {
      if (isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string') return part['text']
      throw invalidInput(`${pointer}/${index}`, 'must be a part of type text: agents receive text only')
    })
    .join('')
}

type ResumeEntry = NonNullable<AgUiRunInput['resume']>[number]

/** An answer to an interrupt of a run. */
export interface AgUiAnswer {
  readonly runId: string
  readonly interruptId: string
  readonly pointer: string
  readonly entry: ResumeEntry
}

/** Splits the ids of interrupts. All must belong to one run. Throws `invalid_body`. */
export function readAnswers(resume: readonly ResumeEntry[]): readonly AgUiAnswer[] {
  const answers = resume.map((entry, index) => {
    const pointer = `/resume/${index}`
    const at = entry.interruptId.indexOf('/')
    if (at < 1) throw invalidInput(`${pointer}/interruptId`, 'must be the id of an interrupt as it was sent')
    return { runId: entry.interruptId.slice(0, at), interruptId: entry.interruptId.slice(at + 1), pointer, entry }
  })
  const other = answers.find(({ runId }) => runId !== answers[0]?.runId)
  if (other !== undefined)
    throw invalidInput(`${other.pointer}/interruptId`, 'must be of the same run as the first one')
  return answers
}

/**
 * Converts the answer to the body of `POST /api/runs/{id}/resume`. A denial is passed to the agent, which continues; an abandoned interrupt ends the
 * run. Throws `invalid_body`.
 */
export function toResumeAnswer(interrupt: Interrupt, { entry, interruptId, pointer }: AgUiAnswer): ResumeAnswer {
  if (entry.status === 'cancelled') return { interruptId, decision: 'reject', reason: 'The interrupt was cancelled.' }
  const { payload } = entry
  if (interrupt.reason === 'input_required') return { interruptId, payload }
  const given: Readonly<Record<string, unknown>> = isObject(payload) ? payload : {}
  const { approved, editedArgs, reason } = given
  if (typeof approved !== 'boolean') throw invalidInput(`${pointer}/payload/approved`, 'must be true or false')
  if (editedArgs !== undefined && !isObject(editedArgs))
    throw invalidInput(`${pointer}/payload/editedArgs`, 'must be an object')
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > 1024))
    throw invalidInput(`${pointer}/payload/reason`, 'must be a string of at most 1024 characters')
  const said = reason === undefined ? {} : { reason }
  if (approved)
    return { interruptId, decision: 'approve', ...said, ...(editedArgs === undefined ? {} : { arguments: editedArgs }) }
  const goesOn = !interruptId.startsWith(guardrailInterruptPrefix)
  return { interruptId, decision: 'reject', ...said, ...(goesOn ? { onReject: 'answer' } : {}) }
}

/** A 400 that names the field. */
export function invalidInput(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] })
}
