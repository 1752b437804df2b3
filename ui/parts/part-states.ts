import type { ReactNode } from 'react'

/** A state of a part. */
export interface PartState {
  readonly name: string
  readonly show: () => ReactNode
}

/** The states of a part that the page of parts shows and its test checks. */
export interface PartStates {
  readonly part: string
  readonly states: readonly PartState[]
}
