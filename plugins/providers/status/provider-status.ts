import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import type { KeyRefusal } from '../upstream/key-binding.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'

/** Why the address of a provider is not usable: refused by the guard, or the name does not resolve. */
export interface AddressProblem {
  readonly reason: 'AddressRefused' | 'NameNotFound'
  readonly message: string
}

/** Findings about a provider. */
export interface ProviderFindings {
  readonly type: string
  readonly hasAdapter: boolean
  readonly address: AddressProblem | undefined
  readonly key: KeyRefusal | undefined
}

const keyReasons = {
  secret_missing: 'SecretMissing',
  secret_not_labelled: 'SecretNotLabelled',
  origin_mismatch: 'OriginMismatch',
} as const satisfies Record<KeyRefusal['reason'], string>

/** The conditions of a provider. Ready means that the gateway would call it; no request is sent. Pure. */
export function providerVerdicts(found: ProviderFindings): readonly ConditionValue[] {
  const accepted = acceptedOf(found)
  const resolved = resolvedOf(found)
  const broken = [accepted, resolved].find((one) => one.status === 'False') ?? unnamed(found)
  const ready: ConditionValue =
    broken === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'The gateway can call the provider.' }
      : { type: 'Ready', status: 'False', reason: broken.reason, message: broken.message }
  return [accepted, resolved, ready]
}

/** Returns why a provider is unusable in its current generation; undefined if it is Ready or was not checked yet. */
export function unreadyReason({ metadata, status }: ModelProviderObject): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'False' && ready.observedGeneration === metadata.generation ? ready.message : undefined
}

function acceptedOf({ type, hasAdapter, address }: ProviderFindings): ConditionValue {
  if (!hasAdapter)
    return {
      type: 'Accepted',
      status: 'False',
      reason: 'TypeNotAvailable',
      message: `This installation has no adapter for the type ${type}.`,
    }
  if (address?.reason === 'AddressRefused') return { type: 'Accepted', status: 'False', ...address }
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Type and address can be used here.' }
}

function resolvedOf({ key }: ProviderFindings): ConditionValue {
  if (key !== undefined)
    return { type: 'ResolvedRefs', status: 'False', reason: keyReasons[key.reason], message: key.message }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
}

function unnamed({ address }: ProviderFindings): AddressProblem | undefined {
  return address?.reason === 'NameNotFound' ? address : undefined
}
