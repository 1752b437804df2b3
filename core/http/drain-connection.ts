import type { ServerResponse } from 'node:http'

type WriteHead = (this: ServerResponse, ...head: readonly unknown[]) => ServerResponse

/**
 * Adds `Connection: close` to responses written during a drain (X6), including those written to the raw response (PODA9) and those to requests
 * received before it. Node reads `shouldKeepAlive` in `writeHead`, which writes every head. An accessor for the field would make each response
 * an object without a shape, which costs a tenth of a small request.
 */
export function closeWhenDraining(response: ServerResponse, draining: () => boolean): void {
  const writeHead = response.writeHead as WriteHead
  response.writeHead = ((...head: readonly unknown[]) => {
    if (draining()) response.shouldKeepAlive = false
    return writeHead.apply(response, [...head])
  }) as ServerResponse['writeHead']
}
