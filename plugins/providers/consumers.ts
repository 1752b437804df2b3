import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { modelCallMetered } from './contract/events.ts'
import type { ProvidersTables } from './contract/tables.ts'
import { attemptsOf } from './health/attempts.ts'
import { forgetProvider, recordAttempts } from './store/health-rows.ts'

// Health is a matter of minutes; calls are many.
const EVERY_MS = 5_000

/** Keeps the health of providers, from the calls of the gateway only. */
export function healthConsumers(): readonly Consumer[] {
  return [
    on(
      'providers.health',
      [modelCallMetered],
      { order: 'none', from: 'now', everyMs: EVERY_MS },
      async (events, tx) => {
        const attempts = events.flatMap(({ data, time }) => attemptsOf(data, new Date(time)))
        await recordAttempts(tx.tables<ProvidersTables>(), attempts)
      },
    ),
    on('providers.forget', [objectDeleted], { order: 'none', from: 'now' }, async (events, tx) => {
      for (const { subject } of events)
        if (subject.kind === ModelProvider.kind)
          await forgetProvider(tx.tables<ProvidersTables>(), subject.namespace ?? '', subject.name)
    }),
  ]
}
