import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { Provider, ProviderModelList } from '#schemas/api/providers.ts'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { toCount } from '#ui/parts/format/counts.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './providers.module.css'
import { providersText } from './text.ts'

const text = providersText.models

type Models = Static<typeof ProviderModelList>

const MOST_SHOWN = 100
const FILTER_FROM = 12

/** The models that a provider lists: asked as the caller, and asked again on request. */
export function ProviderModels({ provider: { namespace, name } }: { readonly provider: Provider }) {
  const path = ['providers', name, 'models']
  const query = apiQuery<Models>(path, { namespace })
  const { data, error, isFetching, refetch } = useQuery({ ...query, retry: false, staleTime: 60_000 })
  const queries = useQueryClient()
  const askAgain = async (): Promise<void> => {
    const { queryFn } = apiQuery<Models>(path, { namespace, refresh: 'true' })
    // A failure of it is shown by the query of the page, which then asks itself.
    const isAsked = await queries.fetchQuery({ queryKey: query.queryKey, queryFn: queryFn as never }).catch(() => false)
    if (isAsked === false) await refetch()
  }
  return (
    <section aria-label={text.title} aria-busy={isFetching}>
      <div className={styles['head']}>
        <h3 className="grow">{data === undefined ? text.title : text.count(data.items.length)}</h3>
        {data === undefined ? undefined : (
          <span className="faint">
            {text.asked} <Time at={data.fetchedAt} />
          </span>
        )}
        <Button
          isSmall
          kind="quiet"
          icon="refresh"
          isBusy={isFetching}
          aria-label={text.refresh}
          onClick={() => {
            askAgain().catch(() => undefined)
          }}
        />
      </div>
      {error === null ? undefined : <Notice tone="warn">{wordsOf(error)}</Notice>}
      {data === undefined && error === null ? <p className="faint">{text.loading}</p> : undefined}
      {data === undefined ? undefined : <Listed models={data.items} />}
    </section>
  )
}

function Listed({ models }: { readonly models: Models['items'] }) {
  const [words, setWords] = useState('')
  const found = models.filter(({ id }) => id.toLowerCase().includes(words.trim().toLowerCase()))
  const rest = found.length - MOST_SHOWN
  if (models.length === 0) return <p className="faint">{text.none}</p>
  return (
    <>
      {models.length < FILTER_FROM ? undefined : (
        <input
          type="search"
          className={styles['filter']}
          aria-label={text.filter}
          placeholder={text.filter}
          maxLength={200}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      {found.length === 0 ? <p className="faint">{text.noMatch}</p> : undefined}
      <ul className={styles['models']} tabIndex={0} aria-label={text.title}>
        {found.slice(0, MOST_SHOWN).map(({ id, ownedBy, contextWindow }) => (
          <li key={id}>
            <span className={`mono user-text ${styles['model']}`} dir="auto">
              {id}
            </span>
            <span className="faint clip" dir="auto">
              {contextWindow === undefined ? ownedBy : text.context(toCount(contextWindow))}
            </span>
          </li>
        ))}
        {rest > 0 ? <li className="faint">{text.more(rest)}</li> : undefined}
      </ul>
    </>
  )
}

function wordsOf(error: Error): string {
  if (!(error instanceof ApiProblem)) return error.message
  const { status, code, detail } = error.facts
  const known: Readonly<Record<string, string>> = {
    provider_rejected_key: text.rejected,
    provider_unreachable: text.unreachable,
    provider_answered_badly: text.badly,
  }
  if (status === 403) return text.denied
  const words = code === undefined ? undefined : known[code]
  return words === undefined ? detail : `${words} ${detail}`
}
