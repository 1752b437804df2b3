import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import type { PodAddition, PodPart } from '#plugins/agents/contract/points.ts'
import { SecretBinding } from '#schemas/crds/secret-binding.ts'
import type { SecretBindingObject } from '#schemas/crds/secret-binding.ts'
import { findSecretProblem } from './find-secret.ts'

type Condition = NonNullable<PodAddition['condition']>

const type = 'SecretsBound'
const bound: Condition = { type, status: 'True', reason: 'Bound', message: 'The agent has every key of its bindings.' }

/**
 * Gives an agent the keys of its secret bindings as variables. A Secret of the platform is not for agents, so its binding provides none. References
 * to an absent Secret or key stay in the pod template: running pods keep their values while a Secret is replaced. `secretsGate` holds new revisions
 * back.
 */
export const secretsPodPart: PodPart = async ({ metadata: { namespace = '' }, spec: { secrets = [] } }, cluster) => {
  if (secrets.length === 0) return undefined
  const found = await Promise.all(secrets.map(({ name }) => readBinding(cluster, namespace, name)))
  const problem = found.find((one) => one.problem !== undefined)?.problem
  return {
    env: found.flatMap(({ env }) => env),
    condition: problem === undefined ? bound : { type, status: 'False', ...problem },
  }
}

/** The resolved content of a binding. */
interface BoundSecret {
  readonly env: NonNullable<PodAddition['env']>
  readonly problem?: Pick<Condition, 'reason' | 'message'>
}

/** Reads a binding and resolves its content. */
export async function readBinding(cluster: KubeClient, namespace: string, name: string): Promise<BoundSecret> {
  const binding = await findNamedObject<SecretBindingObject>(cluster, SecretBinding, { namespace, name })
  if (binding === undefined) {
    const message = `SecretBinding ${namespace}/${name} does not exist.`
    return { env: [], problem: { reason: 'BindingMissing', message } }
  }
  const problem = await findSecretProblem(cluster, binding)
  if (problem?.reason === 'SecretNotForAgents') return { env: [], problem }
  const { secretRef, env } = binding.spec
  return {
    ...(problem === undefined ? {} : { problem }),
    env: env.map(({ name: variable, key }) => ({
      name: variable,
      valueFrom: { secretKeyRef: { name: secretRef.name, key } },
    })),
  }
}
