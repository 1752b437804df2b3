import type { Authenticator } from '../auth/authenticate.ts'
import type { DocumentSources } from '../documents/serve-document.ts'
import type { Log } from '../json/log.ts'
import type { Authorizer } from '../rbac/authorize.ts'
import type { Reviews } from '../reviews/review.ts'
import type { Store } from '../storage/store.ts'
import type { PodLogReader } from '../verbs/pod-log.ts'
import type { Audit } from './audit-log.ts'

/** Dependencies of the request handler. */
export interface Services extends DocumentSources {
  store: Store
  authenticator: Authenticator
  authorizer: Authorizer
  reviews: Reviews
  audit: Audit
  readPodLog: PodLogReader | undefined
  now: () => Date
  log: Log
  closing: AbortSignal
}
