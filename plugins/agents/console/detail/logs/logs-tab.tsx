import { useState } from 'react'
import { useAddress } from '#ui/contract/search.ts'
import { LogView } from '#ui/parts/content/log-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import styles from '../../shared/agent.module.css'
import { logsText as text } from './text.ts'
import { TAIL, useLog } from './use-log.ts'

const containers = (['agent', 'launcher'] as const).map((value) => ({ value, label: text.containers[value] }))
const times = [
  { value: 'now', label: text.now },
  { value: 'previous', label: text.previous },
] as const

/** The log of the newest running pod. It follows until it is scrolled. */
export function LogsTab({ agent, place }: AgentTabProps) {
  const [{ container: given, previous }, change] = useAddress()
  const [attempt, setAttempt] = useState(0)
  // An agent without a program of its own is run by its launcher, and has that one log.
  const hasProgram = agent.spec?.image !== undefined || agent.spec?.runtime !== undefined
  const container = hasProgram && given === 'launcher' ? 'launcher' : 'agent'
  const isPrevious = previous === 'true'
  const { lines, isEnded, isCut, error } = useLog(place, { container, isPrevious }, attempt)
  const again = (): void => setAttempt(attempt + 1)
  if (error !== null && lines.length === 0) return <ProblemState error={error} onRetry={again} />
  return (
    <>
      <FilterBar setCount={0} onClear={again}>
        {hasProgram ? (
          <Segmented
            label={text.container}
            value={container}
            options={containers}
            onChange={(value) => change({ container: value === 'agent' ? undefined : value })}
          />
        ) : undefined}
        <Segmented
          label={text.which}
          value={isPrevious ? 'previous' : 'now'}
          options={times}
          onChange={(value) => change({ previous: value === 'previous' ? 'true' : undefined })}
        />
        <span className="grow" />
        <span className="faint num">{text.newest(Math.max(TAIL, lines.length))}</span>
        {isEnded || error !== null ? (
          <Button icon="refresh" onClick={again}>
            {text.again}
          </Button>
        ) : undefined}
      </FilterBar>
      {error === null ? undefined : (
        <div className={styles['strip']}>
          <Notice tone="warn" title={text.cut}>
            {error.message}
          </Notice>
        </div>
      )}
      {lines.length === 0 ? (
        <EmptyState icon="list" title={text.empty}>
          {text.emptyDetail}
        </EmptyState>
      ) : (
        <LogView label={text.label} lines={lines} isEnded={isEnded} isCut={isCut} />
      )}
    </>
  )
}
