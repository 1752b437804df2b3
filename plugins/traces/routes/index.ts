import type { Mountable } from '#core/http/endpoint/mountable.ts'
import { tracePolicyEndpoints } from './trace-policy.ts'
import { listPart } from './list-traces.ts'
import { detailPart, summaryPart } from './traces.ts'
import type { TracesServices } from '../services/create-services.ts'

/** Routes of the plugin, below `/api`. */
export function tracesRoutes(services: TracesServices): readonly Mountable[] {
  return [...tracePolicyEndpoints, summaryPart(services), detailPart(services), listPart(services)]
}
