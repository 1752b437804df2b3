import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'
import { isName, parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { pod } from '#schemas/crds/agent-pod.ts'
import { findPodProblems } from '#schemas/agents/pod-rules.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { PLATFORM_SECRET_MESSAGE, isPlatformSecret } from '#schemas/kinds/platform-secrets.ts'
import { secretResource } from '../contract/resources.ts'

type CheckedPod = Parameters<typeof findPodProblems>[0]

// Each Secret costs a call to the cluster.
const MAX_SECRETS = 64
const checkPod = checkOf(pod)

/**
 * Validates what the cluster cannot: `spec.pod` by schema and rules, so that every error names its field, and the referenced Secrets with the
 * caller's rights. A Secret that the caller may not read is checked by the manager, which reports a condition. Throws `invalid_body`.
 */
export async function checkAgent(caller: Caller, agent: CheckedAgent, signal: AbortSignal): Promise<void> {
  const errors = podErrors(agent.spec)
  if (errors.length > 0) throw new Fail('invalid_body', undefined, { errors })
  await refusePlatformSecrets(caller, agent, signal)
}

/** An agent from a request body, with an unvalidated spec. */
export interface CheckedAgent {
  readonly namespace: string
  readonly spec: unknown
}

function podErrors(spec: unknown): readonly FieldError[] {
  const given =
    typeof spec === 'object' && spec !== null && Object.hasOwn(spec, 'pod') ? fieldOf(spec, 'pod') : undefined
  if (given === undefined) return []
  const misshapen = checkPod(given)
  if (misshapen.length > 0) return misshapen.map(({ pointer, detail }) => ({ pointer: `/spec/pod${pointer}`, detail }))
  // Ensured by the check above.
  return findPodProblems(given as CheckedPod)
    .slice(0, 20)
    .map(({ path, message }) => ({ pointer: `/spec/${path.join('/')}`, detail: message }))
}

function fieldOf(object: object, name: string): unknown {
  return Object.entries(object).find(([key]) => key === name)?.[1]
}

async function refusePlatformSecrets(
  caller: Caller,
  { namespace, spec }: CheckedAgent,
  signal: AbortSignal,
): Promise<void> {
  const object = { apiVersion: '', kind: '', metadata: { name: '', namespace }, spec }
  const fields = new Map<string, string[]>()
  for (const { kind, name, field } of collectReferences(AgentDeployment.spec, object))
    if (kind === 'Secret' && isName(name)) fields.set(name, [...(fields.get(name) ?? []), field])
  if (fields.size > MAX_SECRETS)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: '/spec', detail: `refers to more than ${MAX_SECRETS} Secrets` }],
    })
  const from = parseLabel('/metadata/namespace', namespace)
  const kept = await mapConcurrently([...fields.keys()], (name) => isKept(caller, { namespace: from, name }, signal))
  const refused = [...fields.values()].filter((_, index) => kept[index] === true).flat()
  if (refused.length === 0) return
  throw new Fail('invalid_body', undefined, {
    errors: refused.slice(0, 20).map((field) => ({ pointer: pointerOf(field), detail: PLATFORM_SECRET_MESSAGE })),
  })
}

async function isKept(
  caller: Caller,
  { namespace, name }: { readonly namespace: DnsLabel; readonly name: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const ref = { namespace, name: parseName('name', name) }
    return isPlatformSecret((await caller.cluster.get(secretResource, ref, { signal, metadataOnly: true })).metadata)
  } catch (error) {
    if (isStatus(error, 403) || isStatus(error, 404)) return false
    throw error
  }
}

// `spec.runtime.env[0].valueFrom` as `/spec/runtime/env/0/valueFrom`.
function pointerOf(field: string): string {
  return `/${field.replaceAll(/\[(\d+)\]/g, '.$1').replaceAll('.', '/')}`
}
