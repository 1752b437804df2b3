import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import { requestRecordingErasure } from './store/sizes.ts'
import type { RecordingTables } from './contract/tables.ts'

/** Records runs removed by retention or with their namespace: the state role erases their recordings. */
export function recordingConsumers(): readonly Consumer[] {
  return [
    on('recording.retention', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      await requestRecordingErasure(
        tx.tables<RecordingTables>(),
        events.map(({ data }) => data.runId),
      )
    }),
  ]
}
