import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import type { AgentTabProps } from '../shared/agent-tab.ts'
import { Composer } from './composer.tsx'
import styles from './playground.module.css'
import { playgroundText as text } from './text.ts'
import { TurnView } from './turn-view.tsx'
import { useConversation } from './use-conversation.ts'
import type { ShownTurn } from './use-conversation.ts'
import { usePlayedRuns } from './use-played-runs.ts'
import type { PlayedRuns } from './use-played-runs.ts'

const RunSide = lazy(async () => ({ default: (await import('./run-side.tsx')).RunSide }))

interface ConversationViewProps extends AgentTabProps {
  readonly onNew: () => void
}

/** A conversation with the agent, its field, and the selected run at the side. */
export function ConversationView({ agent, place, onNew }: ConversationViewProps) {
  const [{ run: given }, change] = useAddress()
  const conversation = useConversation(place)
  const { turns } = conversation
  const last = turns.at(-1)
  const selected = turns.find(({ runId }) => runId === given)?.runId ?? last?.runId
  const played = usePlayedRuns(selected, place.name)
  const live = last?.kept === undefined && last !== undefined ? last.runId : undefined
  const isBusy = live !== undefined && !(played.runs[live]?.isEnded ?? false)
  const stop = useMutation({
    mutationFn: (runId: string) => sendApi({ method: 'POST', path: ['runs', runId, 'cancel'], body: {} }),
  })
  const box = useFollowedEnd(turns, played)
  return (
    <div className={styles['playground']}>
      <div className={styles['talk']}>
        <div ref={box} className={styles['turns']}>
          <ConversationNotes conversation={conversation} played={played} />
          {turns.length === 0 ? (
            <PageState icon="message" title={text.empty(place.name)}>
              {text.emptyDetail}
            </PageState>
          ) : undefined}
          {/* Whole sentences are read out by the answers themselves, not each token. */}
          <ol className={styles['list']} aria-label={text.conversation}>
            {turns.map((turn) => (
              <TurnView
                key={turn.runId}
                turn={turn}
                agent={agent}
                run={played.runs[turn.runId]}
                isSelected={turn.runId === selected}
                onSelect={() => change({ run: turn.runId === last?.runId ? undefined : turn.runId })}
              />
            ))}
          </ol>
        </div>
        <Composer
          agent={agent}
          conversation={conversation}
          isBusy={isBusy}
          isStopping={stop.isPending || (live !== undefined && played.runs[live]?.state === 'cancelling')}
          stopError={stop.error}
          onStop={() => {
            if (live !== undefined) stop.mutate(live)
          }}
          onNew={turns.length === 0 ? undefined : onNew}
        />
      </div>
      <Suspense fallback={<div className={styles['side']} />}>
        <RunSide run={selected === undefined ? undefined : played.runs[selected]} />
      </Suspense>
    </div>
  )
}

interface ConversationNotesProps {
  readonly conversation: ReturnType<typeof useConversation>
  readonly played: PlayedRuns
}

function ConversationNotes({
  conversation: { hasMore, historyError },
  played: { error, isCut },
}: ConversationNotesProps) {
  return (
    <>
      {historyError === null ? undefined : (
        <Notice tone="warn" title={text.noHistory}>
          {historyError.message}
        </Notice>
      )}
      {hasMore ? <Notice tone="info">{text.more}</Notice> : undefined}
      {isCut ? <Notice tone="warn">{text.reconnecting}</Notice> : undefined}
      {error === null ? undefined : (
        <Notice tone="warn" title={text.notReadable}>
          {error.message}
        </Notice>
      )}
    </>
  )
}

const NEAR_PX = 80

/** Keeps the end of the conversation in view, unless the reader has scrolled away from it. */
function useFollowedEnd(turns: readonly ShownTurn[], { runs }: PlayedRuns) {
  const box = useRef<HTMLDivElement>(null)
  const count = useRef(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const isNew = count.current !== turns.length
    count.current = turns.length
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX + element.clientHeight / 3
    if (isNew || isNear) element.scrollTop = element.scrollHeight
  }, [turns.length, runs])
  return box
}
