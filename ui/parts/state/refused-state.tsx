import type { CapabilityRefusal } from '../../contract/refusal.ts'
import { DeniedState } from './denied-state.tsx'
import { NotEnabled } from './not-enabled.tsx'

/** What stands in place of a page whose capability is denied, off or not configured. */
export function RefusedState({ refusal: { reason, right, setting } }: { readonly refusal: CapabilityRefusal }) {
  return reason === 'denied' ? <DeniedState right={right} isAnywhere /> : <NotEnabled {...{ reason, setting }} />
}
