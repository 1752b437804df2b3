import type { Core } from '#core/plugin/core-services.ts'
import type { CallFilter, FilterContext, ModelFilter } from '#plugins/providers/contract/points.ts'
import { createFindApplying } from './applying-policies.ts'
import { createHttpCheck } from './http-check.ts'
import { externalHooks } from './external-hooks.ts'
import { ruleHooks } from './rule-hooks.ts'
import { countFindings, forgedProof } from './verdicts.ts'
import type { CountFindings } from './verdicts.ts'

const rulesName = 'guardrails.rules'
/** More than the longest timeout of one check. */
const externalTimeoutMs = 30_000

const refuseForged: CallFilter = { request: () => forgedProof }

/**
 * The filters of the gateway. `guardrails.rules` applies the rules that launchers apply, unless a launcher proves that it has applied them.
 * `guardrails.external` calls the HTTP services of rules, after the masks of the other rules.
 */
export function createPolicyFilters(core: Core, ttlMs?: number): readonly ModelFilter[] {
  const find = createFindApplying(core, ttlMs)
  let counter: CountFindings | undefined
  // Created at the first call: other roles have no such metric.
  const countFor =
    ({ decided }: FilterContext): CountFindings =>
    (findings) => {
      counter ??= countFindings(core)
      counter(findings)
      decided(findings)
    }
  const rules: ModelFilter = {
    name: rulesName,
    async open(call, context) {
      const { set, isGuarded, isForged } = await find(call, context.gateway)
      if (isForged) return refuseForged
      return isGuarded || set.guard.stages.size === 0 ? undefined : ruleHooks(set.guard, call, countFor(context))
    },
  }
  const external: ModelFilter = {
    name: 'guardrails.external',
    after: [rulesName],
    timeoutMs: externalTimeoutMs,
    async open(call, context) {
      const applying = await find(call, context.gateway)
      if (applying.isForged || applying.set.external.length === 0) return undefined
      const check = createHttpCheck(core, { call, signal: () => context.signal })
      return externalHooks(applying, check, countFor(context))
    },
  }
  return [rules, external]
}
