import type { ObjectStore } from '#core/objects/object-store.ts'
import { definePoint } from '#core/jobs/extension-point.ts'

/** A call of a tool by an agent, before it reaches the server. */
export interface ReplaceableCall {
  readonly agentUid: string
  /** The run that calls; undefined for a call outside of a run. */
  readonly runId: string | undefined
  /** `namespace/name` of the McpServer. */
  readonly server: string
  /** Name of the tool for the agent, and at its server. */
  readonly name: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Undefined without an object store. */
  readonly objects: ObjectStore | undefined
}

/** Returns the result of a call in place of the server, or undefined: the server is called. Throws if the call must not be made. */
export type ToolReplacement = (call: ReplaceableCall) => Promise<unknown>

/** Point for answers to calls that must not reach a server. */
export const toolReplacement = definePoint<ToolReplacement>('mcp.tool-replacement')
