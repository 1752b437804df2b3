import { defineListener } from '#launcher/contract/listener.ts'
import { otlpGrpcPort, otlpHttpPort } from './port.ts'
import { startCollector } from './start-thread.ts'
import { toThreadSettings } from './thread-settings.ts'
import type { ThreadCounts } from './thread-settings.ts'

/** OTLP ports for the agent's own instrumentation. They are served in a thread (ADR 0121). */
export const collectorListener = defineListener({
  port: [otlpGrpcPort, otlpHttpPort],
  wanted: ({ collector }) => collector,
  async start({ settings, log, meter }) {
    const onCounts = ({ refusals, droppedSpans }: ThreadCounts): void => {
      for (const { listener, code, count } of refusals) meter.refused(listener, code, count)
      if (droppedSpans > 0) meter.dropped('agent', droppedSpans)
    }
    const { drain, close } = await startCollector(toThreadSettings(settings), { log, onCounts })
    return { listeners: [], drain, close }
  },
})
