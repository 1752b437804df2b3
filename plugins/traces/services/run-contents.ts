import type { RunContents } from '#plugins/runs/contract/points.ts'
import type { TracesTables } from '../contract/tables.ts'
import type { TracesServices } from './create-services.ts'
import { findContentsFor } from './find-contents.ts'

/** Contents of the spans of a run, for its tree. */
export function createRunContents({ core: { store } }: Pick<TracesServices, 'core'>): RunContents {
  return {
    async find(caller, { id, traceId, namespace, agentUid }) {
      const selection = { traceId, namespaces: [namespace], runId: id }
      const find = await findContentsFor(store.reader<TracesTables>(), caller, selection)
      return (spanId) => find({ agentUid: agentUid ?? '', spanId, namespace })
    },
  }
}
