import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { DatasetsServices } from '../contract/services.ts'
import { caseEndpoints } from './cases.ts'
import { datasetEndpoints } from './datasets.ts'
import { exportEndpoints } from './export.ts'
import { fromRunEndpoint } from './from-run.ts'
import { importEndpoint } from './import.ts'
import { labelEndpoints } from './labels.ts'
import { pinEndpoints } from './pins.ts'

/** Routes of datasets, below `/api`. */
export function datasetsRoutes(services: DatasetsServices): readonly AnyEndpoint[] {
  return [
    ...datasetEndpoints(services),
    ...caseEndpoints(services),
    importEndpoint(services),
    fromRunEndpoint(services),
    ...labelEndpoints(services),
    ...pinEndpoints(services),
    ...exportEndpoints(services),
  ]
}
