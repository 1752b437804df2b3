import type { Authenticator } from '../auth/authenticate.ts'
import type { createOpenApi } from '../documents/openapi.ts'
import type { Log } from '../json/log.ts'
import type { Kinds } from '../kinds/kind-table.ts'
import type { Authorizer } from '../rbac/authorize.ts'
import type { Reviews } from '../reviews/review.ts'
import type { Store } from '../storage/store.ts'
import type { PodLogReader } from '../verbs/pod-log.ts'
import type { Audit } from './audit-log.ts'

/** Everything a request may need; made once by the server. */
export interface Services {
  store: Store
  kinds: Kinds
  authenticator: Authenticator
  authorizer: Authorizer
  reviews: Reviews
  openApi: ReturnType<typeof createOpenApi>
  audit: Audit
  readPodLog: PodLogReader | undefined
  now: () => Date
  log: Log
  closing: AbortSignal
  address: () => string
}
