import { writeLike } from '#core/json/write-like.ts'
import type { CallFilters } from '../call-filters.ts'
import { heldTooMuch, unreadableResponse } from './response-error.ts'
import type { ResponseReader } from './response-reader.ts'
import { callParts, choicesOf, messageOf, removeUnseen, textFields } from './message-parts.ts'
import type { ResponsePart } from './message-parts.ts'
import type { Piece } from '../session/text-stage.ts'

const nothing = Buffer.alloc(0)

/** Filters a response that is one JSON document. It is held until it is complete. */
export function createPlainFilter(filters: CallFilters, limit: number): ResponseReader {
  const chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.length
      if (size > limit) throw heldTooMuch(limit)
      chunks.push(Buffer.from(chunk))
    },
    take: () => Promise.resolve(nothing),
    end: () => filterCompletion(filters, Buffer.concat(chunks)),
  }
}

async function filterCompletion(filters: CallFilters, bytes: Buffer): Promise<Buffer> {
  const document = bytes.toString('utf8')
  const body = parse(document)
  const choices = choicesOf(body)
  if (choices.length === 0) throw unreadableResponse()
  let changed = false
  for (const [index, choice] of choices.entries()) if (await filterChoice(filters, choice, index)) changed = true
  return changed ? Buffer.from(writeLike(document, body)) : bytes
}

async function filterChoice(filters: CallFilters, choice: ResponsePart, index: number): Promise<boolean> {
  const message = messageOf(choice, 'message')
  let changed = filters.seesText && removeUnseen(choice, message, 'message')
  for (const field of filters.seesText ? textFields(message) : []) {
    const original = String(message[field])
    const filtered = await filterText(filters, { choice: index, field }, original)
    message[field] = filtered
    changed ||= filtered !== original
  }
  for (const part of filters.seesCalls ? callParts(message) : []) {
    const { id, name = '', arguments: text, isCustom } = part
    const custom = isCustom ? { isCustom } : {}
    const call = await filters.toolCall({ choice: index, id, name, arguments: text, ...custom })
    if (call === undefined) continue
    part.write(call.name, call.arguments)
    changed = true
  }
  return changed
}

async function filterText(
  filters: CallFilters,
  place: { readonly choice: number; readonly field: string },
  text: string,
): Promise<string> {
  let pieces: readonly Piece[] = [{ slot: { ready: '', done: false }, text, end: true }]
  for (const stage of filters.textStages(place)) pieces = await stage.push(pieces, true)
  return pieces.map((piece) => piece.text).join('')
}

function parse(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    throw unreadableResponse()
  }
}
