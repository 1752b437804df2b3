import type { FastifyReply } from 'fastify'

/** Headers of a reply so far, for a response that bypasses Fastify. */
export function headersOf(reply: FastifyReply): Record<string, string | string[]> {
  const entries = Object.entries(reply.getHeaders())
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)]],
    ),
  )
}
