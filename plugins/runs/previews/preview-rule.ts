import { asObject } from '#core/json/is-object.ts'
import type { ObservedObject } from '#core/cluster/observed-objects.ts'
import type { ContentRule } from '../contract/found-run.ts'

/** What previews of a run may show. */
export type PreviewRule = ContentRule

/** Indexed fields of an agent. */
export type IndexedAgent = ObservedObject['spec'] | null

/** Shows everything but secrets: of agents without a policy, and of runs without an agent. */
export const unrestricted: PreviewRule = { redact: [] }

/**
 * The rule of an agent by the indexed fields of its spec, as shares apply its trace policy: a policy shows content with `capture: full` only. What is
 * not indexed yet, or could not be, hides content.
 */
export function previewRuleOf(spec: IndexedAgent): PreviewRule {
  if (spec === null || spec === undefined) return 'hidden'
  const { tracePolicy } = spec
  if (tracePolicy === undefined) return unrestricted
  const { capture, redact = [] } = asObject(tracePolicy)
  return capture === 'full' && isNames(redact) ? { redact } : 'hidden'
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
