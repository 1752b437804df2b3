import { generateCrds } from '../generate-crds.ts'

/** CRD manifests of deploy/crds. */
export async function generate(): Promise<Map<string, string>> {
  return generateCrds()
}
