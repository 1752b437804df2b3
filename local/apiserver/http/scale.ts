import type { Json, KubeObject, ManagedFieldsEntry } from '../contract.ts'
import { trackUpdate } from '../apply/apply.ts'
import { AGE, NAME, column } from '../objects/columns.ts'
import type { Kind } from '../objects/kind.ts'
import { invalidValue, part } from '../objects/meta.ts'
import { goJsonType, isObject } from '../patch/json-value.ts'
import { applyBodyPatch } from '../patch/patch.ts'
import { MODIFIED, badRequest, conflict, invalid, notFound, orThrow, unsupportedMediaType } from '../status.ts'
import { objectKey } from '../storage/store.ts'
import type { Store, Stored } from '../storage/store.ts'
import { asKubeObject, mediaType, parse, readBody, readObject } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { toTable } from './table.ts'
import { blamePatch } from './write-decode.ts'
import { writeOptions } from './write-options.ts'
import type { Answer } from './write.ts'

/** Go leaves a zero out. */
const specOf = (replicas: Json | undefined) => (replicas ? { replicas } : {})

function toScale({ object }: Stored): KubeObject {
  const { name, namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata
  const labels = part({ ...object, ...part(object, 'spec') }, 'selector')['matchLabels']
  const selector = Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(',')
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: specOf(part(object, 'spec')['replicas']),
    status: { replicas: part(object, 'status')['replicas'] ?? 0, ...(selector ? { selector } : {}) },
  }
}

/** Replicas that nobody owns, as after a scale to nothing, are not tracked. */
const isOwned = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(({ fieldsV1 }) => isObject(fieldsV1?.['f:spec']) && 'f:replicas' in fieldsV1['f:spec'])

/** Who owns what after a scale: nobody the replicas that Go leaves out. */
function tracked(
  before: KubeObject,
  replicas: number,
  { manager, kind, now }: { manager: string; kind: Kind; now: Date },
): ManagedFieldsEntry[] {
  const { replicas: _, ...rest } = part(before, 'spec')
  const after = { ...before, spec: { ...rest, ...specOf(replicas) } }
  const managedFields = trackUpdate({ before, after, manager, subresource: 'scale', schema: kind.schema, now })
  // The real server gives the entry of a scale no time.
  for (const entry of managedFields) if (entry.subresource === 'scale') delete entry.time
  return managedFields
}

/** The replicas of a scale; of another type it cannot even be decoded. */
function replicasOf(scale: KubeObject): number {
  const replicas = part(scale, 'spec')['replicas'] ?? 0
  if (typeof replicas === 'number' && Number.isInteger(replicas)) return replicas
  const why = `json: cannot unmarshal ${goJsonType(replicas)} into Go struct field ScaleSpec.spec.replicas of type int32`
  throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${why}`)
}

const COLUMNS = [
  NAME,
  column('Desired', (scale) => part(scale, 'spec')['replicas'] ?? 0, { type: 'integer' }),
  column('Available', (scale) => part(scale, 'status')['replicas'] ?? 0, { type: 'integer' }),
  AGE,
]

function shown({ accept, query }: Exchange, scale: KubeObject, now: Date): object {
  if (accept.as !== 'Table') return scale
  const { resourceVersion = '' } = scale.metadata
  return toTable({ columns: COLUMNS }, [scale], { now, resourceVersion, include: query.get('includeObject') })
}

async function patched(exchange: Exchange, live: KubeObject): Promise<KubeObject> {
  const type = mediaType(exchange.request)
  const merge = type === 'application/merge-patch+json' || type === 'application/strategic-merge-patch+json'
  if (!merge && type !== 'application/json-patch+json') {
    throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json'])
  }
  const patch = parse(await readBody(exchange.request), false)
  return orThrow(applyBodyPatch(merge ? 'merge' : 'json', live, patch))
}

/** The `scale` subresource: reads and sets the replicas of an object. */
export async function serveScale(store: Store, exchange: Exchange, kind: Kind, now: Date): Promise<Answer> {
  const { name, namespace, verb } = exchange.info
  const stored = store.find(kind.storeId, objectKey(namespace, name))
  const options =
    verb === 'get' ? undefined : writeOptions(exchange, verb === 'update' ? 'UpdateOptions' : 'PatchOptions')
  const given = verb === 'update' ? asKubeObject(await readObject(exchange, 'Scale')) : undefined
  if (given) replicasOf(given)
  if (!stored) throw notFound(kind, name)
  const answer = (scale: KubeObject): Answer => ({ code: 200, body: shown(exchange, scale, now) })
  if (!options) return answer(toScale(stored))
  const scale = given ?? (await patched(exchange, toScale(stored)))
  const current = store.find(kind.storeId, stored.key)
  if (!current) throw notFound(kind, name)
  const { resourceVersion } = scale.metadata
  if (resourceVersion && resourceVersion !== current.object.metadata.resourceVersion)
    throw conflict(kind, name, MODIFIED)
  const replicas = blamePatch(scale, () => replicasOf(scale))
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', resource: 'scales', kind: 'Scale' }, name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  const { object } = current
  if (part(object, 'spec')['replicas'] === replicas || options.dryRun)
    return answer({ ...toScale(current), spec: specOf(replicas) })
  const after = { ...object, spec: { ...part(object, 'spec'), replicas } }
  const managedFields = isOwned(object) ? tracked(object, replicas, { manager: options.manager, kind, now }) : undefined
  const generation = (object.metadata.generation ?? 0) + 1
  const metadata = { ...object.metadata, generation, ...(managedFields ? { managedFields } : {}) }
  const written = store.put(current.id, current.key, { ...after, metadata })
  await written.durable
  return answer(toScale(written.stored))
}
