import { badRequest, notFound, orThrow, unsupportedMediaType } from '../json/api-error.ts'
import { parse } from '../json/parse-body.ts'
import type { Kind } from '../kinds/kind.ts'
import { applyBodyPatch } from '../patch/body-patch.ts'
import { applyObject } from './apply.ts'
import { decodePatched, matchPath } from './decode-object.ts'
import { mediaType, readBody } from '../json/read-body.ts'
import type { Exchange } from './exchange.ts'
import { toVersion } from './read.ts'
import { writeOptions } from './write-options.ts'
import { keyOf, modify } from './write.ts'
import type { WriteResponse, WriteContext } from './write.ts'

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
  'application/strategic-merge-patch+json': 'strategic',
} as const

/** PATCH of an object or of its status, by any of the four content types. */
export async function patchObject(context: WriteContext, exchange: Exchange, kind: Kind): Promise<WriteResponse> {
  const offered = Object.entries(PATCH_TYPES).filter(([, type]) => type !== 'strategic' || !kind.custom)
  const found = offered.find(([media]) => media === mediaType(exchange.request))
  if (!found) throw unsupportedMediaType(offered.map(([media]) => media))
  const options = writeOptions(exchange, 'PatchOptions', found[1] === 'apply')
  const text = await readBody(exchange.request)
  const stored = context.store.find(kind.storeId, keyOf(exchange, kind))
  if (found[1] === 'apply') return applyObject(context, exchange, kind, { text, options, stored })
  if (!stored) throw notFound(kind, exchange.info.name)
  const live = toVersion(stored.object, kind)
  const patched = orThrow(applyBodyPatch(found[1], live, parsePatch(text)))
  const object = decodePatched(patched, kind, options, exchange.warnings)
  matchPath(object, exchange, kind)
  return modify(context, exchange, kind, { stored, object, options, applied: false })
}

function parsePatch(text: string) {
  try {
    return parse(text, false)
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`)
  }
}
