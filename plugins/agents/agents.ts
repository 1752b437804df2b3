import type { ModelGateway } from './model-gateway.ts'
import type { RequirementCheck } from './points.ts'

/** The plugin's inside: what its routes work with. */
export interface Agents {
  now(): Date
  gateway: ModelGateway
  /** Route that answers generate and refine unless the request names one: `name` or `namespace/name`. */
  generateRoute: string
  /** Checks that other plugins contributed; read when a request needs them, since `create` runs before they exist. */
  checks(): readonly RequirementCheck[]
}
