import type { Static } from '#schemas/wire/schema.ts'
import type { ListedTool, toolResult } from '../contract/wire.ts'

/** A tool that a binding of the agent provides. */
export interface OfferedTool extends Omit<ListedTool, 'server'> {
  /** `namespace/name` of the McpServer. */
  readonly server: string
}

/** Result of a tool. */
export type OfferedToolResult = Static<typeof toolResult>

/** A tool as the launcher keeps it. */
export function toOfferedTool({ server: { namespace, name }, ...tool }: ListedTool): OfferedTool {
  return { ...tool, server: `${namespace}/${name}` }
}
