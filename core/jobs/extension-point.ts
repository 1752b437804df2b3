import type { AnyKind } from '#schemas/kinds/kind.ts'

declare const carries: unique symbol

/** A named extension point, declared in its owner's `points.ts`, which imports nothing else. */
export interface Point<T> {
  readonly name: string
  /** Name of a value, if each may be contributed once: a second one ends the start, naming both plugins. */
  key?(value: T): string
  /**
   * Checks all values together when the plugins are created, beside the kinds of the installation. Its error ends the start; its message
   * names the owner of the value.
   */
  check?(values: readonly OwnedValue<T>[], kinds: readonly OwnedValue<AnyKind>[]): void
  readonly [carries]?: T
}

/** One value contributed to a point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
}

/** A contributed value and its plugin. */
export interface ContributedValue<T> {
  readonly plugin: string
  readonly value: T
}

/** A contributed value, and its plugin as messages name it: with file and line for a third-party plugin. */
export interface OwnedValue<T> extends ContributedValue<T> {
  readonly owner: string
}

/** Declares an extension point. */
export function definePoint<T>(name: string, key?: (value: T) => string): Point<T> {
  return { name, ...(key === undefined ? {} : { key }) }
}

/** The point with a check of its values, for the `points` of its owner: `points.ts` imports no code. */
export function withCheck<T>(point: Point<T>, check: NonNullable<Point<T>['check']>): Point<T> {
  return { ...point, check }
}

/** Contributes a value to a point. */
export function contribute<T>(point: Point<T>, value: T): Contribution {
  return { point: point.name, value }
}
