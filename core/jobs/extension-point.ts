declare const carries: unique symbol

/** A named extension point, declared in its owner's `points.ts`, which imports nothing else. */
export interface Point<T> {
  readonly name: string
  /** Name of a value, if each may be contributed once: a second one ends the start, naming both plugins. */
  key?(value: T): string
  readonly [carries]?: T
}

/** One value contributed to a point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
}

/** A contributed value and its plugin. */
export interface Contributed<T> {
  readonly plugin: string
  readonly value: T
}

/** Declares an extension point. */
export function definePoint<T>(name: string, key?: (value: T) => string): Point<T> {
  return { name, ...(key === undefined ? {} : { key }) }
}

/** Contributes a value to a point. */
export function contribute<T>(point: Point<T>, value: T): Contribution {
  return { point: point.name, value }
}
