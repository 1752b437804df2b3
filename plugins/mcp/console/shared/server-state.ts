import type { KindObject } from '#ui/kinds/kind-object.ts'
import type { ShownTool } from './shown-tool.ts'

/** How a tool of the offered manifest differs from the accepted ones. */
export interface ToolDifference {
  readonly change: 'added' | 'changed' | 'removed'
  readonly tool: string
  readonly before: ShownTool | undefined
  readonly after: ShownTool | undefined
}

/** What the status of a server says of its tools. */
export interface ServerState {
  readonly tools: readonly ShownTool[]
  readonly digest: string | undefined
  readonly protocolVersion: string | undefined
  /** Digest of the manifest that waits; undefined if none does. */
  readonly proposed: string | undefined
  readonly changes: readonly ToolDifference[]
}

interface StatusFields {
  readonly tools?: readonly ShownTool[]
  readonly manifestDigest?: string
  readonly protocolVersion?: string
  readonly proposed?: {
    readonly digest?: string
    readonly changes?: readonly string[]
    readonly tools?: readonly ShownTool[]
  }
}

const kinds = ['added', 'changed', 'removed'] as const

/** Reads the status of a server. Pure. */
export function toServerState({ status }: Pick<KindObject, 'status'>): ServerState {
  const { tools, manifestDigest, protocolVersion, proposed } = (status ?? {}) as StatusFields
  const accepted = listOf(tools)
  const offered = listOf(proposed?.tools)
  return {
    tools: accepted,
    digest: manifestDigest,
    protocolVersion,
    proposed: proposed?.digest,
    changes: listOf(proposed?.changes).flatMap((words) => {
      const [kind = '', ...rest] = words.split(' ')
      const change = kinds.find((one) => one === kind)
      const tool = rest.join(' ')
      if (change === undefined) return []
      const before = accepted.find(({ name }) => name === tool)
      const after = change === 'removed' ? undefined : offered.find(({ name }) => name === tool)
      return [{ change, tool, before, after }]
    }),
  }
}

/** Whether the status asks for `spec.acceptedManifest`; where an approval is required, that has no effect. Pure. */
export function asksForAcceptance({ status }: Pick<KindObject, 'status'>, digest: string): boolean {
  return listOf(status?.conditions).some(
    ({ type, message }) => type === 'ManifestAccepted' && message.includes(`set spec.acceptedManifest to ${digest}`),
  )
}

function listOf<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value : []
}
