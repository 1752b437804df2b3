import type { ServerResponse } from 'node:http'

const waiting = new WeakMap<ServerResponse, (() => void)[]>()

/**
 * Calls functions once when a response closes, in their order. One listener serves all of them: the parts of a server that wait for the end of a
 * request, and those of the framework, are together more than the ten at which Node.js warns of a leak.
 */
export function onClose(response: ServerResponse, act: () => void): void {
  const acts = waiting.get(response)
  if (acts !== undefined) {
    acts.push(act)
    return
  }
  const own = [act]
  waiting.set(response, own)
  response.once('close', () => {
    for (const one of own) one()
  })
}
