declare const carries: unique symbol

/** A named extension point, declared in its owner's `points.ts`, which imports nothing else. */
export interface Point<T> {
  readonly name: string
  readonly [carries]?: T
}

/** One value contributed to a point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
}

/** Declares an extension point. */
export function definePoint<T>(name: string): Point<T> {
  return { name }
}

/** Contributes a value to a point. */
export function contribute<T>(point: Point<T>, value: T): Contribution {
  return { point: point.name, value }
}
