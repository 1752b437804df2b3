import type { FastifyReply } from 'fastify'

/** CSP of data responses: nothing may run, load or frame them. `default-src` covers neither base nor form targets. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Headers of every response (D6), including those without a route. */
export const securityHeaders = {
  'content-security-policy': DATA_POLICY,
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // No response belongs in a search index, least of all a shared run (S5).
  'x-robots-tag': 'noindex',
} as const

/** Sets the security headers. A page with scripts replaces the policy. */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(securityHeaders)
}
