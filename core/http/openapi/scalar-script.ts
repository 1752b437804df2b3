import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify from 'fastify'

/** A script as it is sent. */
export interface CompressedScript {
  readonly gzipped: Buffer
  readonly etag: string
}

let script: Promise<CompressedScript> | undefined

/**
 * The browser half of Scalar, from its package. Loaded when the page is opened first: 4.9 MB of text that a process without readers of
 * the page never holds.
 */
export function scalarScript(): Promise<CompressedScript> {
  script ??= readScript().catch((error: unknown) => {
    script = undefined
    throw error
  })
  return script
}

// The package gives its script as a route only.
async function readScript(): Promise<CompressedScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { rawPayload, statusCode } = await app.inject('/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference answered ${statusCode} for its script`)
  const gzipped = await promisify(gzip)(rawPayload)
  return { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` }
}
