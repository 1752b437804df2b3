import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { ConsumerContext } from '#core/plugin/role-contexts.ts'
import { runs } from '#plugins/runs/index.ts'
import { runPaused } from '#plugins/runs/contract/events.ts'
import { toConsentKey } from '#schemas/names/consent-key.ts'
import { consentInterruptPrefix } from '#schemas/runs/run.ts'
import { optional } from '#core/plugin/plugin.ts'
import { grantCreated } from './contract/events.ts'
import type { McpTables } from './contract/tables.ts'
import type { McpServices } from './services.ts'
import { hasUsableGrant } from './store/grants.ts'

/** The key of the server that an interrupt waits for; undefined for another interrupt. */
function consentKeyIn(id: string): string | undefined {
  if (!id.startsWith(consentInterruptPrefix)) return undefined
  return /^([0-9a-f]{24})_/.exec(id.slice(consentInterruptPrefix.length))?.[1]
}

/**
 * Resumes runs that wait for a consent: on the grant, and on a pause that came after it. A run pauses only when there is no usable grant, so that a
 * grant resumes it once.
 */
export function mcpConsumers({ runs: api }: McpServices, context: ConsumerContext): readonly Consumer[] {
  const system = context.system(optional(runs))
  if (api === undefined || system === undefined) return []
  const options = { order: 'none', from: 'start' } as const
  return [
    on('mcp.resume-consented', [grantCreated], options, async (events, tx) => {
      for (const { data, subject } of events) {
        const key = toConsentKey(subject.namespace ?? '', data.server)
        const interruptPrefix = `${consentInterruptPrefix}${key}_`
        await api.resumeConsentedIn(tx, { subject: data.subject, interruptPrefix })
      }
    }),
    on('mcp.pauses', [runPaused], options, async (events, tx) => {
      for (const { data } of events) {
        const keys = data.interrupts.flatMap(({ id }) => consentKeyIn(id) ?? [])
        const run = keys.length === 0 ? undefined : await system.subjectOf(data.runId)
        for (const key of run === undefined ? [] : keys) {
          if (!(await hasUsableGrant(tx.tables<McpTables>(), run?.subject ?? '', key))) continue
          const interruptPrefix = `${consentInterruptPrefix}${key}_`
          await api.resumeConsentedIn(tx, { subject: run?.subject ?? '', interruptPrefix, runId: data.runId })
        }
      }
    }),
  ]
}
