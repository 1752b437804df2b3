import type { Mountable } from '#core/http/endpoint/mountable.ts'
import { documentEndpoints } from './documents.ts'
import { ingestEndpoints } from './ingests.ts'
import { searchEndpoint } from './search.ts'
import type { KnowledgeServices } from '../services/create-services.ts'

/** Routes of the plugin below `/api`, besides those of the kind. */
export function knowledgeRoutes(services: KnowledgeServices): readonly Mountable[] {
  return [searchEndpoint(services), ...documentEndpoints(services), ...ingestEndpoints(services)]
}
