import type { FastifyPluginAsync } from 'fastify'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { HttpServices, SessionReader } from '../endpoint/server-context.ts'
import { createSessionAudit } from '../audit/session-audit.ts'
import { cookiesFor } from './cookies.ts'
import { sessionRoutes } from './routes.ts'
import { createSessionReader } from './session-reader.ts'
import type { SessionParts } from './session-reader.ts'
import type { OidcWay, SignInWays } from './sign-in-ways.ts'

/** Sessions of a server: their reader, and their routes. */
export interface Sessions {
  readonly reader: SessionReader
  readonly routes: FastifyPluginAsync
}

/** What a server has for its sessions. */
export interface SessionsInput {
  readonly services: Pick<HttpServices, 'keys' | 'log' | 'outcomes'> & {
    readonly store: NonNullable<HttpServices['store']>
  }
  readonly settings: CoreSettings['sessions']
  readonly install: string
  readonly now: () => Date
  readonly ways: SignInWays
  /** Creates the sign-in at an issuer. */
  readonly oidc?: ((parts: SessionParts) => OidcWay) | undefined
}

/** Creates the sessions of a server. */
export function createSessions({ services, settings, install, now, ways, oidc }: SessionsInput): Sessions {
  const cookies = cookiesFor(settings.publicUrl)
  const { keys, log, store } = services
  const parts: SessionParts = {
    keys,
    log,
    store,
    audit: createSessionAudit(services),
    cookies,
    now,
    times: { idleMs: settings.idleMinutes * 60_000, absoluteMs: settings.absoluteHours * 3_600_000 },
    of: [install, cookies.name],
    publicUrl: settings.publicUrl,
  }
  return { reader: createSessionReader(parts), routes: sessionRoutes(parts, { ...ways, oidc: oidc?.(parts) }) }
}
