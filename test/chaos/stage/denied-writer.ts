import type { ObjectWriter } from './object-writer.ts'
import type { Latency } from './latency.ts'
import type { ExpectedChanges } from './expected-changes.ts'
import type { Stage } from './stage.ts'

/** A writer without permissions. Each of its requests is denied, changes nothing, and must be one audit row. */
export function createDeniedWriter(
  stage: Stage,
  namespace: string,
  {
    expected,
    latencies,
    prefix,
  }: { readonly expected: ExpectedChanges; readonly latencies: Latency[]; readonly prefix: string },
): ObjectWriter {
  let last = 0
  return {
    act: async () => {
      // A distinct name per request: repeated denials of the same request share one row with a count.
      const name = `${prefix}-denied-${++last}`
      const path = `/api/templates/agent/${namespace}/${name}`
      const from = performance.now()
      try {
        const { status } = await stage.send({ method: 'DELETE', path, bearer: stage.kube.tokens['unbound'] })
        const to = performance.now()
        latencies.push({ at: to, ms: to - from })
        // A status of 500 or above is an error before the decision, not a denial.
        if (status === 403)
          expected.changes.push({ verb: 'denied', uid: name, version: '', name, via: 'api', from, to })
        return status === 403
      } catch {
        expected.doubtful.add(`denied/${name}`)
        return false
      }
    },
  }
}
