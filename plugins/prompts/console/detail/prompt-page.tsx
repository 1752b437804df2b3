import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { toApiUrl } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { CopyAs } from '#ui/parts/content/copy-as.tsx'
import { Tabs } from '#ui/parts/control/tabs.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { promptPath } from '../shared/shown-prompt.ts'
import type { PromptDialogName, PromptPlace } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'
import { PromptHistoryTab } from './history-tab.tsx'
import { PromptFacts } from './prompt-facts.tsx'
import { PromptUsersTab } from './users-tab.tsx'
import { PromptVersionsTab } from './versions-tab.tsx'

const PromptDialogs = lazy(async () => ({ default: (await import('./prompt-dialogs.tsx')).PromptDialogs }))

const tabs = (['text', 'compare', 'history', 'users'] as const).map((value) => ({ value, label: text.tabs[value] }))

/** One prompt: which text is live, its versions, and who uses it. */
export function PromptPage() {
  const { ns = '', name = '' } = useParams({ strict: false }) as { readonly ns?: string; readonly name?: string }
  const place = { namespace: ns, name }
  const [dialog, setDialog] = useState<PromptDialogName>()
  const navigate = useNavigate()
  // The name of the prompt needs the place.
  const isNarrow = useNarrow()
  const { data: prompt, error, refetch } = useQuery(apiQuery<ListedPrompt>(promptPath(place), { label: 'latest' }))
  const actions = [
    { text: text.write.next, icon: 'plus', rank: 'primary', onPick: () => setDialog('write') },
    { text: text.move.open, icon: 'arrow', rank: 'secondary', onPick: () => setDialog('move') },
    { text: text.removal.open, rank: 'menu', isDanger: true, onPick: () => setDialog('remove') },
  ] as const
  return (
    <>
      <PageBar
        title={name}
        crumbs={[{ label: text.title, to: '/prompts' }]}
        actions={prompt === undefined ? [] : actions}
      >
        {isNarrow ? undefined : <CopyAs request={{ method: 'GET', path: toApiUrl(promptPath(place)) }} />}
      </PageBar>
      {prompt === undefined && error !== null ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {prompt === undefined ? undefined : <PromptParts place={place} prompt={prompt} />}
      {prompt === undefined || dialog === undefined ? undefined : (
        <Suspense>
          <PromptDialogs
            shown={dialog}
            prompt={prompt}
            onClose={() => setDialog(undefined)}
            onGone={() => {
              navigate({ to: '/prompts' }).catch(() => undefined)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

interface PromptPartsProps {
  readonly place: PromptPlace
  readonly prompt: ListedPrompt
}

function PromptParts({ place, prompt }: PromptPartsProps) {
  const [{ tab: given }, change] = useAddress()
  const tab = tabs.find(({ value }) => value === given)?.value ?? 'text'
  const open = (value: string): void => change({ tab: value === 'text' ? undefined : value })
  return (
    <>
      <PromptFacts prompt={prompt} />
      <Tabs label={text.tabs.label} value={tab} options={tabs} onChange={open} isTall>
        {tab === 'history' ? <PromptHistoryTab place={place} /> : undefined}
        {tab === 'users' ? <PromptUsersTab place={place} /> : undefined}
        {tab === 'text' || tab === 'compare' ? (
          <PromptVersionsTab place={place} prompt={prompt} isCompared={tab === 'compare'} />
        ) : undefined}
      </Tabs>
    </>
  )
}
