import type { McpGrant } from '#schemas/api/mcp-grants.ts'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { grantsText as text } from './text.ts'

/** Whether calls can use a grant. */
export function GrantState({ grant: { usable } }: { readonly grant: McpGrant }) {
  return (
    <StatusBadge state={usable ? 'ready' : 'notready'} isPlain>
      {usable ? text.states.usable : text.states.again}
    </StatusBadge>
  )
}

/** Scopes of a grant; their words are those of the authorization server. */
export function GrantScopes({ grant: { scopes } }: { readonly grant: McpGrant }) {
  if (scopes.length === 0) return <span className="faint">{text.noScopes}</span>
  return (
    <span className="mono user-text" dir="auto">
      {scopes.join(' ')}
    </span>
  )
}

/** When the token ends, unless it is renewed. */
export function GrantEnd({ grant: { expiresAt, refreshable } }: { readonly grant: McpGrant }) {
  if (refreshable) return <span className="faint">{text.refreshed}</span>
  return <Time at={expiresAt} />
}
