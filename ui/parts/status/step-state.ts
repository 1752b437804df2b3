import type { text } from '../../text/en.ts'

/** How far a step is. */
export type StepState = keyof typeof text.steps

/** A step of something that a person has started. */
export interface ShownStep {
  readonly name: string
  readonly state: StepState
  /** Beside its state: how long it took. */
  readonly note?: string | undefined
}
