import { defineCounter } from '#core/telemetry/metrics.ts'

/** Metrics of the state role. */
export const memoryMetrics = {
  withoutVector: defineCounter({
    name: 'mesh_memory_texts_without_vector_total',
    help: 'Texts of agents with an embedding route that were stored or searched by their words only, by reason.',
    labels: ['reason'],
    roles: ['state'],
  }),
}
