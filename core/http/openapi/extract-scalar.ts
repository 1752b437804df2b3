import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

/** Returns the browser script of Scalar, gzipped. The package exposes it only as a route, as one string of 4.9 MB. */
export async function extractScalar(): Promise<Buffer> {
  const app = fastify()
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { rawPayload, statusCode } = await app.inject('/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference answered ${statusCode} for its script`)
  return promisify(gzip)(rawPayload, { level: constants.Z_BEST_COMPRESSION })
}

if (import.meta.main) process.stdout.write(await extractScalar())
