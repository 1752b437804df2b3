import type { ServerResponse } from 'node:http'

/**
 * Adds `Connection: close` to responses written during a drain (X6), including those a handler writes to the raw response (PODA9). Node
 * reads `shouldKeepAlive` when it writes the head, so requests received before the drain are covered.
 */
export function closeWhenDraining(response: ServerResponse, draining: () => boolean): void {
  let keep = response.shouldKeepAlive
  Object.defineProperty(response, 'shouldKeepAlive', {
    get: () => keep && !draining(),
    set: (value: boolean) => {
      keep = value
    },
  })
}
