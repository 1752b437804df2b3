import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Memory of agents. */
export const memoryMetrics = {
  refused: defineCounter({
    name: 'mesh_memory_refusals_total',
    help: 'Entries and items refused by a quota, by code (conversation_full, memory_quota_exceeded).',
    labels: ['code'],
    roles: ['state'],
  }),
  removed: defineCounter({
    name: 'mesh_memory_items_removed_total',
    help: 'Removed long-term memory items, by reason (expired, or agent for those of a deleted one).',
    labels: ['reason'],
    roles: ['worker'],
  }),
  storedBytes: defineGauge({
    name: 'mesh_memory_stored_bytes',
    help: 'Bytes of all long-term memory items, as read by the worker that removes them.',
    labels: [],
    roles: ['worker'],
  }),
  withoutVector: defineCounter({
    name: 'mesh_memory_texts_without_vector_total',
    help: 'Texts of agents with an embedding route that were stored or searched by their words only, by reason.',
    labels: ['reason'],
    roles: ['state'],
  }),
}
