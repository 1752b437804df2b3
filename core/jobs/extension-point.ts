declare const carries: unique symbol

/** A named extension point; its owner's `points.ts` declares it and imports nothing else. */
export interface Point<T> {
  readonly name: string
  readonly [carries]?: T
}

/** One value for a point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
}

/** Declares an extension point. */
export function definePoint<T>(name: string): Point<T> {
  return { name }
}

/** Adds a value to a point. */
export function contribute<T>(point: Point<T>, value: T): Contribution {
  return { point: point.name, value }
}
