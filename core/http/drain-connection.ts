import type { ServerResponse } from 'node:http'

/**
 * Has the head of a response say `Connection: close` when it is written during a drain (X6), also where a handler writes it to the raw
 * response (PODA9). Node reads `shouldKeepAlive` when it writes the head; the request may have come before the drain began.
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
