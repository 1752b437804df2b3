import type { Step } from './step.ts'
import type { Sequence } from './steps.ts'

/** A case once found by a seed, as explicit steps. The statuses are the real server's, so that a step without its effect is detected. */
export interface Regression {
  readonly holds: string
  readonly sequence: Sequence
  readonly statuses: readonly number[]
}

type Given = Partial<Step> & Pick<Step, 'kind' | 'verb'>

/** A request with a JSON body, or none. */
export const json = (verb: Step['verb'], kind: Step['kind'], body?: unknown, more: Partial<Step> = {}): Given => ({
  verb,
  kind,
  ...(body === undefined ? {} : { body }),
  ...more,
})
/** A server-side apply to `a`. */
export const apply = (kind: Step['kind'], fieldManager: string, body: unknown, more: Partial<Step> = {}): Given => ({
  verb: 'PATCH',
  kind,
  name: 'a',
  type: 'application/apply-patch+yaml',
  query: { fieldManager },
  body,
  ...more,
})
/** A merge patch of `a`. */
export const merge = (kind: Step['kind'], body: unknown, more: Partial<Step> = {}): Given =>
  json('PATCH', kind, body, { name: 'a', type: 'application/merge-patch+json', ...more })
/** A read of `a`. */
export const get = (kind: Step['kind']): Given => json('GET', kind, undefined, { name: 'a' })

/** Steps with the status returned by the real server. */
export function regression(
  holds: string,
  watched: Sequence['watched'],
  ...steps: (readonly [status: number, given: Given])[]
): Regression {
  return {
    holds,
    statuses: steps.map(([status]) => status),
    sequence: {
      steps: steps.map(([, given]): Step => ({ does: 'regression', user: 'admin', query: {}, ...given })),
      watched,
      watchQuery: {},
      watchAfter: -1,
      watchState: false,
    },
  }
}

export const metadata = { name: 'a' }
export const status = { subresource: 'status' } as const
export const dryRun = { query: { dryRun: 'All' } }
