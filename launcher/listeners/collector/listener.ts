import { defineListener } from '../define-listener.ts'
import { otlpGrpcPort, otlpHttpPort } from './port.ts'
import { startCollector } from './start-thread.ts'
import { toThreadSettings } from './thread-settings.ts'

/** OTLP ports for the agent's own instrumentation. They are served in a thread (ADR 0121). */
export const collectorListener = defineListener({
  port: [otlpGrpcPort, otlpHttpPort],
  wanted: ({ collector }) => collector,
  async start({ settings, log }) {
    const { drain, close } = await startCollector(toThreadSettings(settings), log)
    return { listeners: [], drain, close }
  },
})
