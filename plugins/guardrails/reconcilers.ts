import { setTimeout as delay } from 'node:timers/promises'
import { toConditionsStatus } from '#core/controllers/conditions.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { OutboundError } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject, GuardrailPolicySpec } from '#schemas/crds/guardrail-policy.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import { modelReferences, policyVerdict } from './status/policy-verdicts.ts'
import type { PolicyFindings } from './status/policy-verdicts.ts'

/** Dependencies for the status of policies. */
export interface PolicyStatusOptions {
  readonly cluster: KubeClient
  readonly outbound: Pick<Outbound, 'check'>
  readonly now: () => Date
}

// A name may resolve to another address at any time.
const WHILE_REFUSED_MS = 60_000
const RESOLVE_MS = 2_000

/** Writes the condition `Accepted` of GuardrailPolicies. */
export function policyReconciler({ cluster, outbound, now }: PolicyStatusOptions): Reconciler {
  const index = createReferenceIndex()
  return {
    name: 'guardrailpolicies',
    resource: GuardrailPolicy,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [{ resource: ModelRoute, toRefs: async (route) => index.referrersOf(route) }],
    reconcile: async (ref) => {
      const policy = await find<GuardrailPolicyObject>(cluster, GuardrailPolicy, ref)
      const models = policy === undefined ? [] : modelReferences(policy.spec, policy.metadata.namespace ?? '')
      index.set(ref, models)
      if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return {}
      const found: PolicyFindings = {
        missing: await missingOf(cluster, models),
        refused: await refusedOf(outbound, policy.spec),
      }
      const status = toConditionsStatus(policy, [policyVerdict(policy, found)], now())
      if (!(await writeStatus(cluster, GuardrailPolicy, policy, status))) return { requeueAfterMs: 0 }
      return found.refused.length === 0 ? {} : { requeueAfterMs: WHILE_REFUSED_MS }
    },
  }
}

async function missingOf(cluster: KubeClient, models: readonly Reference[]): Promise<readonly Reference[]> {
  const missing: Reference[] = []
  for (const model of models) {
    const { namespace, name } = model
    const found = isLabel(namespace) && isName(name) ? await find(cluster, ModelRoute, { namespace, name }) : undefined
    if (found === undefined) missing.push(model)
  }
  return missing
}

// Resolves names as the gateway does, without a call. A failing resolver is not reported as a problem of the policy.
async function refusedOf(
  outbound: PolicyStatusOptions['outbound'],
  { rules }: GuardrailPolicySpec,
): Promise<PolicyFindings['refused']> {
  const checked = await Promise.all(
    rules.map(async ({ http }, index) => {
      if (http === undefined) return undefined
      const check = outbound.check(http.url).then(
        () => undefined,
        (error: unknown) => (error instanceof OutboundError ? error.message : undefined),
      )
      const message = await Promise.race([check, delay(RESOLVE_MS, undefined, { ref: false })])
      return message === undefined ? undefined : { field: `spec.rules[${index}].http.url`, message }
    }),
  )
  return checked.filter((one) => one !== undefined)
}

async function find<O extends KubeObject>(
  cluster: KubeClient,
  resource: Resource,
  ref: ObjectRef,
): Promise<O | undefined> {
  try {
    return await cluster.get<O>(resource, ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
