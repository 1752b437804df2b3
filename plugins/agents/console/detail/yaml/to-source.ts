import type { KindObject } from '#ui/kinds/kind-object.ts'
import type { ShownAgent } from '../../shared/shown-agent.ts'

/** The object without what the page asked for beside it. Pure. */
export function toSource({ apiVersion, kind, metadata, spec, status }: ShownAgent): KindObject {
  return { apiVersion, kind, metadata, spec, status } as KindObject
}
