import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import type { KeyRefusal } from '../key-binding.ts'
import type { Verdict } from './conditions.ts'

/** Why the address of a provider is not called: the guard refuses it, or its name does not resolve. */
export interface AddressProblem {
  readonly reason: 'AddressRefused' | 'NameNotFound'
  readonly message: string
}

/** What a look at a provider found. */
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

/** The conditions of a provider. Pure. Ready says that the gateway would call it; nothing is sent to find out. */
export function providerVerdicts(found: ProviderFindings): readonly Verdict[] {
  const accepted = acceptedOf(found)
  const resolved = resolvedOf(found)
  const broken = [accepted, resolved].find((one) => one.status === 'False') ?? unnamed(found)
  const ready: Verdict =
    broken === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'The gateway can call the provider.' }
      : { type: 'Ready', status: 'False', reason: broken.reason, message: broken.message }
  return [accepted, resolved, ready]
}

/** Whether a provider has been found unusable in its present generation; undefined while it is Ready or not looked at. */
export function unreadyReason({ metadata, status }: ModelProviderObject): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'False' && ready.observedGeneration === metadata.generation ? ready.message : undefined
}

function acceptedOf({ type, hasAdapter, address }: ProviderFindings): Verdict {
  if (!hasAdapter)
    return {
      type: 'Accepted',
      status: 'False',
      reason: 'TypeNotAvailable',
      message: `This install has no adapter for the type ${type}.`,
    }
  if (address?.reason === 'AddressRefused') return { type: 'Accepted', status: 'False', ...address }
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Type and address can be used here.' }
}

function resolvedOf({ key }: ProviderFindings): Verdict {
  if (key !== undefined)
    return { type: 'ResolvedRefs', status: 'False', reason: keyReasons[key.reason], message: key.message }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
}

function unnamed({ address }: ProviderFindings): AddressProblem | undefined {
  return address?.reason === 'NameNotFound' ? address : undefined
}
