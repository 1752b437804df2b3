import type { CoreWith } from '#core/plugin/core-services.ts'
import { erasureMetrics } from './contract/metrics.ts'
import { eraser } from './contract/points.ts'
import type { ErasingOptions } from './erase-subjects.ts'

/** Creates the services, without I/O. */
export function createServices(core: CoreWith<readonly ['store']>): ErasingOptions {
  const items = core.metrics.counter(erasureMetrics.erased)
  const oldest = core.metrics.gauge(erasureMetrics.oldest)
  return {
    store: core.store,
    erasers: () => core.extensions(eraser),
    counted: (of, count) => {
      if (count > 0) items.inc({ of }, count)
    },
    oldest: (seconds) => oldest.set(seconds),
  }
}
