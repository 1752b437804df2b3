import { queryOptions } from '@tanstack/react-query'
import { requestApi } from '#ui/api/request-api.ts'
import type { DatasetName, ReadDataset, ShownDataset } from './shown-dataset.ts'

/** Reads a dataset with its entity tag. */
export function datasetQuery({ namespace, name }: DatasetName) {
  const path = ['datasets', name]
  return queryOptions({
    queryKey: [...path, { namespace }],
    queryFn: async ({ signal }): Promise<ReadDataset> => {
      const response = await requestApi({ path, query: { namespace }, signal })
      const dataset = (await response.json()) as ShownDataset
      return { ...dataset, tag: response.headers.get('etag') ?? undefined }
    },
  })
}
