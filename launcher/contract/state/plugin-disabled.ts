import { Refusal } from '../http/refusal.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'

/**
 * The refusal for a response of a plugin that is not available. Its own routes return 501; a call of an agent with a field of another unavailable
 * plugin returns 503 `plugin_disabled`. Undefined for any other response.
 */
export function pluginDisabled({
  status,
  problem: { code, detail },
}: Pick<PathResponse<unknown>, 'status' | 'problem'>): Refusal | undefined {
  const isOff = (status === 501 && code === 'not_wired') || code === 'plugin_disabled'
  return isOff ? new Refusal('plugin_disabled', detail?.slice(0, 500)) : undefined
}
