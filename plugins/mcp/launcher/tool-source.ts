import type { Logger } from '#core/log/logger.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { pluginDisabled } from '#launcher/contract/state/plugin-disabled.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import { offeredTools } from '../contract/wire.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { toOfferedTool } from './offered-tool.ts'
import type { OfferedTool } from './offered-tool.ts'

/** The tools of the agent. */
export interface ToolSource {
  /** Throws `Refusal` (`tools_unavailable`) if they cannot be read. */
  current(): Promise<readonly OfferedTool[]>
  /** The next `current` reads the tools again. */
  invalidate(): void
}

/** Options of `createToolSource`; times in milliseconds. */
export interface ToolSourceOptions {
  readonly state: StateClient
  readonly log: Logger
  /** Cache TTL of the tool list (5 s). */
  readonly freshMs?: number
  /** Maximum age of the list if it cannot be refreshed (10 min). */
  readonly staleMs?: number
  /** Monotonic clock. */
  readonly now?: () => number
}

const REREAD_MS = 3_000

/**
 * Creates the source: it reads the tools from the state role, which returns only changes. In an outage the known tools are listed; the state role
 * decides about each call.
 */
export function createToolSource(options: ToolSourceOptions): ToolSource {
  const { state, log, freshMs = 5_000, staleMs = 600_000, now = () => performance.now() } = options
  let known: { readonly tools: readonly OfferedTool[]; readonly tag: string | undefined } | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let confirmedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const headers = known?.tag === undefined ? {} : { 'if-none-match': known.tag }
    // A request of the agent must not wait long for an optional refresh.
    const signal = known === undefined ? {} : { signal: AbortSignal.timeout(REREAD_MS) }
    const response = await callState(state, offeredTools, { headers, ...signal }).catch(() => undefined)
    const disabled = response && pluginDisabled(response)
    if (disabled !== undefined) {
      known = undefined
      throw disabled
    }
    const listed = response?.value?.items
    if (listed !== undefined) known = { tools: listed.map(toOfferedTool), tag: tagOf(response) }
    else if (response?.status !== 304) log.warn({ status: response?.status ?? 0 }, 'tools not read')
    // The next request tries again while no list is known.
    if (known === undefined) return
    askedAt = now()
    if (listed !== undefined || response?.status === 304) confirmedAt = askedAt
  }
  return {
    async current() {
      if (now() - askedAt >= freshMs) {
        reading ??= read().finally(() => (reading = undefined))
        await reading
      }
      if (known === undefined || now() - confirmedAt >= staleMs) throw new Refusal('tools_unavailable')
      return known.tools
    },
    invalidate() {
      askedAt = Number.NEGATIVE_INFINITY
    },
  }
}

function tagOf(response: PathResponse<unknown> | undefined): string | undefined {
  const tag = response?.headers['etag']
  return typeof tag === 'string' ? tag : undefined
}
