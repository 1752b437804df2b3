import type { FastifyReply } from 'fastify'

/** CSP of answers that are data: nothing may run, load or frame them. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Headers of every answer (D6); a page with scripts of its own replaces the policy. */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers({
    'content-security-policy': DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
}
