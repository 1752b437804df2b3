import type { FastifyReply } from 'fastify'
import type { KubeObject } from '#core/kube/client.ts'
import { Fail } from './errors.ts'

/** Sets `ETag` to the object's resourceVersion. */
export function setEtag(reply: FastifyReply, object: KubeObject): void {
  const { resourceVersion } = object.metadata
  if (resourceVersion !== undefined) reply.header('etag', `"${resourceVersion}"`)
}

/** The resourceVersion that `If-Match` asks for; undefined without one and for `*`. Throws when it is not one strong entity tag. */
export function readIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const version = /^"([\x21\x23-\x7e]{1,128})"$/.exec(header.trim())?.[1]
  if (version === undefined) throw new Fail('malformed_request', 'If-Match: must be one entity tag in double quotes.')
  return version
}

/** Whether `If-None-Match` names the object as it is: the answer is 304 then. */
export function isUnchanged(header: string | undefined, object: KubeObject): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes('*') || tags.includes(`"${object.metadata.resourceVersion ?? ''}"`)
}
