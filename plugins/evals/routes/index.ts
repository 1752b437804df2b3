import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { EvalsServices } from '../contract/services.ts'
import { gatedEndpoint } from './eval-gated.ts'
import { onlineScoreEndpoint } from './online-score.ts'
import { overrideEndpoint } from './override.ts'
import { resultsEndpoint } from './results.ts'
import { cancelEndpoint, startEndpoint } from './evaluations.ts'

/** Routes of evaluations, below `/api`. */
export function evalsRoutes(services: EvalsServices): readonly AnyEndpoint[] {
  return [
    startEndpoint(services),
    cancelEndpoint(services),
    resultsEndpoint(services),
    overrideEndpoint(services),
    gatedEndpoint(services),
    onlineScoreEndpoint(services),
  ]
}
