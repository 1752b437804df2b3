/** An entry of the journal of a run. */
export interface JournalEvent {
  readonly seq: number
  readonly ts: string
  readonly kind: string
  readonly agent: string | null
  readonly spanId: string | null
  readonly data: Readonly<Record<string, unknown>>
}
