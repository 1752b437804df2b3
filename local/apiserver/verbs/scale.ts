import { trackUpdate } from '../apply/server-side-apply.ts'
import {
  DecodingError,
  MODIFIED,
  badRequest,
  conflict,
  invalid,
  notFound,
  orThrow,
  unsupportedMediaType,
} from '../json/api-error.ts'
import { isObject, typeName } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject, ManagedFieldsEntry } from '../json/kube-object.ts'
import { parse } from '../json/parse-body.ts'
import { invalidValue } from '../json/status.ts'
import { AGE, NAME, column } from '../kinds/columns.ts'
import type { Kind } from '../kinds/kind.ts'
import { scaleNumbers } from '../kinds/scale-paths.ts'
import { toTable } from '../kinds/table.ts'
import { applyBodyPatch } from '../patch/body-patch.ts'
import { objectKey } from '../storage/stored.ts'
import { scaleCustom, wantedReplicas } from './custom-scale.ts'
import { blamePatch } from './decode-object.ts'
import { asKubeObject, readObject } from './exchange.ts'
import { mediaType, readBody } from '../json/read-body.ts'
import type { Exchange } from './exchange.ts'
import { writeOptions } from './write-options.ts'
import type { WriteOptions } from './write-options.ts'
import type { WriteResponse, WriteContext } from './write.ts'

/** Zero replicas are omitted (`omitempty`). */
const specOf = (replicas: Json | undefined) => (replicas ? { replicas } : {})

function toScale(object: KubeObject, kind: Kind): KubeObject {
  const { name, namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata
  const { replicas, statusReplicas, selector } =
    kind.scale === undefined ? builtInNumbers(object) : scaleNumbers(object, kind.scale)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: specOf(replicas),
    status: { replicas: statusReplicas, ...(selector ? { selector } : {}) },
  }
}

function builtInNumbers(object: KubeObject) {
  const labels = part({ ...object, ...part(object, 'spec') }, 'selector')['matchLabels']
  const selector = Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(',')
  return {
    replicas: part(object, 'spec')['replicas'],
    statusReplicas: part(object, 'status')['replicas'] ?? 0,
    selector,
  }
}

/** True if a manager owns the replicas; otherwise, as after a scale to 0, they are not tracked. */
const isOwned = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(({ fieldsV1 }) => isObject(fieldsV1?.['f:spec']) && 'f:replicas' in fieldsV1['f:spec'])

/** Managed fields after a scale; zero replicas have no owner. */
function tracked(
  before: KubeObject,
  replicas: number,
  { manager, kind, now }: { manager: string; kind: Kind; now: Date },
): ManagedFieldsEntry[] {
  const { replicas: _, ...rest } = part(before, 'spec')
  const after = { ...before, spec: { ...rest, ...specOf(replicas) } }
  const managedFields = trackUpdate({ before, after, manager, subresource: 'scale', schema: kind.schema, now })
  // As in kube-apiserver, the entry of a scale has no time.
  for (const entry of managedFields) if (entry.subresource === 'scale') delete entry.time
  return managedFields
}

/** The replicas of a scale. */
function replicasOf(scale: KubeObject): number {
  const replicas = part(scale, 'spec')['replicas'] ?? 0
  if (typeof replicas === 'number' && Number.isInteger(replicas)) return replicas
  throw new DecodingError(
    { kind: 'Scale', version: 'v1' },
    `spec.replicas: expected an integer, got ${typeName(replicas)}`,
  )
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

async function patched(exchange: Exchange, kind: Kind, live: () => KubeObject): Promise<KubeObject> {
  const type = mediaType(exchange.request)
  const strategic = type === 'application/strategic-merge-patch+json' && !kind.custom
  const merge = type === 'application/merge-patch+json' || strategic
  if (!merge && type !== 'application/json-patch+json') {
    throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json'])
  }
  const patch = parse(await readBody(exchange.request), false)
  return orThrow(applyBodyPatch(merge ? 'merge' : 'json', live(), patch))
}

/** The `scale` subresource: reads and sets the replicas of an object. */
export async function serveScale(context: WriteContext, exchange: Exchange, kind: Kind): Promise<WriteResponse> {
  const { name, namespace, verb } = exchange.info
  const now = context.now()
  const find = (): KubeObject => {
    const stored = context.store.find(kind.storeId, objectKey(namespace, name))
    if (!stored) throw notFound(kind, name)
    return stored.object
  }
  const answer = (scale: KubeObject): WriteResponse => ({ code: 200, body: shown(exchange, scale, now) })
  if (verb === 'get') {
    const object = find()
    if (kind.scale !== undefined) wantedReplicas(scaleNumbers(object, kind.scale), kind.scale)
    return answer(toScale(object, kind))
  }
  const options = writeOptions(exchange, verb === 'update' ? 'UpdateOptions' : 'PatchOptions')
  const given = verb === 'update' ? asKubeObject(await readObject(exchange, 'Scale')) : undefined
  if (given) replicasOf(given)
  if (given !== undefined && kind.custom) matchName(given.metadata.name, name)
  find()
  const scale = given ?? (await patched(exchange, kind, () => toScale(find(), kind)))
  const { scale: paths } = kind
  if (paths === undefined) return scaleBuiltIn(context, kind, { object: find(), scale, options, answer })
  const absent = given === undefined && part(scale, 'spec')['replicas'] === undefined
  const replicas = absent && scaleNumbers(find(), paths).replicas === undefined ? undefined : replicasOf(scale)
  const { resourceVersion } = scale.metadata
  return answer(
    toScale(
      await scaleCustom(context, exchange, { ...kind, scale: paths }, { replicas, resourceVersion, options }),
      kind,
    ),
  )
}

function matchName(given: string | undefined, name: string): void {
  if (given && given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`)
}

async function scaleBuiltIn(
  { store, now }: WriteContext,
  kind: Kind,
  change: {
    readonly object: KubeObject
    readonly scale: KubeObject
    readonly options: WriteOptions
    readonly answer: (scale: KubeObject) => WriteResponse
  },
): Promise<WriteResponse> {
  const { object, scale, options, answer } = change
  const { name, namespace = '', resourceVersion: current } = object.metadata
  const { resourceVersion } = scale.metadata
  if (resourceVersion && resourceVersion !== current) throw conflict(kind, name, MODIFIED)
  const replicas = blamePatch(() => replicasOf(scale))
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', resource: 'scales', kind: 'Scale' }, name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  if (part(object, 'spec')['replicas'] === replicas || options.dryRun)
    return answer({ ...toScale(object, kind), spec: specOf(replicas) })
  const after = { ...object, spec: { ...part(object, 'spec'), replicas } }
  const by = { manager: options.manager, kind, now: now() }
  const managedFields = isOwned(object) ? tracked(object, replicas, by) : undefined
  const generation = (object.metadata.generation ?? 0) + 1
  const metadata = { ...object.metadata, generation, ...(managedFields ? { managedFields } : {}) }
  const written = store.put(kind.storeId, objectKey(namespace, name), { ...after, metadata })
  await written.durable
  return answer(toScale(written.stored.object, kind))
}
