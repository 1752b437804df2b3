import type { Capability, RequiredRight } from '../../schemas/api/identity.ts'

/** Why a caller cannot use a capability, and what would change it. */
export interface CapabilityRefusal {
  readonly reason: NonNullable<Capability['reason']>
  readonly right?: RequiredRight | undefined
  /** Name of the setting that enables it. */
  readonly setting?: string | undefined
}

/** Why one of the capabilities cannot be used; undefined if it can. One that is hidden is not listed. Pure. */
export function capabilityRefusal(id: string, capabilities: readonly Capability[]): CapabilityRefusal | undefined {
  const found = capabilities.find((one) => one.id === id)
  if (found === undefined) return { reason: 'disabled' }
  const { enabled, reason = 'disabled', requires, setting } = found
  return enabled ? undefined : { reason, right: requires, setting }
}
