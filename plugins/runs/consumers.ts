import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { decideCancel } from './lifecycle/decide.ts'
import { cancelRequested } from './contract/events.ts'
import { lockLeases } from './store/internal/lease.ts'
import { openChildren } from './store/internal/open-children.ts'
import type { RunsTables } from './contract/tables.ts'
import type { RunWriter } from './lifecycle/run-writer.ts'

const worker = { name: 'system:mesh:worker', kind: 'system' } as const

/** Cancels the child runs of a cancelled run, recursively. */
export function runsConsumers(writer: RunWriter): readonly Consumer[] {
  return [
    on('runs.cascade', [cancelRequested], { order: 'none', from: 'start' }, async (events, tx) => {
      const db = tx.tables<RunsTables>()
      for (const { actor = worker, data } of events) {
        const children = await openChildren(db, data.runId)
        await lockLeases(db, children)
        for (const child of children)
          await writer.changeIn(tx, child, { actor }, (run) => ({
            facts: terminalStates.has(run.state) ? [] : decideCancel(run),
          }))
      }
    }),
  ]
}
