import { toNode } from '#ui/parts/yaml/schema-shape.ts'

/** Whether a document is an object of Kubernetes; otherwise it is in the simplified format. */
export function isManifest(value: unknown): boolean {
  return toNode(value)?.['kind'] !== undefined
}
