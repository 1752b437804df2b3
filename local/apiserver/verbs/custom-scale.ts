import { badRequest, failure, notFound } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind, ScalePaths } from '../kinds/kind.ts'
import { isOwned, withField } from '../kinds/scale-paths.ts'
import type { ScaleNumbers } from '../kinds/scale-paths.ts'
import { objectKey } from '../storage/stored.ts'
import type { Exchange } from './exchange.ts'
import type { WriteOptions } from './write-options.ts'
import { modify } from './write.ts'
import type { WriteContext } from './write.ts'

/** The replicas of a read; an object without the field has no scale. */
export function wantedReplicas({ replicas }: ScaleNumbers, { specReplicasPath }: ScalePaths): number {
  if (replicas !== undefined) return replicas
  const message = `the spec replicas field "${specReplicasPath}" does not exist`
  const details = { causes: [{ message }] }
  throw failure({ code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}`, details })
}

/** Sets the replicas of a custom object by a regular update; returns the object. */
export async function scaleCustom(
  context: WriteContext,
  exchange: Exchange,
  kind: Kind & { readonly scale: ScalePaths },
  change: {
    readonly replicas: number | undefined
    readonly resourceVersion: string | undefined
    readonly options: WriteOptions
  },
): Promise<KubeObject> {
  const { replicas, resourceVersion, options } = change
  const { specReplicasPath } = kind.scale
  if (replicas === undefined) throw badRequest(`the spec replicas field "${specReplicasPath}" cannot be empty`)
  const key = objectKey(exchange.info.namespace, exchange.info.name)
  const stored = context.store.find(kind.storeId, key)
  if (stored === undefined) throw notFound(kind, exchange.info.name)
  const object = withField(structuredClone(stored.object), specReplicasPath, replicas)
  if (resourceVersion) object.metadata.resourceVersion = resourceVersion
  // Replicas without an owner get none.
  await modify(context, exchange, kind, { stored, object, options, applied: !isOwned(object, specReplicasPath) })
  return options.dryRun ? object : (context.store.find(kind.storeId, key)?.object ?? object)
}
