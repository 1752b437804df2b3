import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { RequirementsResponse } from '#schemas/api/agent-authoring.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'

type Found = Static<typeof RequirementsResponse>
const states: Readonly<Record<string, string>> = { met: 'ok', missing: 'error', denied: 'denied' }

/** What the agent needs before it works: checked as the caller. `body` is undefined while the document is not valid. */
export function RequirementsCard({ body }: { readonly body: object | undefined }) {
  const { data, error, isFetching } = useQuery({
    queryKey: ['agents', 'check-requirements', body],
    queryFn: async ({ signal }) => {
      const path = ['agents', 'check-requirements']
      return (await sendApi<Found>({ method: 'POST', path, body, signal })) ?? { ready: true, requirements: [] }
    },
    enabled: body !== undefined,
    placeholderData: (before) => before,
    retry: false,
    staleTime: 30_000,
    meta: { isLive: false },
  })
  return (
    <Card title={text.requirements}>
      <div className={styles['found']} aria-busy={isFetching}>
        {body === undefined && data === undefined ? <p className="faint">{text.invalid}</p> : undefined}
        {error === null || body === undefined ? undefined : <ProblemState error={error} />}
        {data === undefined || error !== null ? undefined : <Needs found={data} />}
      </div>
    </Card>
  )
}

function Needs({ found: { ready, requirements } }: { readonly found: Found }) {
  return (
    <>
      <p className="dim" role="status">
        {requirements.length === 0 ? text.noneNeeded : ready ? text.ready : undefined}
      </p>
      <ul className={styles['found']}>
        {requirements.map(({ kind, namespace, name, status, fix }) => (
          <li key={`${kind}/${namespace ?? ''}/${name}`} className={styles['need']}>
            <StatusBadge state={states[status] ?? status} isPlain>
              {text.status[status]}
            </StatusBadge>
            <span dir="auto">
              {kind} {namespace === undefined ? '' : `${namespace}/`}
              {name}
            </span>
            {fix === '' ? undefined : (
              <>
                <span />
                <span className="dim" dir="auto">
                  {fix}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
