import { Fail } from '#core/errors/domain-error.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { ToolReplacement } from '../contract/points.ts'
import { mcpErrors } from '../contract/errors.ts'
import type { BoundCall } from './call-tool.ts'
import { readToolResult } from './tool-result.ts'
import type { ToolResult } from './tool-result.ts'

/** Dependencies of answers in place of servers. */
export interface ReplaceCallOptions {
  readonly replacements: () => readonly ToolReplacement[]
  readonly objects: ObjectStore | undefined
  readonly maxResultBytes: number
}

/** Creates the function that asks other plugins for the result of a call. The first result counts. */
export function createReplaceCall({ replacements, objects, maxResultBytes }: ReplaceCallOptions) {
  return async ({ bound, args, agent, runId }: BoundCall): Promise<ToolResult | undefined> => {
    const { namespace = '', name: serverName } = bound.server.metadata
    const call = {
      agentUid: agent.uid,
      runId,
      server: `${namespace}/${serverName}`,
      name: bound.name,
      tool: bound.tool.name,
      args,
      objects,
    }
    for (const replace of replacements()) {
      const given = await replace(call)
      if (given === undefined) continue
      const result = readToolResult(given, maxResultBytes)
      if (result === undefined) throw new Fail(mcpErrors.tool_result_refused)
      return result
    }
    return undefined
  }
}
