/** Thrown by {@link Spend} when a schema costs more than its bound. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly'
}

/** Counts work. Throws `TooCostly` when nothing is left. */
export type Spend = (steps: number) => void

// Reading a string costs about one step per this many characters.
const CHARACTERS_PER_STEP = 64

/** Creates the count of one check. */
export function createSpend(most: number): Spend {
  let left = most
  return (steps) => {
    left -= steps
    if (left < 0) throw new TooCostly('The schema takes more steps than the bound.')
  }
}

/** Number of steps for reading a string. */
export function stepsOf(text: string): number {
  return 1 + Math.ceil(text.length / CHARACTERS_PER_STEP)
}
