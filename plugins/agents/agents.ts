import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { ModelGateway } from './model-gateway.ts'
import type { LauncherKeyRecorder, RequirementCheck } from './points.ts'
import type { ReconcileSettings } from './reconcile/settings.ts'

/** What the routes work with. */
export interface Agents {
  now(): Date
  gateway: ModelGateway
  /** Route that answers generate and refine unless the request names one: `name` or `namespace/name`. */
  generateRoute: string
  /** Checks that other plugins contributed; read when a request needs them, since `create` runs before they exist. */
  checks(): readonly RequirementCheck[]
}

/** The plugin's inside. */
export interface AgentsInner extends Agents {
  reconcile: ReconcileSettings
  /** Keeps the public key of an agent's launchers. */
  recordKey: LauncherKeyRecorder
  /** The authenticated actor of a change of an agent, if a plugin knows one. */
  findActor: ChangeActorFinder
}
