import type { KubeObject } from '#core/kube/client.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Reply } from '../endpoint/reply.ts'

/** Sets `ETag` to the object's resourceVersion. */
export function setEtag(reply: Reply, object: KubeObject): void {
  const { resourceVersion } = object.metadata
  if (resourceVersion !== undefined) reply.header('etag', `"${resourceVersion}"`)
}

/** Returns the resourceVersion in `If-Match`; undefined if absent or `*`. Throws unless it is one strong entity tag. */
export function readIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const version = /^"([\x21\x23-\x7e]{1,128})"$/.exec(header.trim())?.[1]
  if (version === undefined) throw new Fail('malformed_request', 'If-Match: must be one entity tag in double quotes.')
  return version
}

/** Whether `If-None-Match` matches the current object, so that the response is 304. */
export function isUnchanged(header: string | undefined, object: KubeObject): boolean {
  return hasTag(header, `"${object.metadata.resourceVersion ?? ''}"`)
}

/** Whether `If-None-Match` contains an entity tag, by weak comparison (RFC 9110). */
export function hasTag(header: string | undefined, tag: string): boolean {
  const toOpaque = (text: string): string => text.trim().replace(/^W\//, '')
  const tags = header?.split(',').map(toOpaque) ?? []
  return tags.includes('*') || tags.includes(toOpaque(tag))
}
