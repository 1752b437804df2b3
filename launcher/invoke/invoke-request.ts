import type { InvokeRequest, Resolution } from '#schemas/run.ts'
import { asRecord, refuseUnknown } from '../http/json-body.ts'
import { Refusal } from '../http/refusal.ts'

/** Parses the body of `POST /invoke`; throws `Refusal` with the name of the field. */
export function parseInvokeRequest(body: unknown): InvokeRequest {
  const fields = asRecord(body)
  refuseUnknown(fields, ['input', 'conversationId', 'context'])
  if (!('input' in fields)) throw new Refusal('malformed_request', 'input: is missing')
  const conversationId = optionalText(fields.conversationId, 'conversationId')
  return {
    input: fields.input,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(fields.context === undefined ? {} : { context: parseContext(fields.context) }),
  }
}

function parseContext(value: unknown): NonNullable<InvokeRequest['context']> {
  const context = asRecord(value, 'context')
  refuseUnknown(context, ['history', 'resume'], 'context.')
  return {
    ...(context.history === undefined ? {} : { history: parseHistory(context.history) }),
    ...(context.resume === undefined ? {} : { resume: parseResume(context.resume) }),
  }
}

function parseHistory(value: unknown) {
  return list(value, 'context.history').map((item, index) => {
    const turn = asRecord(item, `context.history[${index}]`)
    return { input: turn.input, output: turn.output }
  })
}

function parseResume(value: unknown) {
  const resume = asRecord(value, 'context.resume')
  refuseUnknown(resume, ['resolutions', 'checkpoint'], 'context.resume.')
  return {
    resolutions: list(resume.resolutions, 'context.resume.resolutions').map(parseResolution),
    checkpoint: resume.checkpoint,
  }
}

function parseResolution(value: unknown, index: number): Resolution {
  const at = `context.resume.resolutions[${index}]`
  const { interruptId, decision, payload, reason, arguments: edited } = asRecord(value, at)
  if (typeof interruptId !== 'string') throw new Refusal('malformed_request', `${at}.interruptId: must be a text`)
  if (decision !== undefined && decision !== 'approve' && decision !== 'reject')
    throw new Refusal('malformed_request', `${at}.decision: must be approve or reject`)
  const why = optionalText(reason, `${at}.reason`)
  return {
    interruptId,
    ...(decision === undefined ? {} : { decision }),
    ...(payload === undefined ? {} : { payload }),
    ...(edited === undefined ? {} : { arguments: asRecord(edited, `${at}.arguments`) }),
    ...(why === undefined ? {} : { reason: why }),
  }
}

function optionalText(value: unknown, field: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new Refusal('malformed_request', `${field}: must be a text`)
}

function list(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Refusal('malformed_request', `${field}: must be a list`)
}
