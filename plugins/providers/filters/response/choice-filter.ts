import type { CallFilters } from '../call-filters.ts'
import { unreadableResponse } from './response-error.ts'
import type { FrameText, HeldFrame } from './held-frames.ts'
import type { CallPart } from './message-parts.ts'
import type { Piece, TextStage } from '../session/text-stage.ts'

const maxFields = 16

interface PendingCall {
  readonly parts: { readonly frame: HeldFrame; readonly part: CallPart }[]
  id: string | undefined
  name: string
  arguments: string
  isCustom: boolean
}

/** The filters on one choice of a stream: its texts as they arrive, its tool calls when they are complete. */
export class ChoiceFilter {
  readonly #filters: CallFilters
  readonly #choice: number
  readonly #stages = new Map<string, readonly TextStage[]>()
  #field: string | undefined
  #input: Piece[] = []
  #calls = new Map<string, PendingCall>()
  #held: HeldFrame[] = []

  constructor(filters: CallFilters, choice: number) {
    this.#filters = filters
    this.#choice = choice
  }

  /** Adds a text. A text of another field releases the previous one, so that frames keep their order; the previous field may continue later. */
  async text(field: string, slot: FrameText): Promise<void> {
    if (this.#field !== field) await this.#endText()
    this.#field = field
    this.#input.push({ slot, text: slot.original, end: true })
  }

  /** Adds parts of tool calls. The frame is held until the choice is finished. */
  async calls(frame: HeldFrame, parts: readonly CallPart[]): Promise<void> {
    await this.#endText()
    if (!this.#filters.seesCalls) return
    frame.waiting++
    this.#held.push(frame)
    for (const part of parts) {
      const call = this.#calls.get(part.key) ?? { parts: [], id: undefined, name: '', arguments: '', isCustom: true }
      this.#calls.set(part.key, call)
      call.parts.push({ frame, part })
      call.id ??= part.id
      call.name += part.name ?? ''
      call.arguments += part.arguments
      call.isCustom &&= part.isCustom
    }
  }

  /** Passes the added text to the filters, which hold back their look-back. */
  async advance(last = false): Promise<void> {
    if (this.#field === undefined || (this.#input.length === 0 && !last)) return
    let pieces: readonly Piece[] = this.#input
    this.#input = []
    for (const stage of this.#stagesOf(this.#field)) pieces = await stage.push(pieces, last)
    for (const { slot, text, end } of pieces) {
      slot.ready += text
      slot.done ||= end
    }
  }

  /** Ends the text and decides about the tool calls. */
  async finish(): Promise<void> {
    await this.#endText()
    for (const call of this.#calls.values()) await this.#decide(call)
    this.#calls = new Map()
    for (const frame of this.#held.splice(0)) frame.waiting--
  }

  async #endText(): Promise<void> {
    await this.advance(true)
    this.#field = undefined
  }

  async #decide({ parts, isCustom, ...call }: PendingCall): Promise<void> {
    const custom = isCustom ? { isCustom } : {}
    const changed = await this.#filters.toolCall({ choice: this.#choice, ...call, ...custom })
    if (changed === undefined) return
    for (const [index, { frame, part }] of parts.entries()) {
      frame.changed = true
      if (index === 0) part.write(changed.name, changed.arguments)
      else part.write(part.name === undefined ? undefined : '', '')
    }
  }

  #stagesOf(field: string): readonly TextStage[] {
    const stages = this.#stages.get(field) ?? this.#filters.textStages({ choice: this.#choice, field })
    this.#stages.set(field, stages)
    if (this.#stages.size > maxFields) throw unreadableResponse()
    return stages
  }
}
