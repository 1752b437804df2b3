import { requestApi } from './request-api.ts'
import type { ApiRequest } from './request-api.ts'

/** Saves the response of a request as a file. It is saved only when it is whole; a refusal throws an `ApiProblem`. */
export async function downloadFile(request: ApiRequest, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await requestApi(request)).blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
