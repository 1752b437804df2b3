import { OAUTH_CALLBACK_PATH } from '#core/http/console/oauth-paths.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isServedHost } from '#core/net/loopback-host.ts'

/** What a redirect address follows from. */
export interface RedirectSource {
  /** Setting `sessions.publicUrl`. */
  readonly publicUrl: string | undefined
  /** Origin of the page that asks. The server has checked it for a request with a session. */
  readonly origin: string | undefined
  readonly hasSession: boolean
}

/**
 * Address to which the authorization server redirects. On this machine it is the origin of the page that asks, since `localhost` and `127.0.0.1` share no
 * cookies (RFC 8252, section 7.3).
 */
export function redirectUriFor({ publicUrl, origin, hasSession }: RedirectSource): string {
  const asked = origin === undefined ? null : URL.parse(origin)
  const own = publicUrl === undefined ? null : new URL(publicUrl)
  const isLocal =
    own?.protocol === 'http:' && asked?.protocol === 'http:' && asked.port === own.port && isServedHost(asked.host)
  const base = isLocal ? asked : (own ?? (hasSession ? asked : null))
  if (base === null)
    throw new Fail(
      'not_wired',
      'Authorization servers redirect to sessions.publicUrl (MESH_PUBLIC_URL), which is not set.',
    )
  return new URL(OAUTH_CALLBACK_PATH, base.origin).href
}
