import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import type { IconName } from '../icon/icons.ts'
import { PageState } from './page-state.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  /** What is not there: "No agents yet". */
  readonly title: string
  /** One sentence: what belongs here. */
  readonly children: ReactNode
  /** The button that makes the first one. */
  readonly action?: ReactNode
}

/** Nothing is there yet. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <PageState icon={icon} title={title} actions={action}>
      {children}
    </PageState>
  )
}

/** Something is there, and the filter matches none of it. */
export function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <PageState icon="search" title={text.empty.noMatch} actions={<Button onClick={onClear}>{text.empty.clear}</Button>}>
      {text.empty.noMatchDetail}
    </PageState>
  )
}
