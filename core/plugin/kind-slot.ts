import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'

/** A kind of a plugin with everything that follows from it. `crud` builds one. */
export interface KindSlot {
  /** Names and schemas; the CRD is generated from them. */
  readonly kind: AnyKind
  /** Name of an object in messages (`agent`); default: the kind. */
  readonly noun?: string
  /** Feeds audit and object index. */
  readonly informer: Informer
  /** Rights of the personas. */
  readonly access: readonly AccessRule[]
  /** Routes of the kind, mounted like those of `routes`. */
  readonly endpoints: readonly AnyEndpoint[]
  /** A valid object: the example of the API, and the object that tests apply to each API server. */
  readonly sample: KubeObject
}
