import type { Store } from '#core/event-store/store.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Sealed } from '#core/signing/sealed.ts'

/** Dependencies of consents and grants. */
export interface GrantServices {
  readonly store: Store
  readonly sealed: Sealed
  readonly outbound: Pick<Outbound, 'request' | 'check'>
  readonly log: Logger
  readonly now: () => Date
}
