import type { Hand } from './hand.ts'
import type { Latency } from './latency.ts'
import type { Ledger } from './ledger.ts'
import type { Stage } from './stage.ts'

/** A writer without rights: each of its acts is denied, changes nothing, and must be a row all the same. */
export function createRefusals(
  stage: Stage,
  namespace: string,
  { ledger, latencies, prefix }: { readonly ledger: Ledger; readonly latencies: Latency[]; readonly prefix: string },
): Hand {
  let last = 0
  return {
    act: async () => {
      // A name of its own: repeated denials of one act are one row with a count.
      const name = `${prefix}-denied-${++last}`
      const path = `/api/templates/agent/${namespace}/${name}`
      const from = performance.now()
      try {
        const { status } = await stage.send({ method: 'DELETE', path, bearer: stage.kube.tokens['nobody'] })
        const to = performance.now()
        latencies.push({ at: to, ms: to - from })
        // From 500 on nobody has decided: that is no denial.
        if (status === 403) ledger.changes.push({ verb: 'denied', uid: name, version: '', name, via: 'api', from, to })
        return status === 403
      } catch {
        ledger.doubtful.add(`denied/${name}`)
        return false
      }
    },
  }
}
