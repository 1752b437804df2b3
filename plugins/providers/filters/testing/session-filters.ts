import { CallFilters } from '../call-filters.ts'
import { FilterSession } from '../session/filter-session.ts'
import type { CallFilter, ModelFilter, Replacement, TextFilter } from '../../contract/model-filter.ts'

const call = {
  operation: 'chat/completions',
  model: { kind: 'route', namespace: 'a', name: 'b' },
  caller: { kind: 'person', username: 'x' },
  agent: undefined,
  runId: undefined,
  conversationId: undefined,
  traceparent: '',
  streamed: true,
  header: () => undefined,
} as const

/** Filters that apply to a call, in the order of requests, without a gateway. */
export async function openFilters(
  hooks: readonly CallFilter[],
  more: Partial<Pick<ModelFilter, 'onFailure' | 'timeoutMs'>> = {},
): Promise<CallFilters> {
  const context = {
    call,
    gateway: undefined as never,
    signal: new AbortController().signal,
    onInvocation: () => undefined,
    onError: () => undefined,
    onDecided: () => undefined,
    onStop: () => undefined,
  }
  const sessions = hooks.map(
    (opened, index) => new FilterSession({ name: `acme.f${index}`, open: () => opened, ...more }, context),
  )
  for (const session of sessions) await session.open()
  return new CallFilters(sessions)
}

/** Replaces each match. `lookBack` is the length of the longest one. */
export function masking(pattern: RegExp, mask: string, lookBack: number): TextFilter {
  return {
    lookBack,
    check({ text }) {
      const change = [...text.matchAll(pattern)].map((match): Replacement => ({
        start: match.index,
        end: match.index + match[0].length,
        text: mask,
      }))
      return change.length === 0 ? undefined : { change }
    },
  }
}
