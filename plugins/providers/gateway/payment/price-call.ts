import type { Core } from '#core/plugin/core-services.ts'
import { callPricing } from '../../contract/points.ts'
import type { CallCost, ServedCall } from '../../contract/points.ts'

/** Cost of a call by the first plugin that knows its price. An error of a plugin is logged and counts as an unknown price. */
export async function priceCall(
  { extensions, log }: Pick<Core, 'extensions' | 'log'>,
  call: ServedCall,
): Promise<CallCost | undefined> {
  for (const { name, costOf } of extensions(callPricing)) {
    try {
      const cost = await costOf(call)
      if (cost !== undefined) return cost
    } catch (error) {
      const { provider, model } = call
      log.error(
        { plugin: name, provider, model, error: error instanceof Error ? error.name : 'unknown' },
        'model call not priced',
      )
    }
  }
  return undefined
}
