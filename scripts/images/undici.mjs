// undici for bundles: the two dispatchers that the platform creates, their base classes, `request` and the connector. The package's own
// entry also loads fetch, WebSocket, caches and mocks: 27 ms and 7 MB at every start.
import api from 'undici/lib/api/index.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'

Object.assign(Dispatcher.prototype, api)

export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as Dispatcher } from 'undici/lib/dispatcher/dispatcher.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'

// Loaded at the first call: few processes make one. The module is CommonJS: a bundle has its exports under `default` only.
export async function fetch(input, init) {
  const { default: web } = await import('undici/lib/web/fetch/index.js')
  return web.fetch(input, init)
}

/** `request` of the package for an absolute URL and its own dispatcher. */
export async function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ ...options, origin, path: `${pathname}${search}`, method: options.method ?? 'GET' })
}
