import { conceal } from '#core/log/secrets.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { secretValueOf } from '#schemas/values/secret-value.ts'
import { refusalOfKey, secrets } from '../../upstream/key-binding.ts'
import { misconfigured } from '../errors/provider-failure.ts'

/**
 * Reads the key of a provider with the gateway's identity; undefined if the provider needs none. Throws `GatewayError` if the Secret
 * is missing, has no label of a provider key, is bound to another origin (B7), or holds no usable key. The key is neither cached nor logged.
 */
export async function readProviderKey(
  gateway: GatewayContext,
  namespace: DnsLabel,
  spec: ModelProviderSpec,
): Promise<string | undefined> {
  const { secretRef } = spec
  if (secretRef === undefined) return undefined
  const secret = await read(gateway, namespace, secretRef.name)
  const refusal = refusalOfKey(namespace, spec, secret?.metadata)
  if (refusal !== undefined) throw misconfigured(refusal.reason, refusal.message)
  const value = secret && secretValueOf(secret, secretRef.key)
  if (value === undefined)
    throw misconfigured(
      'secret_missing',
      `Secret ${namespace}/${secretRef.name} (key ${secretRef.key}) does not exist.`,
    )
  const key = conceal(value.toString('utf8').trim())
  // In a header it would begin another one.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw misconfigured(
      'key_unusable',
      `Secret ${namespace}/${secretRef.name} (key ${secretRef.key}) is empty or has characters that no key has.`,
    )
  return key
}

async function read(gateway: GatewayContext, namespace: DnsLabel, name: string): Promise<KubeObject | undefined> {
  try {
    return await gateway.cluster.get(secrets, { namespace, name: parseName('secret', name) })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
