/** A masked part of the original text, by its offsets. */
export interface Mask {
  readonly start: number
  readonly end: number
  readonly text: string
}
