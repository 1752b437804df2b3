import { Fail } from '#core/errors/domain-error.ts'
import type { ToolReplacement } from '#plugins/mcp/contract/points.ts'
import { evalErrors } from '../contract/errors.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { failCase, findCaseOfRun } from '../store/cases.ts'

interface RecordedServices extends Pick<EvalsServices, 'store'> {
  readonly recording: Pick<EvalsServices['recording'], 'findToolResult'>
}

/**
 * Answers the tool calls of cases from their recordings: a case must not act on the world. Without a recorded call with the same arguments the case has no
 * score.
 */
export function createRecordedResponse({ store, recording }: RecordedServices): ToolReplacement {
  return async ({ runId, server, name, tool, args, objects }) => {
    const found = runId === undefined ? undefined : await findCaseOfRun(store.reader<EvalTables>(), runId)
    if (found === undefined) return undefined
    if (found.suite_spec.liveTools?.includes(name) === true) return undefined
    const source = found.content?.source.runId
    const recorded =
      source === undefined || objects === undefined
        ? undefined
        : await recording.findToolResult(objects, source, { server, name, tool, arguments: { ...args } })
    if (recorded !== undefined) return recorded
    const problem = `The recording of the case has no call of the tool ${name} with these arguments.`
    await store.transact((tx) => failCase(tx.tables<EvalTables>(), found, problem))
    throw new Fail(evalErrors.tool_not_recorded, problem)
  }
}
