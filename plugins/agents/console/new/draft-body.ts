import type { RefusedField } from '#ui/api/api-problem.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import type { ValueSchema } from '#ui/parts/yaml/schema-shape.ts'
import { isManifest } from './gate/is-manifest.ts'
import type { ApiDocument } from '#ui/kinds/served-kind.ts'

/** The body that creates the agent of a document: in its own namespace, else in that of the page. */
export function toBody(value: unknown, namespace: string): object {
  if (isManifest(value)) return value as object
  const own = toNode(value)?.['namespace']
  return { namespace: typeof own === 'string' && own !== '' ? own : namespace, config: value }
}

/** The schema of a document, by its format. */
export function schemaOf({ components }: ApiDocument, value: unknown): ValueSchema {
  const named = toNode(components?.schemas) ?? {}
  const name = isManifest(value) ? 'AgentDeploymentInput' : 'AgentConfig'
  return { node: { $ref: `#/components/schemas/${name}` }, named }
}

/** Refused fields of the body, as fields of the document. */
export function toDocumentFields(errors: readonly RefusedField[], value: unknown): readonly RefusedField[] {
  if (isManifest(value)) return errors
  return errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/config(?=\/|$)/, ''), detail }))
}
