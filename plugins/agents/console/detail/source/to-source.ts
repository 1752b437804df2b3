import type { ShownAgent } from '../../shared/shown-agent.ts'

/** The object without what the page asked for beside it. Pure. */
export function toSource({ apiVersion, kind, metadata, spec, status }: ShownAgent) {
  return { apiVersion, kind, metadata, spec, status }
}
