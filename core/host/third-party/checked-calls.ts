import { requireVersion, versioned } from '#core/http/store/row-version.ts'
import { storeList } from '#core/http/store/store-list.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { isObject } from '#core/json/is-object.ts'
import { demand } from './demand.ts'

// Used in handlers: an error there is logged, and the response is a 500.

export const checkedEventStream: typeof openEventStream = (call, options) => {
  demandCall('openEventStream', call)
  return openEventStream(call, options)
}

/** One page of stored rows for a caller: cursor, filters, `scope=permitted`. */
export const checkedStoreList: typeof storeList = (call, list) => {
  demandCall('storeList', call)
  return storeList(call, list)
}

/** `ETag` of a stored row. */
export const checkedVersioned: typeof versioned = (call, version, body) => {
  demandCall('versioned', call)
  return versioned(call, version, body)
}

/** `If-Match` of a stored row. */
export const checkedRequireVersion: typeof requireVersion = (call, version) => {
  demandCall('requireVersion', call)
  return requireVersion(call, version)
}

function demandCall(helper: string, call: unknown): void {
  const isCall = isObject(call) && isObject(call['headers']) && isObject(call['reply'])
  demand(isCall, `${helper}: the first argument must be the call that the handler received`)
}
