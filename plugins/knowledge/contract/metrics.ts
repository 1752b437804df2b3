import { defineCounter, defineHistogram } from '#core/telemetry/metrics.ts'

/** Ingests and searches of knowledge bases. */
export const knowledgeMetrics = {
  ingests: defineCounter({
    name: 'mesh_knowledge_ingests_total',
    help: 'Finished ingests by outcome: succeeded, superseded, or the code of the problem.',
    labels: ['outcome'],
    roles: ['worker'],
  }),
  parsing: defineHistogram({
    name: 'mesh_knowledge_parse_seconds',
    help: 'Time to extract the text of a document, by format.',
    labels: ['format'],
    roles: ['worker'],
    buckets: [0.1, 0.5, 1, 5, 15, 60],
  }),
  embedded: defineCounter({
    name: 'mesh_knowledge_embedded_chunks_total',
    help: 'Chunks that received a vector.',
    labels: [],
    roles: ['worker'],
  }),
  searches: defineCounter({
    name: 'mesh_knowledge_searches_total',
    help: 'Searches by mode: hybrid or full-text.',
    labels: ['mode'],
    roles: ['bff', 'state'],
  }),
}
