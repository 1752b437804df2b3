import type { UsableRoute } from '../route/usable-route.ts'

/** The route of a call, and what its providers receive besides the body. */
export interface RoutedCall {
  readonly route: UsableRoute
  /** Headers of the caller that the route passes, and Via. */
  readonly headers: Readonly<Record<string, string>>
}
