import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { Icon } from '../icon/icon.tsx'
import { Card } from './card.tsx'
import styles from './guide.module.css'

/** A step of a guide. */
export interface GuideStep {
  readonly title: string
  readonly hint: string
  readonly isDone: boolean
  /** The button or link that does it. */
  readonly action: ReactNode
}

interface GuideProps {
  readonly title: string
  readonly steps: readonly GuideStep[]
  readonly onDismiss: () => void
}

/** First steps. The page leaves it out when all are done, or when it was dismissed. */
export function Guide({ title, steps, onDismiss }: GuideProps) {
  const done = steps.filter(({ isDone }) => isDone).length
  const head = (
    <>
      <span className="num faint">{text.guide.done(done, steps.length)}</span>
      <Button isSmall kind="quiet" icon="close" aria-label={text.guide.dismiss} onClick={onDismiss} />
    </>
  )
  return (
    <Card title={title} action={head}>
      <ol>
        {steps.map((step) => (
          <li key={step.title} className={`${styles['step']} ${step.isDone ? styles['done'] : ''}`}>
            <span className={styles['mark']}>
              <Icon name="check" size={12} stroke={2.4} />
            </span>
            <span className={`grow ${styles['words']}`}>
              <span className={styles['title']}>{step.title}</span>
              {step.isDone ? <span className="unseen"> {text.guide.isDone}</span> : undefined}
              <span className={styles['hint']}> {step.hint}</span>
            </span>
            {step.isDone ? undefined : step.action}
          </li>
        ))}
      </ol>
    </Card>
  )
}
