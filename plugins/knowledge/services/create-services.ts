import type { CoreWith } from '#core/plugin/core-services.ts'
import { createVectorSupport } from '#core/retrieval/vector-support.ts'
import type { DocumentFormat } from '../documents/parsed-document.ts'
import { knowledgeMetrics } from '../contract/metrics.ts'
import type { KnowledgeSettings } from '../contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface KnowledgeServices {
  readonly core: CoreWith<readonly ['store']>
  readonly settings: KnowledgeSettings
  readonly count: KnowledgeCounts
  /** Whether the database has pgvector. */
  readonly hasVectors: () => Promise<boolean>
}

/** Counts of the plugin's metrics. */
export interface KnowledgeCounts {
  ingested(outcome: string): void
  parsed(format: DocumentFormat, seconds: number): void
  embedded(chunks: number): void
  searched(mode: string): void
}

/** Creates the services, without I/O. */
export function createServices(core: CoreWith<readonly ['store']>, settings: KnowledgeSettings): KnowledgeServices {
  const ingests = core.metrics.counter(knowledgeMetrics.ingests)
  const parsing = core.metrics.histogram(knowledgeMetrics.parsing)
  const embedded = core.metrics.counter(knowledgeMetrics.embedded)
  const searches = core.metrics.counter(knowledgeMetrics.searches)
  let support: (() => Promise<boolean>) | undefined
  return {
    core,
    settings,
    count: {
      ingested: (outcome) => ingests.inc({ outcome }),
      parsed: (format, seconds) => parsing.observe(seconds, { format }),
      embedded: (chunks) => embedded.inc({}, chunks),
      searched: (mode) => searches.inc({ mode }),
    },
    hasVectors: () => (support ??= createVectorSupport(core.store.reader()))(),
  }
}
